import pytest
from assay.analysis import words
from hypothesis import given
from hypothesis import strategies as st


def test_figures_have_three_digits_and_a_unit() -> None:
    assert words.rate(1.39e9) == "1.39 GB/s"
    assert words.rate(980e6) == "980 MB/s"
    assert words.rate(999.6e6) == "1.00 GB/s"
    assert words.rate(17.07e6) == "17.1 MB/s"
    assert words.frequency(99.96) == "100"
    assert words.frequency(999.4) == "999"
    assert words.frequency(999.6) == "1,000"
    assert words.frequency(1234) == "1,230"
    assert words.iops(12_345) == "12,300 IOPS"
    assert words.size(0) == "0 B"
    assert words.size(999) == "999 B"
    assert words.block(262144) == "256 KiB"
    assert words.block(512) == "512 B"
    assert words.block(64 * 2**20) == "64 MiB"
    assert words.percent(0.001) == "under 1 %"
    assert words.count(1, "writer") == "one writer"
    assert words.count(16, "writer") == "16 writers"


@given(st.floats(0, 1e18))
def test_no_figure_is_ever_written_with_an_exponent(rate: float) -> None:
    assert "e" not in words.rate(rate)


@pytest.mark.parametrize(
    ("ms", "expected"),
    [
        (0, "0 s"),
        (15, "15 ms"),
        (1500, "1500 ms"),
        (90_000, "90 s"),
        (5_400_000, "90 min"),
        (90_000_000, "25 h"),
        (172_800_000, "2 d"),
        (90_000_001, "1.04 d"),
    ],
)
def test_a_chosen_duration_is_exact_in_the_largest_unit(ms: int, expected: str) -> None:
    assert words.span(ms * 10**6) == expected

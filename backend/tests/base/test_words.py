import pytest
from assay.base import words
from hypothesis import given
from hypothesis import strategies as st


def test_figures_have_three_digits_and_a_unit() -> None:
    assert words.rate(1.39e9) == "1.39 GB/s"
    assert words.rate(980e6) == "980 MB/s"
    assert words.rate(999.6e6) == "1.00 GB/s"
    assert words.rate(17.07e6) == "17.1 MB/s"
    assert words.rate(180.5e6) == "181 MB/s", "a half is rounded up, as browsers do"
    assert words.rate(0) == "0 B/s"
    assert words.figure(0.1234) == "0.123"
    assert words.frequency(99.96) == "100"
    assert words.frequency(999.4) == "999"
    assert words.frequency(999.6) == "1000"
    assert words.frequency(1234) == "1230"
    assert words.iops(12_345) == "12 300 IOPS"
    assert words.size(0) == "0 B"
    assert words.size(999) == "999 B"
    assert words.block(262144) == "256 KiB"
    assert words.block(512) == "512 B"
    assert words.block(64 * 2**20) == "64 MiB"
    assert words.block(1536) == "1.5 KiB"
    assert words.block(4097) == "4097 B"
    assert words.block(800_000) == "800 kB"
    assert words.block(10**6) == "1 MB"
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
        (1500, "1.5 s"),
        (1550, "1550 ms"),
        (61_500, "61.5 s"),
        (60_000, "1 min"),
        (90_000, "90 s"),
        (5_400_000, "90 min"),
        (90_000_000, "25 h"),
        (172_800_000, "2 d"),
        (90_000_001, "1.04 d"),
    ],
)
def test_a_chosen_duration_is_exact_in_the_largest_unit(ms: int, expected: str) -> None:
    assert words.span(ms * 10**6) == expected


@pytest.mark.parametrize(
    ("count", "expected"),
    [
        (0, "0"),
        (512, "512 B"),
        (100 * 2**20, "100 MiB"),
        (800 * 1024, "800 KiB"),
        (4096, "4 KiB"),
        (800_000, "800 kB"),
        (1_250_000_000, "1.25 GB"),
        (1_048_576, "1 MiB"),
        (10**12, "1 TB"),
    ],
)
def test_a_chosen_size_is_exact(count: int, expected: str) -> None:
    assert words.exact_size(count) == expected


@pytest.mark.parametrize(
    ("rate", "expected"),
    [(125_000_000, "125 MB/s"), (1_250_000_000, "1250 MB/s"), (1_234_567, "1234567 B/s")],
)
def test_a_chosen_rate_is_exact(rate: int, expected: str) -> None:
    assert words.exact_rate(rate) == expected


@pytest.mark.parametrize(
    ("ns", "expected"),
    [
        (0, "0 ms"),
        (15_625_000, "15.625 ms"),
        (60 * 10**9, "60 s"),
        (1_500_000_000, "1.5 s"),
        (7, "7 ns"),
    ],
)
def test_a_fine_duration_is_exact(ns: int, expected: str) -> None:
    assert words.exact_duration(ns) == expected

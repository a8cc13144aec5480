"""What the comparisons of all kinds say in the same words."""

import pytest
from assay.base.worded import plain
from assay.kinds.comparison import Answer, faster_sentence, faster_words, not_compared


@pytest.mark.parametrize(
    ("ratio", "said"),
    [
        (2.1, "2.10 times as fast as"),
        (2.0, "2.00 times as fast as"),
        (1.999, "over 99 % faster than"),
        (1.42, "42 % faster than"),
        (1.003, "under 1 % faster than"),
        (0.997, "under 1 % slower than"),
        (0.7, "30 % slower than"),
        (0.001, "over 99 % slower than"),
    ],
)
def test_a_difference_is_a_percentage_and_from_twice_the_rate_on_a_factor(
    ratio: float, said: str
) -> None:
    assert faster_words(ratio) == said


@pytest.mark.parametrize(
    ("answer", "ratio", "said"),
    [
        ("a_faster", 2, "run 1 is 2.00 times as fast as run 2 (4 against 2)."),
        ("b_faster", 0.5, "run 1 is 50 % slower than run 2 (4 against 2)."),
        ("within_noise", 1.01, "run 1 is as fast as run 2 within noise (4 against 2)."),
        (
            "too_few_repeats",
            2,
            "run 1 has 2.00 times the rate of run 2 (4 against 2), in too few repeats to exclude "
            "noise.",
        ),
    ],
)
def test_a_difference_is_claimed_only_beyond_noise(answer: Answer, ratio: float, said: str) -> None:
    assert plain(faster_sentence(answer, ratio, 1, 2, "(4 against 2)")) == said


def test_runs_that_do_not_compare_are_named_with_the_reason() -> None:
    assert plain(not_compared(1, 2, "one has no rate")) == (
        "run 1 and run 2 cannot be compared: one has no rate."
    )

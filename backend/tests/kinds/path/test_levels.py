"""Rates of a transfer that fall for a lasting time."""

from assay.kinds.path.metrics import METRICS
from assay.kinds.path.result import PathResult
from assay.runs.verdicts.criteria import parse
from assay.runs.verdicts.judging import judge_run

from .simulated import KIND, MB, SECOND, attempt, both, judged, together

FALLING = [300] * 5 + [40] * 5 + [300] * 5
RATE = {metric.name: metric.read for metric in METRICS}["path.rate"]


def transfer(*rates: float) -> PathResult:
    """Return a transfer of one repeat, with a sample each second."""
    mean = sum(rates) / len(rates) * MB
    course = [rate * MB for rate in rates]
    ends = both("disk", mean, seconds=float(len(rates)), course=course)
    return judged({"disk": [ends]})


def test_a_rate_that_fell_and_rose_again_is_named() -> None:
    result = transfer(*FALLING)
    (said,) = [one for one in result.warnings if one.code == "levels"]
    assert said.message.startswith(
        "The rate of repeat 1 changed for a lasting time: 300 MB/s for 5.00 s (1.50 GB), "
        "then 40.0 MB/s for 5.00 s (200 MB), then 300 MB/s."
    )
    criteria = [parse("path.rate >= 100 MB/s"), parse("path.rate >= 30 MB/s")]
    above, below = judge_run(KIND, KIND.examples.parameters, result, criteria)
    assert (above.outcome, below.outcome) == ("inconclusive", "pass")


def test_steady_rising_and_stalled_transfers_are_not() -> None:
    for rates in ([300] * 15, [40] * 5 + [300] * 10, [300] * 7 + [0] + [300] * 7):
        assert "levels" not in {one.code for one in transfer(*rates).warnings}


def test_the_rate_of_all_pairs_is_searched_too() -> None:
    mean = sum(FALLING) / len(FALLING) * MB
    course = [rate * MB for rate in FALLING]
    pair = [both("disk", mean, seconds=15.0, course=course) for _ in range(2)]
    result = judged({"disk": [together(*pair)]}, boots=tuple("abcd"))
    (trial,) = result.legs[0].trials
    assert [round(one.bytes_per_s / MB) for one in trial.levels] == [600, 80, 600]


def test_the_ramp_up_is_no_level() -> None:
    course = [40 * MB] * 5 + [300 * MB] * 10
    ends = [
        attempt(role, "disk", 300 * MB, seconds=10.0, ramp_s=5.0, course=course)
        for role in ("sender", "receiver")
    ]
    (trial,) = judged({"disk": [ends]}).legs[0].trials
    assert trial.levels == []
    assert trial.application_bytes_per_s == 300 * MB * 10 * SECOND / (10 * SECOND)

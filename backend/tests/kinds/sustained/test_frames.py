"""Dropped frames: figures, criteria and CSV of paced sustained trials."""

from typing import Any

import pytest
from assay.kinds.sustained.figures import FrameLosses, Loss, lost_with, merged_losses
from assay.runs.verdicts.applicability import checked
from assay.runs.verdicts.criteria import CriterionError
from kinds.tables import rows_of

from .simulated import KIND, MB, attempt, planned, run_of, trial_parameters
from .test_metrics import judge, level, own, writing

FRAMES: dict[str, Any] = {
    "bytes": MB,
    "count": 10_000,
    "needed": 6,
    "needed_at_end": 1,
    "dropped": [[1, 40], [2, 30], [4, 10], [8, 0]],
}
PACED = {"pace": "rate", "rate_bytes_per_s": [125 * MB]}


def losses(needed: int, *dropped: int, growing: bool = False) -> FrameLosses:
    of_each = [Loss(2**power, count) for power, count in enumerate(dropped)]
    return FrameLosses(MB, 100, needed, growing, of_each)


@pytest.mark.parametrize(
    ("criterion", "expected"),
    [
        ("dropped_at(1) <= 40", ("pass", [], 40)),
        ("dropped_at(4) <= 9", ("fail", [], 10)),
        ("dropped_at(6) <= 0", ("pass", [], 0)),
        ("dropped_at(1000) <= 0", ("pass", [], 0)),
        ("dropped_at(5) <= 10", ("pass", ["censored"], 10)),
        ("dropped_at(5) <= 9", ("inconclusive", ["censored"], 10)),
        ("frames.needed <= 6", ("pass", [], 6)),
        ("frames.needed < 6", ("fail", [], 6)),
    ],
)
def test_lost_frames_are_judged(criterion: str, expected: tuple[str, list[str], float]) -> None:
    test = writing(**PACED)
    one = attempt(own(test), level(10_000, 1e9), detail={"frames": FRAMES})
    assert judge(criterion, test, one) == expected


def test_a_storage_that_fell_behind_until_the_end_only_bounds_its_losses() -> None:
    test = writing(**PACED)
    overloaded = FRAMES | {"needed_at_end": 6}
    one = attempt(own(test), level(10_000, 1e9), detail={"frames": overloaded})
    assert judge("frames.needed <= 8", test, one)[:2] == ("inconclusive", ["censored"])
    assert judge("frames.needed <= 5", test, one)[:2] == ("fail", ["censored"])


@pytest.mark.parametrize(
    ("criterion", "outcome"),
    [
        ("dropped_at(8) <= 0", "inconclusive"),  # none was lost so far
        ("dropped_at(1000) <= 0", "inconclusive"),
        ("dropped_at(4) <= 10", "inconclusive"),
        ("dropped_at(4) <= 9", "fail"),  # those that were lost stay lost
        ("dropped_at(4) <= 11", "inconclusive"),
    ],
)
@pytest.mark.parametrize(
    "seen", [{"due_unfinished": 3}, {"frames": FRAMES | {"needed_at_end": 6}}], ids=["due", "grows"]
)
def test_frames_that_may_still_be_lost_or_arrive_decide_nothing(
    seen: dict[str, Any], criterion: str, outcome: str
) -> None:
    test = writing(**PACED)
    due = {"due_hist": [[0, 10_003]], "due_max_ns": 1000}
    backlog = {"backlog_max_bytes": 0, "backlog_end_bytes": 0}
    detail = due | backlog | {"frames": FRAMES} | seen
    one = attempt(own(test), level(10_000, 1e9), detail=detail)
    assert judge(criterion, test, one)[:2] == (outcome, ["censored"])


def test_a_longer_trial_of_a_storage_that_falls_behind_needs_more_frames_than_measured() -> None:
    test = writing(**PACED)
    one = attempt(own(test), level(10_000, 1e9), detail={"frames": FRAMES | {"needed_at_end": 6}})
    assert judge("frames.needed <= 6", test, one)[:2] == ("fail", ["censored"])


def test_the_page_cache_shows_no_losses_of_the_device() -> None:
    test = writing(cache="page", **PACED)
    one = attempt(own(test), level(10_000, 5e9), detail={"frames": FRAMES}, device=False)
    assert judge("dropped_at(8) <= 0", test, one)[:2] == ("inconclusive", ["cache_served"])


def test_without_a_rate_no_profile_may_limit_frames() -> None:
    metric = next(one for one in KIND.metrics if one.name == "dropped_at")
    assert "only pacing by a rate" in (metric.unavailable(writing().test, {"frames": 8}) or "")
    assert metric.unavailable(writing(**PACED).test, {"frames": 8}) is None


def test_spools_of_older_probes_have_no_frames() -> None:
    test = writing(**PACED)
    outcome, doubts, value = judge(
        "frames.needed <= 8", test, attempt(own(test), level(10_000, 1e9))
    )
    assert (outcome, doubts, value) == ("inconclusive", ["not_measured"], None)


def test_losses_of_participants_are_added_and_the_largest_memory_counts() -> None:
    both = merged_losses([losses(3, 7, 2, 0), losses(2, 5, 0, 0, growing=True)])
    assert both == FrameLosses(
        MB, 200, 3, growing=True, losses=[Loss(1, 12), Loss(2, 2), Loss(4, 0)]
    )
    assert merged_losses([losses(3, 7, 2, 0), None]) is None
    assert merged_losses([]) is None


def test_a_memory_between_two_simulated_ones_loses_at_most_what_the_smaller_one_does() -> None:
    found = losses(7, 9, 8, 4, 0)
    assert [lost_with(found, n) for n in (1, 3, 4, 5, 7, 9)] == [
        (9, True),
        (8, False),
        (4, True),
        (4, False),
        (0, True),
        (0, True),
    ]


def test_the_csv_has_the_losses_of_each_memory() -> None:
    test = planned(writing(**PACED).test)
    (cell,) = test.planned_cells
    one = attempt(trial_parameters(cell), level(10_000, 1e9), detail={"frames": FRAMES})
    result = KIND.judge(run_of(test, {cell.key: [[one]]}))
    (row,) = rows_of(result)
    assert (row["frames"], row["frames_needed"]) == ("10000", "6")
    assert (row["dropped_with_1"], row["dropped_with_8"], row["dropped_with_16"]) == ("40", "0", "")


@pytest.mark.parametrize("frames", ["0", "0.5", "1.5"])
def test_a_memory_that_holds_no_whole_frames_is_refused(frames: str) -> None:
    with pytest.raises(CriterionError, match="whole number"):
        checked(f"dropped_at({frames}) <= 0", [writing(**PACED).test])


def test_a_memory_below_the_smallest_loses_at_most_everything() -> None:
    assert lost_with(losses(3, 7, 2, 0), 0) == (100, False)

"""The metrics of sustained tests, judged with criteria as users write them."""

from typing import Any

import pytest
from assay.kinds.kind import AttemptRecord
from assay.kinds.sustained.estimate import PlannedSustained
from assay.kinds.sustained.presets import PRESETS
from assay.verdicts import criteria
from assay.verdicts.judging import Row, judge_run

from .simulated import KIND, MB, SECOND, attempt, planned, run_of, sustained, trial_parameters

BLOCK = MB
RATES = [preset.bytes_per_s for preset in PRESETS]
GB = 10**9


def writing(**given: Any) -> PlannedSustained:
    values = {"block": [BLOCK], "length": 10 * GB, "mark_bytes": 10 * MB, "cache": "direct"}
    return planned(sustained(**(values | given)))


def level(count: int, bytes_per_s: float) -> list[int]:
    return [round(BLOCK * SECOND / bytes_per_s)] * count


def judge(
    criterion: str, test: PlannedSustained, *attempts: AttemptRecord | None
) -> tuple[str, list[str], float | None]:
    """Return outcome, doubts and value of a criterion on a run with these repeats."""
    (key,) = (cell.key for cell in test.planned_cells)
    run = run_of(test, {key: [[one] for one in attempts]})
    rows: list[Row] = judge_run(KIND, test.parameters, KIND.judge(run), [criteria.parse(criterion)])
    (row,) = rows
    return row.outcome, [doubt.code for doubt in row.doubts], row.measured


def own(test: PlannedSustained) -> dict[str, Any]:
    return trial_parameters(test.planned_cells[0])


@pytest.mark.parametrize(
    ("criterion", "outcome", "doubts"),
    [
        ("durable.mean >= 900 MB/s", "pass", []),
        ("durable.mean >= 1100 MB/s", "fail", []),
        ("app.min >= 900 MB/s", "pass", []),
        ("write.p99 < 2 ms", "pass", []),
        ("write.p99 < 1 us", "fail", []),
        ("write.p99.999 < 2 ms", "inconclusive", ["too_few_operations"]),
        ("stall.max < 0.5 s", "pass", []),
        ("cliff.after > 9 GB", "pass", ["censored"]),
        ("cliff.after > 1 TB", "inconclusive", ["censored"]),
        ("slowdown < 5 %", "pass", []),
        ("repeat.cv < 5 %", "inconclusive", ["too_few_repeats"]),
    ],
)
def test_a_level_trial_is_judged_by_its_figures(
    criterion: str, outcome: str, doubts: list[str]
) -> None:
    test = writing(repeats=3)
    one = attempt(own(test), level(10_000, GB), rates=RATES)
    found = judge(criterion, test, one)
    assert found[0] == outcome, found
    assert set(doubts) <= set(found[1])


def test_three_equal_repeats_do_not_vary() -> None:
    test = writing(repeats=3)
    one = attempt(own(test), level(10_000, GB), rates=RATES)
    assert judge("repeat.cv < 5 %", test, one, one, one)[0] == "pass"


def test_a_cliff_fails_what_the_first_level_would_pass() -> None:
    test = writing()
    one = attempt(own(test), [*level(5000, GB), *level(5000, GB / 4)], rates=RATES)
    assert judge("app.min >= 900 MB/s", test, one)[0] == "fail"
    assert judge("cliff.after > 9 GB", test, one)[0] == "fail"
    assert judge("cliff.after > 4 GB", test, one)[0] == "pass"
    assert judge("slowdown < 5 %", test, one)[0] == "fail"
    outcome, doubts, _ = judge("app.mean >= 300 MB/s", test, one)
    assert (outcome, doubts) == ("inconclusive", ["cliff"])


def test_the_buffer_is_the_simulated_backlog() -> None:
    """A stall of 1 s at 1 Gb/s needs 125 MB."""
    test = writing()
    service = level(10_000, GB)
    service[5000] = SECOND
    one = attempt(own(test), service, rates=RATES)
    outcome, doubts, value = judge("buffer_at(1 Gb/s) <= 130 MB", test, one)
    assert (outcome, doubts, value) == ("pass", [], pytest.approx(125 * MB, rel=0.01))
    assert judge("buffer_at(1 Gb/s) <= 120 MB", test, one)[0] == "fail"


def test_a_rate_between_simulated_ones_has_bounds() -> None:
    test = writing()
    service = level(10_000, GB)
    service[5000] = SECOND
    one = attempt(own(test), service, rates=[100 * MB, 200 * MB])
    assert judge("buffer_at(150 MB/s) <= 250 MB", test, one)[0] == "pass"
    outcome, doubts, _ = judge("buffer_at(150 MB/s) <= 160 MB", test, one)
    assert (outcome, doubts) == ("inconclusive", ["censored"])


def test_a_rate_above_the_offered_one_was_not_tested() -> None:
    test = writing(pace="rate", rate_bytes_per_s=[125 * MB])
    applies = KIND.metrics[[one.name for one in KIND.metrics].index("buffer_at")]
    assert applies.unavailable(test.test, {"rate": 1.25e9})
    assert applies.unavailable(test.test, {"rate": 125e6}) is None


def test_the_page_cache_shows_no_buffer_and_carries_nothing() -> None:
    test = writing(cache="page")
    one = attempt(own(test), level(10_000, 5 * GB), rates=RATES, device=False)
    outcome, doubts, _ = judge("buffer_at(1 Gb/s) <= 1 GB", test, one)
    assert (outcome, doubts) == ("inconclusive", ["cache_served"])
    (key,) = (cell.key for cell in test.planned_cells)
    (cell,) = KIND.judge(run_of(test, {key: [[one]]})).cells
    assert {one.carried for one in cell.carry} <= {"no", "not_tested"}


def test_steady_state_needs_five_minutes() -> None:
    steady = next(one for one in KIND.metrics if one.name == "steady")
    assert steady.unavailable(writing(length="5 min").test, {})
    assert steady.unavailable(writing(length="6 min").test, {}) is None


def test_nothing_measured_is_inconclusive() -> None:
    assert judge("durable.mean >= 1 MB/s", writing(), None)[0] == "inconclusive"


def test_a_repeat_without_a_result_decides_nothing() -> None:
    test = writing(repeats=2)
    one = attempt(own(test), level(10_000, GB), rates=RATES)
    outcome, doubts, _ = judge("durable.mean >= 900 MB/s", test, one, None)
    assert (outcome, doubts) == ("inconclusive", ["interrupted"])
    assert judge("stall.max < 1 us", test, one, None)[0] == "fail", "it can only become longer"


def test_a_paced_trial_excludes_no_cliff() -> None:
    """The storage may have become slower than it was, but not than the pace."""
    test = writing(pace="rate", rate_bytes_per_s=[125 * MB])
    one = attempt(own(test), level(10_000, GB), rates=RATES)
    assert judge("cliff.after > 1 GB", test, one)[0] == "inconclusive"


def test_a_block_is_named_as_in_the_test_although_direct_io_rounds_it_up() -> None:
    test = writing(block=[800_000])
    assert test.blocks[0] > 800_000
    one = attempt(own(test), level(10_000, GB), rates=RATES)
    assert judge("durable.mean(block=800 kB) >= 500 MB/s", test, one)[0] == "pass"


def test_a_queue_that_grew_in_one_repeat_is_not_bounded_by_another() -> None:
    test = writing(repeats=2)
    stalled = level(10_000, GB)
    stalled[100] = 3 * SECOND
    slow = level(10_000, 120 * MB)
    good, bad = (attempt(own(test), of, rates=RATES) for of in (stalled, slow))
    assert judge("buffer_at(1 Gb/s) <= 500 MB", test, good, good)[0] == "pass"
    assert judge("buffer_at(1 Gb/s) <= 500 MB", test, good, bad)[0] != "pass"

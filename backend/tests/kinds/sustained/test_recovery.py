"""Recovery of simulated storage: planned rests, result, criteria, CSV and terminal."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest
from assay.kinds.run_record import AttemptRecord, RunRecord
from assay.kinds.sustained.estimate import PlannedSustained
from assay.runs.verdicts import criteria
from assay.runs.verdicts.applicability import checked
from assay.runs.verdicts.judging import judge_run
from kinds.tables import rows_of
from pydantic import ValidationError

from .simulated import KIND, MB, SECOND, attempt, planned, run_of, trial_parameters
from .test_metrics import level, writing

START = datetime(2026, 11, 1, tzinfo=UTC)
IDLES = [0, 5000, 10_000, 30_000]
FAST, SLOW = 1e9, 2.5e8


def resting(**given: Any) -> PlannedSustained:
    return writing(idle_ms=IDLES, **given)


def record(
    test: PlannedSustained, fast: list[int], *, late_s: float = 1, device: bool = True
) -> RunRecord:
    """Return a run whose trials take so many MB fast; each starts `late_s` after its rest."""
    cells, began, attempts = test.planned_cells, START, dict[str, list[list[AttemptRecord]]]()
    previous: AttemptRecord | None = None
    for cell, taken in zip(cells, fast, strict=True):
        if previous is not None:
            passed = (previous.durable_ns or 0) / SECOND + cell.idle_ms / 1000 + late_s
            began += timedelta(seconds=passed)
        service = [*level(taken, FAST), *level(10_000 - taken, SLOW)]
        one = attempt(trial_parameters(cell), service, device=device)
        previous = AttemptRecord(**(vars(one) | {"started_at": began}))
        attempts[cell.key] = [[previous]]
    return run_of(test, attempts)


def judge(criterion: str, test: PlannedSustained, run: RunRecord) -> tuple[str, float | None]:
    (row,) = judge_run(KIND, test.parameters, KIND.judge(run), [criteria.parse(criterion)])
    return row.outcome, row.measured


def test_rests_follow_each_other_in_the_given_order() -> None:
    test = resting(repeats=2, order="shuffled")
    assert [trial.parameters["idle_ms"] for trial in test.order()] == IDLES * 2
    assert test.parameters["order"] == "given"
    fields = [
        KIND.plan_fields(test.parameters, t.parameters, role="writer", direct=True)
        for t in test.order()
    ]
    assert [one["idle_ms"] for one in fields[:4]] == IDLES
    assert test.shortest_s - writing(repeats=8).shortest_s == pytest.approx(2 * 45)


def test_the_result_says_between_which_rests_the_storage_recovers() -> None:
    test = resting()
    found = KIND.judge(record(test, [4000, 0, 2000, 4000]))
    assert found.recovery is not None
    assert found.recovery.fast_bytes == pytest.approx(4000 * MB, rel=0.02)
    shares = [(round(one.rest_ns / SECOND), one.share) for one in found.recovery.rests]
    assert shares == [
        (6, 0),
        (11, pytest.approx(0.5, rel=0.05)),
        (31, pytest.approx(1, rel=0.02)),
    ]
    assert all(a.rest_ns < b.rest_ns for a, b in pairwise(found.recovery.rests))
    sentences = KIND.report(found.model_dump(mode="json")).sentences
    assert any(
        one.startswith("After 31") and "; 11" in one and one.endswith(" were not enough.")
        for one in sentences
    ), sentences
    assert found.sweet_spot is None, "rests are no paces"


@pytest.mark.parametrize(
    ("fast", "criterion", "outcome"),
    [
        ([4000, 0, 4000, 4000], "recovery.within <= 12 s", "pass"),
        ([4000, 0, 4000, 4000], "recovery.within <= 10 s", "inconclusive"),
        ([4000, 0, 0, 0], "recovery.within <= 20 s", "fail"),
        ([4000, 0, 0, 0], "recovery.within <= 60 s", "inconclusive"),
        ([10_000, 10_000, 10_000, 10_000], "recovery.within <= 60 s", "inconclusive"),
    ],
)
def test_recovery_is_judged(fast: list[int], criterion: str, outcome: str) -> None:
    test = resting()
    assert judge(criterion, test, record(test, fast))[0] == outcome


def test_a_rest_that_the_clock_contradicts_is_left_out() -> None:
    test = resting()
    found = KIND.judge(record(test, [4000, 0, 4000, 4000], late_s=-20))
    assert found.recovery is None


def test_a_single_idle_time_shows_no_recovery() -> None:
    test = writing(idle_ms=[5000], repeats=3)
    with pytest.raises(criteria.CriterionError, match="single idle time"):
        checked("recovery.within < 1 min", [test.test])
    (cell,) = test.planned_cells
    one = attempt(trial_parameters(cell), [*level(4000, FAST), *level(6000, SLOW)])
    assert KIND.judge(run_of(test, {cell.key: [[one], [one]]})).recovery is None


def test_a_criterion_names_the_cell_of_an_idle_time() -> None:
    test = resting()
    run = record(test, [4000, 0, 2000, 4000])
    assert judge("cliff.after(idle=30 s) > 3 GB", test, run)[0] == "pass"
    assert judge("app.mean(idle=5 s) <= 260 MB/s", test, run)[0] == "pass"
    with pytest.raises(criteria.CriterionError, match="idle times are"):
        checked("app.mean(idle=7 s) > 1 MB/s", [test.test])


def test_the_csv_has_the_idle_time_of_each_trial() -> None:
    run = record(resting(), [4000, 0, 2000, 4000])
    rows = rows_of(KIND.judge(run), run)
    assert [int(row["idle_ms"]) for row in rows] == IDLES


def test_the_page_cache_shows_no_recovery_of_the_device() -> None:
    test = resting(cache="page")
    run = record(test, [4000, 0, 4000, 4000], device=False)
    assert judge("recovery.within <= 1 min", test, run)[0] == "inconclusive"


def test_other_cells_between_two_trials_are_no_rest() -> None:
    test = planned(writing(idle_ms=[0, 10_000], block=[MB, 2 * MB], repeats=2).test)
    began, attempts = START, dict[str, list[list[AttemptRecord]]]()
    order = [cell for _ in range(2) for cell in test.planned_cells]
    trials: list[tuple[str, AttemptRecord]] = []
    for cell in order:
        count = 10_000 * MB // cell.block
        service = [cell.block * SECOND // 10**9] * (count // 2)
        service += [cell.block * SECOND // (25 * 10**7)] * (count // 2)
        one = attempt(trial_parameters(cell), service)
        began += timedelta(seconds=cell.idle_ms / 1000 + 1)
        trials.append((cell.key, AttemptRecord(**(vars(one) | {"started_at": began}))))
        began += timedelta(seconds=(one.durable_ns or 0) / SECOND)
    for key, one in trials:
        attempts.setdefault(key, []).append([one])
    run = run_of(test, attempts)
    by_place = {(trial.cell, trial.repeat): trial for trial in run.trials}
    in_time = [by_place[cell.key, 1 + place // 4] for place, cell in enumerate(order)]
    found = KIND.judge(replace(run, trials=in_time)).recovery
    assert found is not None
    assert {round(one.rest_ns / SECOND) for one in found.rests} == {11}, "one in each pass"
    assert len(found.rests) == 2


@pytest.mark.parametrize(
    ("given", "field"), [({"ramp_ms": 1000}, "ramp_ms"), ({"operation": "read"}, "idle_ms")]
)
def test_what_would_hide_the_recovery_is_refused(given: dict[str, Any], field: str) -> None:
    with pytest.raises(ValidationError) as refused:
        resting(**given)
    assert refused.value.errors()[0].get("ctx", {})["field"] == field

"""Caches and priorities that a test compares: cells, plan, contrast, criteria, CSV, old runs."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from assay.kinds.run_record import AttemptRecord, RunRecord
from assay.kinds.sustained.estimate import PlannedSustained, cautions, plan
from assay.kinds.sustained.figures import SustainedCell
from assay.kinds.sustained.result import SustainedResult
from assay.runs.verdicts import criteria
from assay.runs.verdicts.applicability import checked, meaning
from assay.runs.verdicts.judging import judge_run
from kinds.tables import rows_of

from .simulated import (
    KIND,
    attempt,
    place,
    planned,
    read_attempt,
    run_of,
    sustained,
    trial_parameters,
)
from .test_metrics import level, writing
from .test_parameters import refusal

MB, GB = 10**6, 10**9
FOUR = ["normal", "high", "fifo", "rr"]


def measured(
    test: PlannedSustained, rates: Mapping[str, Sequence[float]], **given: Any
) -> SustainedResult:
    """Judge a run with these rates of the repeats of each mode, in bytes per second."""
    return KIND.judge(recorded(test, rates, **given))


def recorded(
    test: PlannedSustained, rates: Mapping[str, Sequence[float]], **given: Any
) -> RunRecord:
    """Return a run with these rates of the repeats of each mode, in bytes per second."""
    found: dict[str, list[list[AttemptRecord | None]]] = {}
    for cell in test.planned_cells:
        mode = cell.key.partition("~")[2]
        own = trial_parameters(cell)
        found[cell.key] = [[attempt(own, level(10_000, one), **given)] for one in rates[mode]]
    return run_of(test, found)


def by_mode(result: SustainedResult) -> dict[str, SustainedCell]:
    return {cell.key.partition("~")[2]: cell for cell in result.cells}


def test_a_single_word_is_a_list_of_one() -> None:
    old = sustained(cache="page", priority="fifo", io_priority="idle")
    assert (old.cache, old.priority, old.io_priority) == (["page"], ["fifo"], ["idle"])
    stored = planned(old).parameters | {"cache": "page", "cache_asked": "page", "priority": "rr"}
    resolved = KIND.resolved.model_validate({"kind": "sustained", **stored})
    assert resolved.model_dump()["priority"] == ["rr"]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"priority": []}, "at least 1 item"),
        ({"priority": ["high", "high"]}, "more than once"),
        ({"cache": ["page", "sync"]}, "'direct'"),
        ({"cache": ["page", "direct", "direct_if_real"]}, "at most 2 items"),
    ],
)
def test_an_empty_repeated_or_unknown_mode_is_refused(given: dict[str, Any], words: str) -> None:
    assert words in refusal(**given)["error"]["msg"]


def test_each_combination_is_a_cell_and_the_probe_is_told_its_own() -> None:
    test = planned(sustained(cache=["direct", "page"], priority=["normal", "rr"]))
    assert [cell.key for cell in test.planned_cells] == [
        f"800256~{cache}~{priority}"
        for cache in ("direct", "page")
        for priority in ("normal", "rr")
    ]
    assert test.test.cells == test.cells == 4
    told = [
        KIND.plan_fields(test.parameters, trial_parameters(cell), role="writer", direct=True)
        for cell in test.planned_cells
    ]
    assert [(one["cache"], one["priority"], one["io_priority"]) for one in told] == [
        ("direct", "normal", "default"),
        ("direct", "rr", "default"),
        ("page", "normal", "default"),
        ("page", "rr", "default"),
    ]


def test_two_caches_that_are_the_same_at_a_target_are_refused() -> None:
    test = sustained(cache=["direct_if_real", "page"])
    _, problems = plan(0, test, place(direct="buffered"), lambda _, field: field)
    (problem,) = problems
    assert problem.field == "cache"
    assert "both use the page cache on web-1 /mnt/a" in problem.message
    assert problem.remedy == 'Use only "page".', "direct I/O is not real there either"
    assert plan(0, test, place(), lambda _, field: field)[1] == []


def test_the_cells_of_both_caches_have_the_same_block() -> None:
    test = planned(sustained(cache=["page", "direct"], block=[800_000]))
    assert {cell.block for cell in test.planned_cells} == {800_256}


def test_each_needed_permission_is_said_once_and_an_ignored_priority_where_it_is() -> None:
    test = sustained(priority=FOUR, io_priority=["default", "low"], cache=["page", "direct"])
    found = {one.code: one.message for one in cautions(planned(test))}
    assert found["priority_permission"].count("RLIMIT_RTPRIO") == 1
    assert found["priority_permission"].count("RLIMIT_NICE") == 1
    assert "low has no effect on writes through the page cache" in found["io_priority_ignored"]


def test_cells_are_compared_with_the_first_mode_that_was_given() -> None:
    test = writing(priority=["high", "normal", "rr"], repeats=2)
    found = by_mode(
        measured(test, {"high": [GB, 1.01 * GB], "normal": [GB, 1.01 * GB], "rr": [5e8, 5.01e8]})
    )
    assert found["high"].contrast is None
    normal, slow = found["normal"].contrast, found["rr"].contrast
    assert normal and slow
    assert normal.cell == slow.cell == found["high"].key
    assert (normal.rate, round(normal.ratio, 3), normal.significant) == ("durable", 1.0, False)
    assert round(slow.ratio, 2) == 0.5
    assert slow.significant


def test_the_page_cache_is_not_compared_with_the_device_and_does_not_lead() -> None:
    test = writing(operation="read", cache=["direct", "page"])
    direct, page = test.planned_cells
    own = read_attempt(trial_parameters(direct), level(10_000, GB))
    cached = read_attempt(trial_parameters(page), level(10_000, 5 * GB), device_bytes=0)
    assert cached.result
    cached = replace(cached, result=dict(cached.result) | {"resident_pages": 1000})
    result = KIND.judge(run_of(test, {direct.key: [[own]], page.key: [[cached]]}))
    found = by_mode(result)
    sources = {name: cell.served_by and cell.served_by.application for name, cell in found.items()}
    assert {name: one and one.source for name, one in sources.items()} == {
        "direct": "device",
        "page": "page_cache",
    }
    assert result.leading_cell == direct.key
    (told,) = [one.message for one in result.warnings if one.code == "served_by_page_cache"]
    assert "in 1 of 2 cells (page cache)" in told
    assert found["page"].contrast is None
    assert result.headline
    assert result.headline.figure
    assert result.headline.figure.mode.cache == "direct"


def test_priorities_are_compared_within_a_cache_and_caches_with_the_first_priority() -> None:
    test = writing(cache=["direct", "page"], priority=["normal", "rr"])
    rates = {
        f"{cache}~{priority}": [GB] for cache in ("direct", "page") for priority in ("normal", "rr")
    }
    result = measured(test, rates)
    found = by_mode(result)
    bases = {
        name: cell.contrast and cell.contrast.cell.partition("~")[2] for name, cell in found.items()
    }
    assert bases == {
        "direct~normal": None,
        "direct~rr": "direct~normal",
        "page~normal": "direct~normal",
        "page~rr": "page~normal",
    }
    report = KIND.report(result.model_dump(mode="json"))
    column = list(report.columns).index("ratio")
    assert "1.00 to page cache, normal priority (within noise)" in [
        row[column] for row in report.rows
    ]


def test_each_cache_has_its_own_cliff_and_only_the_direct_one_is_durable() -> None:
    test = writing(cache=["direct", "page"])
    falls = [*level(5000, GB), *level(5000, GB / 5)]
    found = KIND.judge(
        run_of(
            test,
            {cell.key: [[attempt(trial_parameters(cell), falls)]] for cell in test.planned_cells},
        )
    )
    (told,) = [one.message for one in found.warnings if one.code == "cliff"]
    assert told.startswith("In 2 of 2 cells (page cache; direct I/O): 1.00 GB/s for")
    cliffs = {key: cell.trials[0].levels for key, cell in by_mode(found).items()}
    assert cliffs["direct"] and cliffs["page"]
    assert (cliffs["direct"].durable, cliffs["page"].durable) == (True, False)


def test_a_cell_whose_both_rates_vary_is_counted_once() -> None:
    test = writing(cache=["direct", "page"], repeats=2)
    found = measured(test, {"direct": [GB, GB / 2], "page": [GB, GB]})
    (told,) = [one for one in found.warnings if one.code == "unstable"]
    assert told.message.startswith("In 1 of 2 cells (direct I/O): ")
    assert told.rate is None


@pytest.mark.parametrize(
    ("criterion", "outcome"),
    [
        ("app.mean(priority=normal) >= 900 MB/s", "pass"),
        ("app.mean(priority=rr) >= 900 MB/s", "fail"),
        ("stall.max(priority=normal) < 1.5 ms", "pass"),
        ("stall.max(priority=rr) < 1.5 ms", "fail"),
    ],
)
def test_a_criterion_names_the_cell_of_a_priority(criterion: str, outcome: str) -> None:
    test = writing(priority=["normal", "rr"])
    result = measured(test, {"normal": [GB], "rr": [GB / 2]})
    (row,) = judge_run(KIND, test.parameters, result, [criteria.parse(criterion)])
    assert row.outcome == outcome
    assert str(criteria.parse(criterion)) == criterion


@pytest.mark.parametrize(
    ("criterion", "given", "reason", "alternatives"),
    [
        ("app.mean(priority=urgent) > 1 B/s", {}, "priority cannot be urgent", FOUR),
        ("app.mean(priority=3) > 1 B/s", {}, "priority cannot be 3", FOUR),
        ("app.mean(block=page) > 1 B/s", {}, "block is a size, not a word", None),
        ("app.mean(cache=page) > 1 B/s", {}, "it does not compare caches: omit cache", None),
        (
            "app.mean(priority=rr) > 1 B/s",
            {"priority": ["normal", "high"]},
            "its CPU priorities are normal and high",
            None,
        ),
        (
            "app.mean(block=1 MB) > 1 B/s",
            {"priority": ["normal", "rr"]},
            "it has several such cells: give priority, too",
            None,
        ),
    ],
)
def test_a_mode_that_is_unknown_or_not_compared_is_refused(
    criterion: str, given: dict[str, Any], reason: str, alternatives: list[str] | None
) -> None:
    with pytest.raises(criteria.CriterionError) as refused:
        checked(criterion, [writing(**given).test])
    assert reason in refused.value.reason
    if alternatives is not None:
        assert list(refused.value.alternatives) == alternatives


def test_direct_if_real_beside_the_page_cache_can_only_be_direct() -> None:
    test = sustained(cache=["page", "direct_if_real"])
    found = checked("durable.mean(cache=direct) >= 1 GB/s", [test])
    assert meaning(found) == "The mean durable rate (cache direct) is at least 1 GB/s."


def test_the_csv_and_the_report_name_the_mode_of_each_cell() -> None:
    test = writing(priority=["normal", "fifo"], repeats=2)
    run = recorded(test, {"normal": [GB, GB], "fifo": [GB / 2, GB / 2]})
    result = KIND.judge(run)
    rows = rows_of(result, run)
    assert {(row["cache"], row["priority"], row["io_priority"]) for row in rows} == {
        ("direct", "normal", "default"),
        ("direct", "fifo", "default"),
    }
    report = KIND.report(result.model_dump(mode="json"))
    column = list(report.columns).index("÷ normal priority")
    assert [row[0].partition(", ")[2] for row in report.rows] == ["normal priority", "SCHED_FIFO"]
    assert [row[column] for row in report.rows] == ["", "0.500"]
    assert "normal priority" in report.sentences[0]


def test_the_report_names_the_mode_of_the_sweet_spot() -> None:
    test = writing(block=[MB, 2 * MB], priority=["normal", "fifo"], peak_limit_ns=3 * MB)
    result = measured(test, {"normal": [GB / 4], "fifo": [GB / 2]})
    (headline, *_) = KIND.report(result.model_dump(mode="json")).sentences
    assert "; sweet spot 1.00 GB/s (SCHED_FIFO) with a peak write time of 2.00 ms." in headline


def test_rests_of_several_modes_follow_each_other_within_each() -> None:
    test = planned(sustained(idle_ms=[0, 1000], priority=["normal", "high"]))
    assert [(one.parameters["priority"], one.parameters["idle_ms"]) for one in test.order()] == [
        ("normal", 0),
        ("normal", 1000),
        ("high", 0),
        ("high", 1000),
    ]

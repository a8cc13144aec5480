"""The metrics of sustained tests, judged with criteria as users write them."""

from typing import Any

import pytest
from assay.analysis import histogram
from assay.kinds.run_record import AttemptRecord, RunRecord
from assay.kinds.sustained.estimate import PlannedSustained
from assay.kinds.sustained.presets import PRESETS
from assay.runs.verdicts import criteria
from assay.runs.verdicts.applicability import checked
from assay.runs.verdicts.judging import Row, judge_run

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
        ("level", "pass", []),
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


def test_a_criterion_without_a_cell_names_the_leading_one_and_how_many_there_are() -> None:
    test = writing(block=[BLOCK, 2 * BLOCK])
    small, large = (trial_parameters(cell) for cell in test.planned_cells)
    trials = {
        cell.key: [[attempt(fields, level(5000, rate), rates=RATES)]]
        for cell, fields, rate in zip(test.planned_cells, (small, large), (GB / 2, GB), strict=True)
    }
    given = ["durable.mean >= 900 MB/s", "stall.max < 1 s", "durable.mean(block=1 MB) >= 900 MB/s"]
    result = KIND.judge(run_of(test, trials))
    lead, every, named = judge_run(
        KIND, test.parameters, result, [criteria.parse(one) for one in given]
    )
    assert (lead.outcome, lead.of_cells, lead.evidence.cell) == ("pass", 2, "1953.5 KiB blocks")
    assert (every.outcome, every.of_cells) == ("pass", None)
    assert (named.outcome, named.of_cells, named.evidence.cell) == ("fail", 1, "977 KiB blocks")


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


def test_a_cliff_a_decline_and_a_sawtooth_are_not_level() -> None:
    test = writing()
    for service in (
        [*level(5000, GB), *level(5000, GB / 4)],
        [round(SECOND / 1000 / (1 - at / 15_000)) for at in range(10_000)],
        [round(SECOND / 1000 / (1 - at % 1000 / 1500)) for at in range(10_000)],
    ):
        assert judge("level", test, attempt(own(test), service))[0] == "fail"


def test_a_paced_test_does_not_show_whether_the_storage_is_level() -> None:
    (metric,) = (one for one in KIND.metrics if one.name == "level")
    paced = writing(pace="rate", rate_bytes_per_s=[125 * MB])
    assert "paced" in (metric.unavailable(paced.test, {}) or "")
    assert metric.unavailable(writing().test, {}) is None


def test_a_trial_that_is_too_short_to_show_changes_is_not_level() -> None:
    test = writing()
    outcome, doubts, _ = judge("level", test, attempt(own(test), level(3000, GB)))
    assert (outcome, doubts) == ("inconclusive", ["not_measured"])


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


@pytest.mark.parametrize(
    ("unfinished", "below", "above"),
    [
        (0, ("pass", []), ("fail", [])),
        (7, ("inconclusive", ["censored"]), ("fail", ["censored"])),
    ],
)
def test_writes_that_had_not_returned_make_due_latencies_a_lower_bound(
    unfinished: int, below: tuple[str, list[str]], above: tuple[str, list[str]]
) -> None:
    test = writing(pace="rate", rate_bytes_per_s=[125 * MB])
    service = level(10_000, GB)
    seen = {
        "due_hist": [[histogram.index(SECOND // 10), 10_000 + unfinished]],
        "due_max_ns": SECOND // 10,
        "due_unfinished": unfinished,
        "backlog_max_bytes": 0,
        "backlog_end_bytes": 0,
    }
    one = attempt(own(test), service, detail=seen)
    assert judge("due.p99 < 200 ms", test, one)[:2] == below
    assert judge("due.p99 < 50 ms", test, one)[:2] == above


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


def sweep(**given: Any) -> tuple[PlannedSustained, RunRecord]:
    """Return a sweep and its run, whose n-th cell writes n × 100 blocks of 1 or 2 MB a second."""
    test = writing(**given)
    cells = {
        cell.key: [[attempt(trial_parameters(cell), level(10_000, number * 100 * MB), rates=RATES)]]
        for number, cell in enumerate(test.planned_cells, start=1)
    }
    return test, run_of(test, cells)


@pytest.mark.parametrize(
    ("given", "criterion", "measured"),
    [
        (
            {"pace": "burst", "burst_blocks": [1, 2, 4]},
            "app.mean(burst=2) > 1 B/s",
            200 * MB,
        ),
        (
            {"pace": "rate", "rate_bytes_per_s": [125 * MB, 250 * MB]},
            "app.mean(rate=125 MB/s) > 1 B/s",
            100 * MB,
        ),
        (
            {"pace": "rate", "rate_bytes_per_s": [125 * MB, 250 * MB]},
            "app.mean(rate=2 Gb/s) > 1 B/s",
            200 * MB,
        ),
        (
            {"block": [MB, 2 * MB], "pace": "burst", "burst_blocks": [1, 2]},
            "app.mean(burst=1, block=2 MB) > 1 B/s",
            600 * MB,
        ),
        ({"block": [MB, 2 * MB]}, "app.mean(2 MB) > 1 B/s", 400 * MB),
    ],
)
def test_a_criterion_names_a_cell_of_a_sweep_by_block_rate_and_burst(
    given: dict[str, Any], criterion: str, measured: float
) -> None:
    test, run = sweep(cache="page", **given)
    (row,) = judge_run(KIND, test.parameters, KIND.judge(run), [criteria.parse(criterion)])
    assert row.measured == pytest.approx(measured, rel=0.01)
    named = {"block", "rate_bytes_per_s" if test.test.pace == "rate" else "burst_blocks"}
    assert set(row.evidence.parameters) == ({"block"} if test.test.pace == "none" else named)


def test_the_longest_write_may_be_that_of_all_cells_with_a_burst() -> None:
    test, run = sweep(
        block=[MB, 2 * MB], pace="burst", burst_blocks=[1, 2], cache="page", order="given"
    )
    (row,) = judge_run(
        KIND, test.parameters, KIND.judge(run), [criteria.parse("stall.max(burst=2) < 1 s")]
    )
    assert row.measured == pytest.approx(SECOND / 200, rel=0.01)


def test_a_buffer_names_its_cell_by_the_pace_beside_the_rate_of_arrival() -> None:
    test, run = sweep(pace="rate", rate_bytes_per_s=[125 * MB, 250 * MB])
    text = "buffer_at(rate=1 Gb/s, pace=250 MB/s) <= 1 GB"
    (row,) = judge_run(KIND, test.parameters, KIND.judge(run), [criteria.parse(text)])
    assert row.evidence.parameters["rate_bytes_per_s"] == 250 * MB
    with pytest.raises(criteria.CriterionError, match="offers at most 125 MB/s"):
        checked("buffer_at(2 Gb/s, pace=125 MB/s) <= 1 GB", [test.test])


@pytest.mark.parametrize(
    ("given", "criterion", "why"),
    [
        (
            {"pace": "burst", "burst_blocks": [1, 2]},
            "app.mean(burst=3) > 1 B/s",
            "have 1, 2 blocks",
        ),
        ({"pace": "burst"}, "app.mean(rate=1 GB/s) > 1 B/s", "no rate paces"),
        ({}, "app.mean(burst=1) > 1 B/s", "not paced by bursts"),
        (
            {"pace": "rate", "rate_bytes_per_s": [125 * MB]},
            "app.mean(rate=1 GB/s) > 1 B/s",
            "its rates are 125 MB/s",
        ),
        ({}, "app.mean(block=3 MB) > 1 B/s", "its blocks are 1.00 MB"),
        (
            {"block": [MB, 2 * MB], "pace": "burst", "burst_blocks": [1, 2]},
            "app.mean(burst=1) > 1 B/s",
            "several such cells: give block, too",
        ),
    ],
)
def test_a_cell_that_the_sweep_does_not_have_is_refused_with_those_that_it_has(
    given: dict[str, Any], criterion: str, why: str
) -> None:
    with pytest.raises(criteria.CriterionError, match=why):
        checked(criterion, [writing(**given).test])


def test_an_unknown_axis_is_refused_at_its_position_with_the_known_ones() -> None:
    with pytest.raises(criteria.CriterionError) as refused:
        checked("app.mean(block=1 MB, gap=40 ms) > 1 B/s", [writing().test])
    assert refused.value.reason == "app.mean has no argument gap"
    assert refused.value.position == "app.mean(block=1 MB, gap=40 ms)".index("gap")
    axes = ("block", "depth", "rate", "burst", "idle", "cache", "priority", "io_priority")
    assert refused.value.alternatives == axes


def test_a_queue_that_grew_in_one_repeat_is_not_bounded_by_another() -> None:
    test = writing(repeats=2)
    stalled = level(10_000, GB)
    stalled[100] = 3 * SECOND
    slow = level(10_000, 120 * MB)
    good, bad = (attempt(own(test), of, rates=RATES) for of in (stalled, slow))
    assert judge("buffer_at(1 Gb/s) <= 500 MB", test, good, good)[0] == "pass"
    assert judge("buffer_at(1 Gb/s) <= 500 MB", test, good, bad)[0] != "pass"


def test_a_rate_between_one_that_is_carried_and_one_that_is_not_needs_no_known_buffer() -> None:
    """At 100 MB/s, 95 MB/s are carried and 110 MB/s are not."""
    test = writing()
    one = attempt(own(test), level(10_000, 100 * MB), rates=[95 * MB, 110 * MB])
    assert judge("buffer_at(95 MB/s) <= 2 GB", test, one)[0] == "pass"
    outcome, doubts, _ = judge("buffer_at(105 MB/s) <= 2 GB", test, one)
    assert (outcome, doubts) == ("inconclusive", ["censored"])


def test_an_abandoned_write_counts_with_the_time_that_it_had_taken() -> None:
    """Of 1,000 writes of a millisecond, the last never returned: nothing hides its minute."""
    test = writing()
    hung = attempt(own(test), level(1000, 1e9), detail={"unreturned": [60 * SECOND]})
    (cell,) = KIND.judge(run_of(test, {test.planned_cells[0].key: [[hung]]})).cells
    (trial,) = cell.trials
    assert (trial.peak_ns, trial.stall_ns, trial.unreturned) == (60 * SECOND, 60 * SECOND, 1)
    assert cell.peak_ns == 60 * SECOND
    assert judge("stall.max < 30 s", test, hung)[::2] == ("fail", 60 * SECOND)
    assert judge("stall.max < 90 s", test, hung)[:2] == ("inconclusive", ["censored"])
    assert judge("write.p99 < 30 s", test, hung)[:2] == ("inconclusive", ["censored"])


def test_an_abandoned_write_is_among_the_limitations() -> None:
    test = writing()
    hung = attempt(own(test), level(1000, 1e9), detail={"unreturned": [60 * SECOND]})
    found = KIND.judge(run_of(test, {test.planned_cells[0].key: [[hung]]})).warnings
    [message] = [one.message for one in found if one.code == "unreturned"]
    assert message == (
        "One write never returned and had to be abandoned after 60.0 s: the latencies are "
        "lower bounds."
    )


def carried(test: PlannedSustained, one: AttemptRecord, label: str) -> str:
    """Return the answer of the table "Will it carry" for a preset."""
    (cell,) = KIND.judge(run_of(test, {test.planned_cells[0].key: [[one]]})).cells
    return next(row.carried for row in cell.carry if row.label == label)


def test_a_buffer_does_not_pass_at_a_rate_that_the_storage_does_not_carry() -> None:
    """An early stall needs 1.25 GB; the last tenth is slower than the rate, and queues 0.25 GB."""
    test = writing()
    late_cliff = level(9000, GB) + level(1000, 100 * MB)
    late_cliff[100] = 10 * SECOND
    one = attempt(own(test), late_cliff, rates=RATES)
    assert carried(test, one, "1 Gb/s") == "no"
    outcome, doubts, _ = judge("buffer_at(1 Gb/s) <= 2 GB", test, one)
    assert (outcome, doubts) == ("inconclusive", ["censored"])
    assert judge("buffer_at(1 Gb/s) <= 1 GB", test, one)[0] == "fail"
    below, above = ("buffer_at(99 MB/s) <= 2 GB", "buffer_at(101 MB/s) <= 2 GB")
    assert (judge(below, test, one)[0], judge(above, test, one)[0]) == ("pass", "inconclusive")


def test_a_buffer_does_not_pass_at_a_rate_whose_backlog_had_not_drained() -> None:
    """Of 16 streams one may grow without end: 40 blocks of 200 are left of it."""
    test = writing(streams=16)
    queues = {"backlogs": [[rate, 200 * BLOCK, 40 * BLOCK, SECOND] for rate in RATES]}
    drained = {"backlogs": [[rate, 200 * BLOCK, 10 * BLOCK, SECOND] for rate in RATES]}
    grown, passed = (
        attempt(own(test), level(10_000, GB), detail=detail) for detail in (queues, drained)
    )
    assert carried(test, grown, "1 Gb/s") == "undecided"
    assert judge("buffer_at(1 Gb/s) <= 1 GB", test, grown)[0] == "inconclusive"
    assert carried(test, passed, "1 Gb/s") == "buffered"
    assert judge("buffer_at(1 Gb/s) <= 1 GB", test, passed)[0] == "pass"

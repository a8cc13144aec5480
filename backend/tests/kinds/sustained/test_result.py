import json
import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from assay.analysis.throughput import Intervals
from assay.kinds.figures import headline_value
from assay.kinds.run_record import AttemptRecord
from assay.kinds.scaling import efficiency
from assay.kinds.sustained.estimate import PlannedSustained
from assay.kinds.sustained.presets import PRESETS
from assay.kinds.sustained.result import SustainedResult
from kinds.tables import rows_of

from .simulated import (
    KIND,
    MB,
    SECOND,
    attempt,
    doubled,
    planned,
    run_of,
    site,
    sustained,
    trial_parameters,
)

BLOCK = MB
RATES = [preset.bytes_per_s for preset in PRESETS]


def unpaced(**given: Any) -> PlannedSustained:
    return planned(
        sustained(block=[BLOCK], length=10 * 10**9, mark_bytes=10 * MB, cache="page", **given)
    )


def writes(count: int, bytes_per_s: float, seed: int = 1) -> list[int]:
    """Return service times of blocks at this rate, with 5 % noise."""
    chance = random.Random(seed)
    each = BLOCK * SECOND / bytes_per_s
    return [round(each * max(0.5, chance.gauss(1, 0.05))) for _ in range(count)]


def judged(test: PlannedSustained, *attempts: AttemptRecord) -> SustainedResult:
    (key,) = (cell.key for cell in test.planned_cells)
    return KIND.judge(run_of(test, {key: [[one] for one in attempts]}))


def own(test: PlannedSustained) -> dict[str, Any]:
    return trial_parameters(test.planned_cells[0])


def test_a_steady_trial_has_one_rate_and_no_cliff_within_its_data() -> None:
    test = unpaced()
    found = judged(test, attempt(own(test), writes(10_000, 1e9), rates=RATES))
    (cell,) = found.cells
    (trial,) = cell.trials
    assert trial.levels is None
    assert trial.no_cliff_within_bytes == 10 * 10**9
    assert cell.durable
    assert cell.durable.mean == pytest.approx(1e9, rel=0.01)
    assert found.headline
    assert found.headline.figure
    assert found.headline.figure.no_cliff_within_bytes == 10 * 10**9
    assert found.headline_levels is None


@pytest.mark.parametrize("falls_at", [1500, 6000, 10_800])
def test_a_cliff_is_found_where_it_is_although_marks_double(falls_at: int) -> None:
    """The trial has 3,900 marks of 1 to 32 MB, so later ones are coarse."""
    test = planned(sustained(block=[BLOCK], length=12 * 10**9, mark_bytes=MB, cache="direct"))
    service = [*writes(falls_at, 1e9), *writes(12_000 - falls_at, 2.5e8, seed=2)]
    one = doubled(attempt(own(test), service, rates=RATES), most=4000)
    assert one.marks
    assert max(one.marks.bytes) >= 16 * min(one.marks.bytes)
    (cell,) = judged(test, one).cells
    levels = cell.trials[0].levels
    assert levels
    fast, slow = levels.held
    assert slow.from_bytes == pytest.approx(falls_at * BLOCK, abs=0.02 * 12e9)
    assert fast.bytes_per_s == pytest.approx(1e9, rel=0.03)
    assert slow.bytes_per_s == pytest.approx(2.5e8, rel=0.03)
    by_key = {row.key: row.carried for row in cell.carry}
    assert (by_key["10g"], by_key["oc12"]) == ("no", "yes")


def test_a_steady_trial_whose_marks_double_has_no_cliff_and_no_shape() -> None:
    test = planned(sustained(block=[BLOCK], length=12 * 10**9, mark_bytes=MB, cache="direct"))
    one = doubled(attempt(own(test), writes(12_000, 1e9), rates=RATES), most=4000)
    (cell,) = judged(test, one).cells
    trial = cell.trials[0]
    assert (trial.levels, trial.shape) == (None, None)
    assert trial.no_cliff_within_bytes == pytest.approx(12e9, rel=0.01)
    assert trial.slow_down
    assert abs(trial.slow_down.share) < 0.02


def test_a_cliff_is_named_with_its_levels_and_no_mean() -> None:
    test = unpaced()
    service = [*writes(2000, 300 * 2**20), *writes(2000, 40 * 2**20)]
    found = judged(test, attempt(own(test), service, rates=RATES))
    (trial,) = found.cells[0].trials
    assert trial.levels
    fast, slow = trial.levels.held
    assert slow.from_bytes == pytest.approx(2e9, rel=0.02)
    assert fast.bytes_per_s == pytest.approx(300 * 2**20, rel=0.03)
    assert slow.bytes_per_s == pytest.approx(40 * 2**20, rel=0.03)
    assert trial.no_cliff_within_bytes is None
    assert found.headline_levels
    (told,) = (one.message for one in found.warnings if one.code == "cliff")
    assert told == "314 MB/s for 6.36 s (2.00 GB), then 41.9 MB/s."


def test_the_level_after_a_cliff_decides_which_rates_are_carried() -> None:
    test = unpaced()
    service = [*writes(8000, 2e9), *writes(2000, 1e8)]
    carry = {
        one.key: one
        for one in judged(test, attempt(own(test), service, rates=RATES)).cells[0].carry
    }
    assert carry["oc12"].carried == "yes"  # 77.8 MB/s
    assert carry["1g"].carried == "no"  # 125 MB/s, below the mean over both levels
    assert carry["1g"].decides
    assert carry["1g"].decides.begin_bytes == pytest.approx(8e9, rel=0.02)
    assert carry["1g"].margin == pytest.approx(-0.2, abs=0.02)


def test_a_stall_needs_a_buffer_that_is_exact_for_every_preset() -> None:
    test = unpaced()
    service = writes(10_000, 1e9)
    service[5000] = 2 * SECOND
    cell = judged(test, attempt(own(test), service, rates=RATES)).cells[0]
    row = next(one for one in cell.carry if one.key == "1g")
    assert row.carried == "buffered"
    assert row.exact
    assert row.buffer_most_bytes == pytest.approx(250 * MB, rel=0.02)
    assert row.by_peak_bytes == 250 * MB
    assert row.decides
    assert row.decides.begin_bytes <= 5_001 * MB <= row.decides.end_bytes + MB
    assert cell.peak_ns == 2 * SECOND
    assert cell.slowest[0].ns == 2 * SECOND
    assert cell.slowest[0].offset == 5000 * MB


def test_unpaced_buffers_are_called_pessimistic() -> None:
    test = unpaced()
    found = judged(test, attempt(own(test), writes(10_000, 1e9), rates=RATES))
    assert "pessimistic" in {one.code for one in found.warnings}


def test_rates_above_a_paced_trial_are_not_tested() -> None:
    test = unpaced(pace="rate", rate_bytes_per_s=[125 * MB])
    found = judged(test, attempt(own(test), writes(10_000, 1e9), rates=RATES))
    carry = {one.key: one.carried for one in found.cells[0].carry}
    assert carry["1g"] == "yes"
    assert carry["10g"] == "not_tested"
    assert "pessimistic" not in {one.code for one in found.warnings}


def test_the_ramp_up_is_in_no_figure() -> None:
    test = unpaced()
    slow_start = [*writes(1000, 1e8), *writes(9000, 1e9)]
    found = judged(test, attempt(own(test), slow_start, ramp=1000, rates=RATES))
    (trial,) = found.cells[0].trials
    assert trial.application_bytes_per_s == pytest.approx(1e9, rel=0.01)
    assert trial.levels is None
    assert trial.ramp_bytes == 1000 * MB


def test_a_ring_excludes_a_cliff_only_within_its_footprint() -> None:
    test = unpaced(file_mode="ring", file_size=10**9)
    one = attempt(own(test), writes(10_000, 1e9), detail={"footprint_bytes": 2 * 10**9})
    found = judged(test, one)
    assert found.cells[0].trials[0].no_cliff_within_bytes == 2 * 10**9
    assert "ring_footprint" in {one.code for one in found.warnings}


def test_a_decline_and_a_sawtooth_are_named_and_are_no_cliffs() -> None:
    test = unpaced()
    chance = random.Random(5)

    def over(level: Any) -> list[int]:
        return [
            round(BLOCK / (level(at) * 1e9 * max(0.5, chance.gauss(1, 0.05))) * SECOND)
            for at in range(10_000)
        ]

    decline = judged(test, attempt(own(test), over(lambda at: 1 - at / 15_000)))
    saw = judged(test, attempt(own(test), over(lambda at: 1 - (at % 1000) / 1500)))
    for found, name in ((decline, "decline"), (saw, "sawtooth")):
        (trial,) = found.cells[0].trials
        assert trial.shape
        assert trial.shape.shape == name
        assert trial.levels is None
        assert name in {one.code for one in found.warnings}
        assert found.headline
        assert found.headline.figure
        assert found.headline.figure.shape == trial.shape
        (headline, *_) = KIND.report(found.model_dump()).sentences
        assert name in headline
        (row,) = rows_of(found)
        assert row["shape"] == name
        assert float(row["shape_change_share"]) == pytest.approx(trial.shape.change)


def test_a_final_sync_that_moves_the_data_makes_the_durable_rate_lower() -> None:
    test = unpaced()
    one = attempt(own(test), writes(10_000, 2e9), sync_ns=15 * SECOND, device=False)
    found = judged(test, one)
    cell = found.cells[0]
    assert cell.application
    assert cell.durable
    assert cell.application.mean == pytest.approx(2e9, rel=0.01)
    assert cell.durable.mean == pytest.approx(5e8, rel=0.01)
    assert cell.served_by
    assert cell.served_by.application
    assert cell.served_by.application.source == "page_cache"
    assert "served_by_page_cache" in {one.code for one in found.warnings}


def test_repeats_have_mean_median_worst_and_an_interval() -> None:
    test = unpaced(repeats=3)
    three = [attempt(own(test), writes(10_000, rate, n)) for n, rate in enumerate((1e9, 9e8, 8e8))]
    found = judged(test, *three)
    stat = found.cells[0].durable
    assert stat
    assert stat.n == 3
    assert stat.median == pytest.approx(9e8, rel=0.01)
    assert stat.worst == pytest.approx(8e8, rel=0.01)
    assert stat.interval
    assert stat.interval.low < stat.mean < stat.interval.high
    assert found.cells[0].shown_trial_id == 2
    assert "unstable" in {flag.code for flag in found.cells[0].flags}


def test_the_sweet_spot_of_a_sweep_is_the_fastest_below_the_peak_limit() -> None:
    test = planned(
        sustained(
            block=[BLOCK],
            mark_bytes=10 * MB,
            pace="burst",
            burst_blocks=[1, 2, 4],
            cache="page",
            peak_limit_ns=100 * MB,
        )
    )
    peaks = {1: 10 * MB, 2: 50 * MB, 4: 400 * MB}
    attempts: dict[str, Sequence[Sequence[AttemptRecord]]] = {}
    for cell in test.planned_cells:
        service = writes(5000, 1e8 * cell.burst_blocks, cell.burst_blocks)
        service[777] = peaks[cell.burst_blocks]
        attempts[cell.key] = [[attempt(trial_parameters(cell), service)]]
    found = KIND.judge(run_of(test, attempts))
    assert found.sweet_spot
    assert found.sweet_spot.burst_blocks == 2
    assert found.sweet_spot.peak_ns == 50 * MB
    assert [len(cell.slowest) for cell in found.cells] == [10, 10, 10]
    assert "no_repeats" in {one.code for one in found.warnings}


def test_several_participants_have_an_aggregate_and_shares() -> None:
    test = unpaced()
    parts = [
        attempt(own(test), writes(round(rate / 1e5), rate, n), rates=RATES)
        for n, rate in enumerate((1e9, 5e8))
    ]
    found = KIND.judge(run_of(test, {own_key(test): [parts]}, [site(1), site(2)]))
    (trial,) = found.cells[0].trials
    assert trial.application_bytes_per_s == pytest.approx(1.5e9, rel=0.02)
    assert [one.share for one in trial.participants] == pytest.approx([2 / 3, 1 / 3], rel=0.02)
    assert trial.slowest_participant_id == 2
    assert trial.fairness == pytest.approx(0.9, abs=0.01)
    carry = {row.key: row for row in found.cells[0].carry}
    fast, slow = carry["1g"], carry["10g"]
    assert (fast.carried, slow.carried) == ("yes", "no")
    # evenly the slowest decides: 2 x 500 MB/s; all together are 1.5 GB/s
    assert slow.margin == pytest.approx(1.0 / 1.25 - 1, abs=0.01)
    assert slow.aggregate_margin == pytest.approx(1.5 / 1.25 - 1, abs=0.01)
    assert slow.decides
    assert slow.decides.participant_id == 2
    assert fast.buffer_most_bytes is not None
    assert fast.buffer_most_bytes <= 2 * BLOCK
    (rate, *_) = (one.bytes_per_s for one in found.cells[0].backlogs)
    assert rate == 2 * min(RATES)


def test_participants_that_overlap_too_little_are_not_said_to_carry_anything() -> None:
    test = unpaced()
    parts = [
        attempt(own(test), writes(10_000, rate, n), rates=RATES)
        for n, rate in enumerate((1e9, 4e8))
    ]
    found = KIND.judge(run_of(test, {own_key(test): [parts]}, [site(1), site(2)]))
    assert {(row.carried, row.reason) for row in found.cells[0].carry} == {
        ("not_tested", "short_overlap")
    }


def own_key(test: PlannedSustained) -> str:
    return test.planned_cells[0].key


def test_a_run_without_results_has_no_headline() -> None:
    test = unpaced()
    found = KIND.judge(run_of(test, {own_key(test): [[None]]}))
    assert found.headline is None
    assert found.cells[0].state == "empty"
    assert KIND.outcome(found).best_trial_id is None


def test_a_short_trial_says_how_long_it_should_be() -> None:
    test = unpaced()
    found = judged(test, attempt(own(test), writes(500, 1e9)))
    assert found.headline
    assert found.headline.no_result == "too_short"
    (limit,) = (one for one in found.warnings if one.code == "too_short")
    assert "A length of" in limit.message


def test_the_latency_curve_reaches_only_shares_of_whole_operations() -> None:
    test = unpaced()
    curve = judged(test, attempt(own(test), writes(10_000, 1e9))).cells[0].latency
    assert [one.share for one in curve][-2:] == [0.9995, 1.0]
    assert all(one.ns <= other.ns for one, other in pairwise(curve))


def test_outcome_report_and_table_agree() -> None:
    test = unpaced()
    found = judged(test, attempt(own(test), writes(10_000, 1e9), rates=RATES))
    assert KIND.outcome(found).best_trial_id == 1
    assert headline_value(KIND, found) == found.best_bytes_per_s
    report = KIND.report(json.loads(found.model_dump_json()))
    assert report.rows[0][0] == "1 MB blocks"
    assert "no cliff within 10.0 GB" in report.sentences[0]
    assert any("1 Gb/s" in sentence for sentence in report.sentences)
    (row,) = rows_of(found)
    assert float(row["durable_bytes_per_s"]) == found.best_bytes_per_s


def test_buffered_is_compared_with_direct() -> None:
    test = unpaced(repeats=2)
    direct = judged(test, *(attempt(own(test), writes(10_000, 1e9, n)) for n in (1, 2)))
    buffered = judged(
        test,
        *(
            attempt(own(test), [*writes(3000, 2e9, n), *writes(7000, 2e8, n)], sync_ns=SECOND)
            for n in (3, 4)
        ),
    )
    found = KIND.compare([direct, buffered])
    first, second = found.runs
    assert {one.rate for one in found.runs} == {"durable"}
    assert first.ratio is None
    assert second.ratio is None, "a mean over both levels depends on the length"
    assert not second.significant
    assert second.levels
    assert second.slow_down == pytest.approx(0.79, abs=0.02)


def test_a_result_is_what_its_json_says() -> None:
    test = unpaced()
    found = judged(test, attempt(own(test), writes(10_000, 1e9), rates=RATES))
    assert SustainedResult.model_validate_json(found.model_dump_json()) == found


def overwritten(test: PlannedSustained) -> AttemptRecord:
    """Return an attempt that wrote a ring of 1 GB ten times, of which the sync wrote one."""
    footprint = {"footprint_bytes": 10**9}
    one = attempt(own(test), writes(10_000, 5e9), rates=RATES, detail=footprint)
    device = {"working_set_bytes": 10**9, "dev_app_bytes": 0, "dev_durable_bytes": 10**9}
    return replace(one, result={**(one.result or {}), **device})


def test_a_ring_overwritten_in_memory_has_no_durable_rate_and_carries_nothing() -> None:
    test = unpaced()
    (cell,) = judged(test, overwritten(test)).cells
    (trial,) = cell.trials
    assert trial.durable_bytes_per_s is None
    assert trial.application_bytes_per_s == pytest.approx(5e9, rel=0.01)
    assert cell.served_by and cell.served_by.application
    assert cell.served_by.application.source == "page_cache"
    assert {one.carried for one in cell.carry} <= {"no", "not_tested"}


def test_a_run_from_the_page_cache_does_not_compare_with_one_from_the_device() -> None:
    cached = unpaced()
    direct = planned(
        sustained(block=[BLOCK], length=10 * 10**9, mark_bytes=10 * MB, cache="direct")
    )
    slow = judged(direct, attempt(own(direct), writes(10_000, 1e9)))
    found = KIND.compare([slow, judged(cached, overwritten(cached))])
    assert {one.rate for one in found.runs} == {"application"}
    assert [run.served_by for run in found.runs] == ["device", "page_cache"]
    assert found.runs[1].ratio is None


def test_a_scale_out_doubts_rates_that_do_not_compare() -> None:
    test = unpaced()
    one = attempt(own(test), writes(10_000, 1e9), rates=RATES)
    falling = attempt(own(test), [*writes(5000, 1e9), *writes(5000, 2e8, 2)])
    cached = attempt(own(test), writes(10_000, 1e9), device=False)
    found = [next(iter(KIND.joint_rates(judged(test, each)))) for each in (one, falling, cached)]
    assert [rates.application.doubt for rates in found] == [None, "cliff", "page_cache"]
    assert found[0].label == "1 MB blocks"
    (alone,) = found[0].participants
    assert alone.share == pytest.approx(1.0)
    assert efficiency(found[0].application, 2, found[0].application) == pytest.approx(0.5)
    assert efficiency(found[1].application, 2, found[0].application) is None


def test_a_terminal_names_the_cliff_of_a_single_cell_once() -> None:
    test = unpaced()
    one = attempt(own(test), [*writes(5000, 1e9), *writes(5000, 2.5e8)])
    found = judged(test, one)
    assert "cliff" in {one.code for one in found.warnings}
    sentences = KIND.report(found.model_dump()).sentences
    assert sum("then 250 MB/s" in sentence for sentence in sentences) == 1


@pytest.mark.parametrize(
    ("block_mib", "rate_mib"), [(8, 17), (8, 61), (16, 33), (32, 90), (50, 75), (64, 128)]
)
def test_large_blocks_out_of_step_with_samples_are_no_sawtooth(
    block_mib: int, rate_mib: int
) -> None:
    """A sample of a second counts whole blocks, and has one or two of them more or less."""
    mib = 2**20
    test = planned(sustained(block=[block_mib * mib], length=10**10, mark_bytes=block_mib * mib))
    chance = random.Random(block_mib)
    each = block_mib / rate_mib * SECOND
    service = [round(each * chance.gauss(1, 0.01)) for _ in range(round(110 * SECOND / each))]
    one = attempt(own(test), service)
    moved, now = [0] * (1 + sum(service) // SECOND), 0
    for took in service:
        now += took
        moved[now // SECOND] += block_mib * mib
    ends = [(at + 1) * SECOND for at in range(len(moved))]
    course = Intervals(ends, [SECOND] * len(moved), moved, moved)
    (trial,) = judged(test, replace(one, course=course)).cells[0].trials
    assert trial.shape is None


def test_small_blocks_by_turns_are_a_sawtooth_in_samples() -> None:
    """150 and 50 MiB/s for half a second each: ten marks of 10 MiB in a period."""
    mib = 2**20
    test = planned(sustained(block=[mib], length=10**10, mark_bytes=10 * mib))
    service, now = list[int](), 0
    while now < 30 * SECOND:
        service.append(round(SECOND / (150 if now // (SECOND // 2) % 2 == 0 else 50)))
        now += service[-1]
    tenth = SECOND // 10
    moved, at = [0] * (1 + now // tenth), 0
    for took in service:
        at += took
        moved[at // tenth] += mib
    ends = [(place + 1) * tenth for place in range(len(moved))]
    course = Intervals(ends, [tenth] * len(moved), moved, moved)
    found = judged(test, replace(attempt(own(test), service), course=course))
    (trial,) = found.cells[0].trials
    assert trial.shape
    assert trial.shape.shape == "sawtooth"
    assert trial.shape.period_ns == pytest.approx(SECOND, rel=0.1)

"""A standstill of the probe or its machine changes no figure of the storage."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from assay.analysis.excess import DeviceReadings
from assay.analysis.throughput import Intervals, Marks
from assay.kinds.metrics import Measurement
from assay.kinds.run_record import AttemptRecord, Gap
from assay.kinds.sustained.metrics import METRICS
from assay.kinds.sustained.presets import PRESETS
from assay.kinds.sustained.result import SustainedResult

from .simulated import KIND, SECOND, attempt, planned, run_of, site, sustained, trial_parameters

BLOCK = 2**20
MARK = 10 * BLOCK
MS = 10**6
RATES = [preset.bytes_per_s for preset in PRESETS]
METRIC = {metric.name: metric.read for metric in METRICS}

PACES: dict[str, dict[str, Any]] = {
    "unpaced": {},
    "by rate": {"pace": "rate", "rate_bytes_per_s": [150 * BLOCK]},
    "bursts": {"pace": "burst", "burst_blocks": [4], "gap_ns": 4 * MS},
}


def later(times: Sequence[int], at_ns: int, by_ns: int) -> list[int]:
    return [time + by_ns if time > at_ns else time for time in times]


def stands_still(one: AttemptRecord, at_ns: int, for_ns: int) -> AttemptRecord:
    """Return an attempt whose probe stood still from `at_ns` on, as it reports that.

    All later ends move, and the mark meanwhile takes longer; no operation does.
    """
    assert one.marks
    assert one.app_ns
    assert one.durable_ns
    assert one.course
    marks, course = one.marks, one.course
    place = bisect_left(marks.end_ns, at_ns + 1)
    sample = bisect_left(course.end_ns, at_ns + 1)
    gap = Gap(at_ns, at_ns + for_ns, "suspended", delayed=False)
    return replace(
        one,
        marks=replace(
            marks,
            end_ns=later(marks.end_ns, at_ns, for_ns),
            dt_ns=[dt + for_ns * (n == place) for n, dt in enumerate(marks.dt_ns)],
        ),
        course=replace(
            course,
            end_ns=later(course.end_ns, at_ns, for_ns),
            dt_ns=[dt + for_ns * (n == sample) for n, dt in enumerate(course.dt_ns)],
        ),
        app_ns=one.app_ns + for_ns,
        durable_ns=one.durable_ns + for_ns,
        gaps=[gap],
    )


def sampled(one: AttemptRecord) -> AttemptRecord:
    """Return an attempt with its throughput in samples of 100 ms."""
    assert isinstance(one.marks, Marks)
    assert one.app_ns
    edges = range(0, one.app_ns, 100 * MS)
    ends = [*list(edges)[1:], one.app_ns]
    size = one.bytes
    dt = [end - begin for begin, end in zip(edges, ends, strict=True)]
    moved = [size * length // one.app_ns for length in dt]
    return replace(one, course=Intervals(ends, dt, moved, list(moved)))


def measured(result: SustainedResult, metric: str, **arguments: Any) -> Measurement:
    return METRIC[metric](result, arguments)


def figures(result: SustainedResult) -> dict[str, float | str | None]:
    """Return every figure of the storage that a reader or a criterion sees."""
    (cell,) = result.cells
    found: dict[str, float | str | None] = {}
    for metric in ("app.mean", "durable.mean", "app.min", "write.p99", "stall.max", "level"):
        found[metric] = measured(result, metric).value
    for rate in RATES:
        found[f"buffer {rate}"] = measured(result, "buffer_at", rate=rate).value
    for answer in cell.carry:
        found[f"carried {answer.bytes_per_s}"] = answer.carried
        found[f"margin {answer.bytes_per_s}"] = answer.margin
        found[f"memory {answer.bytes_per_s}"] = answer.buffer_least_bytes
    (trial,) = cell.trials
    found["backlog"] = trial.backlog_most_bytes
    found["due"] = trial.due_peak_ns
    found["levels"] = None if trial.levels is None else len(trial.levels.held)
    assert result.headline
    assert result.headline.figure
    found["headline"] = result.headline.figure.bytes_per_s
    return found


@pytest.mark.parametrize("pace", PACES)
@pytest.mark.parametrize("seed", range(12))
def test_a_standstill_changes_no_figure(pace: str, seed: int) -> None:
    random = Random(seed)
    test = planned(sustained(block=[BLOCK], length=10_000 * BLOCK, mark_bytes=MARK, **PACES[pace]))
    (cell,) = test.planned_cells
    own = trial_parameters(cell)
    service = [random.randint(5 * MS, 6 * MS) for _ in range(3000)]
    for _ in range(random.randint(0, 3)):
        service[random.randrange(3000)] = random.randint(20 * MS, 400 * MS)
    detail = {"due_hist": None}
    if pace == "by rate":
        late = {"due_max_ns": 300 * MS, "backlog_max_bytes": 40 * BLOCK, "backlog_end_bytes": BLOCK}
        detail |= late
    quiet = sampled(attempt(own, service, rates=RATES, sync_ns=SECOND, detail=detail))
    assert quiet.app_ns
    assert quiet.marks
    # a mark is left out as a whole: one with a stall would take that along
    calm = [n for n, peak in enumerate(quiet.marks.lat_max_ns) if peak <= 6 * MS]
    at_ns = quiet.marks.end_ns[random.choice(calm)] - random.randrange(1, 40 * MS)
    frozen = stands_still(quiet, at_ns, random.choice([300 * MS, 5 * SECOND, 6 * SECOND]))
    before, after = (KIND.judge(run_of(test, {cell.key: [[one]]})) for one in (quiet, frozen))
    expected, found = figures(before), figures(after)
    for name, value in expected.items():
        if isinstance(value, float) and name not in ("stall.max", "write.p99"):
            assert found[name] == pytest.approx(value, rel=0.01), name
        else:
            assert found[name] == value, name
    for metric in ("write.p99", *(["backlog.end"] if pace == "by rate" else [])):
        assert {one.code for one in measured(after, metric).doubts} == {
            one.code for one in measured(before, metric).doubts
        }
    (said,) = [one.message for one in after.warnings if one.code == "gap"]
    assert "left out of rates, latencies, due times, backlogs and buffers" in said


@pytest.mark.parametrize("ramp", [0, 300])
@pytest.mark.parametrize("seed", range(6))
def test_a_standstill_of_one_participant_does_not_slow_the_aggregate(seed: int, ramp: int) -> None:
    """It may be in the ramp-up of one of them, across its end, or after it."""
    random = Random(seed)
    test = planned(sustained(block=[BLOCK], length=10_000 * BLOCK, mark_bytes=MARK))
    (cell,) = test.planned_cells
    own = trial_parameters(cell)
    pair = [
        sampled(attempt(own, [service] * number, ramp=ramp, sync_ns=SECOND // 5))
        for service, number in ((5 * MS, 4000), (10 * MS, 2000))
    ]
    at_ns = random.randrange(SECOND // 2 if ramp else SECOND, 14 * SECOND)
    frozen = [pair[0], stands_still(pair[1], at_ns, 5 * SECOND)]
    before, after = (
        KIND.judge(run_of(test, {cell.key: [each]}, [site(1), site(2)])) for each in (pair, frozen)
    )
    durable = measured(after, "durable.mean")
    assert [one.code for one in durable.doubts] == ["interrupted"], "it includes the standstill"
    assert durable.value
    for metric in ("app.mean", "app.min"):
        expected, found = measured(before, metric), measured(after, metric)
        assert expected.value
        assert found.value == pytest.approx(expected.value, rel=0.01)
        added = {one.code for one in found.doubts} - {one.code for one in expected.doubts}
        assert added <= {"interrupted"}, "its storage could rest"
    (trial,) = after.cells[0].trials
    assert trial.levels is None


def test_what_the_kernel_writes_in_a_standstill_is_no_part_of_the_durable_rate() -> None:
    """A device of 100 MB/s writes on while the probe is stopped for 5 s, then for 10 s more."""
    test = planned(sustained(block=[BLOCK], length=10_000 * BLOCK, mark_bytes=MARK, cache="page"))
    (cell,) = test.planned_cells
    own = trial_parameters(cell)
    quiet = sampled(attempt(own, [5 * MS] * 2000, sync_ns=10 * SECOND))
    frozen = stands_still(quiet, 4 * SECOND, 5 * SECOND)
    assert quiet.durable_ns
    rate = quiet.bytes / (quiet.durable_ns / SECOND)

    def with_device(one: AttemptRecord, written: Sequence[float]) -> AttemptRecord:
        ends = [SECOND * (n + 1) for n in range(len(written))]
        none = [0] * len(written)
        sizes = [round(size) for size in written]
        return replace(
            one, device=DeviceReadings(ends, [SECOND] * len(written), none, none, sizes, none)
        )

    for one in (
        with_device(quiet, [rate] * 20),
        with_device(replace(frozen, bytes=quiet.bytes), [rate] * 4 + [0.0] * 5 + [rate] * 16),
    ):
        result = KIND.judge(run_of(test, {cell.key: [[one]]}))
        assert measured(result, "durable.mean").value == pytest.approx(rate, rel=0.02)
    # without a counter, nobody knows what the kernel wrote in the gap, however short it is
    for length in (200 * MS, 5 * SECOND):
        unknown = stands_still(quiet, 4 * SECOND, length)
        result = KIND.judge(run_of(test, {cell.key: [[unknown]]}))
        durable = measured(result, "durable.mean")
        assert durable.value == pytest.approx(
            quiet.bytes * SECOND / (quiet.durable_ns + length), rel=0.001
        )
        (doubt, *_) = durable.doubts
        assert (doubt.code, doubt.bound) == ("suspended", "lower")
        assert doubt.figures == {"gaps": 1, "gaps_ns": length}
        (said,) = [one.message for one in result.warnings if one.code == "gap"]
        assert "; but the durable rate includes it, as no counter shows" in said
    # the kernel wrote in the gap, so the rest took as much less
    ahead = replace(frozen, durable_ns=quiet.durable_ns)
    result = KIND.judge(run_of(test, {cell.key: [[with_device(ahead, [rate] * 20)]]}))
    assert measured(result, "durable.mean").value == pytest.approx(rate, rel=0.02)


def test_a_gap_in_a_durable_rate_is_the_cause_of_its_spread() -> None:
    test = planned(
        sustained(block=[BLOCK], length=10_000 * BLOCK, mark_bytes=MARK, cache="page", repeats=3)
    )
    (cell,) = test.planned_cells
    quiet = sampled(attempt(trial_parameters(cell), [5 * MS] * 2000, sync_ns=10 * SECOND))
    for length in (5 * SECOND, 40 * SECOND):
        frozen = stands_still(quiet, 4 * SECOND, length)
        result = KIND.judge(run_of(test, {cell.key: [[quiet], [frozen], [quiet]]}))
        assert "below_repeats" not in {one.code for one in result.warnings}
        spread = measured(result, "repeat.cv")
        assert spread.value
        assert [one.bound for one in spread.doubts if one.code == "suspended"] == [None]

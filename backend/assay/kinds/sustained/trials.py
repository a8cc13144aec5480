"""The figures of a stored trial of one participant."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from assay.analysis import flags, level_search, levels, throughput
from assay.analysis.carry import Backlog, Carry, Recording, carry
from assay.analysis.flags import VOID, Flag, Readings
from assay.analysis.histogram import Latency
from assay.analysis.levels import Level
from assay.analysis.shape import shape, slow_down
from assay.analysis.steady import ROUND_NS, Steady, steady
from assay.analysis.throughput import Intervals
from assay.kinds import writeback
from assay.kinds.cells import MeasuredTrial
from assay.kinds.evidence import Findings, find, is_durable, part
from assay.kinds.fields import CacheMode
from assay.kinds.run_record import AttemptRecord, RunRecord, TrialRecord
from assay.kinds.sustained.conformance import conformance, prepared
from assay.kinds.sustained.continuity import FINEST, MeasuredPart, of_attempt, recording
from assay.kinds.sustained.fields import is_random
from assay.kinds.sustained.figures import (
    Files,
    SlowOperation,
    SustainedTrial,
    TrialLevels,
    losses_of,
)
from assay.kinds.sustained.latencies import Latencies, due_latency_of, latency_of, p99_of, syncs_of
from assay.kinds.sustained.mixed import MeasuredDirection, directions_of, trial_directions
from assay.kinds.sustained.modes import used_by
from assay.kinds.sustained.presets import PRESETS
from assay.kinds.sustained.read_back import read_back_of

FEWEST_BLOCKS = 3
"""Blocks of each thread by which samples differ, from which on they may show a sawtooth."""

FEWEST_MARKS = 20
"""With fewer marks, the throughput over time is that of the samples."""

SHORTEST_NS = 4 * 10**9
"""In a shorter trial no cliff is excluded."""


@dataclass(frozen=True, kw_only=True)
class MeasuredSustained(MeasuredTrial[SustainedTrial]):
    """One trial with what its cell merges."""

    latencies: Latencies = field(default_factory=dict[int, Latency])
    due_latencies: Latencies = field(default_factory=dict[int, Latency])
    recording: Recording | None = None
    carried: Sequence[Carry] = ()
    backlogs: Sequence[Backlog] = ()
    slowest: Sequence[SlowOperation] = ()
    directions: Sequence[MeasuredDirection] = ()


@dataclass(frozen=True)
class _Seen:
    """What an attempt shows: its details, what it measured, the sources of its rates, its levels.

    They are null if the rate never changed for good.
    """

    detail: Mapping[str, Any]
    cache: str
    measured: MeasuredPart
    sources: Findings
    levels: TrialLevels | None
    by_others: bool = False
    """The rate changed because others used the device."""


def measured_at(run: RunRecord, trial: TrialRecord, place: int) -> MeasuredSustained:
    """Return a trial with the figures of the deciding attempt of the participant `place`."""
    attempt, nothing = trial.deciding[place], SustainedTrial.waiting(trial)
    if attempt is None:
        return MeasuredSustained(figures=nothing)
    cache: CacheMode = used_by(run.parameters, trial.parameters, "cache")
    measured = of_attempt(
        attempt,
        FEWEST_MARKS,
        scheduled=run.parameters["pace"] == "rate",
        buffered=cache == "page",
    )
    known = replace(
        nothing,
        status=attempt.status,
        reason=attempt.reason,
        bytes=measured.total_bytes,
        gaps=list(measured.gaps),
        verify_errors=attempt.verify_errors,
    )
    sources = find(run, trial, place, operation=run.parameters["operation"], cache=cache)
    if sources is not None and measured.resumed:
        sources = _of_last_segment(sources)
    if attempt.result is None or sources is None:
        return MeasuredSustained(figures=known)
    alone = len(run.sites) == 1
    mixed = run.parameters["operation"] == "mixed"
    seen = _see(measured, sources, cache, alone=alone, mixed=mixed)
    found = _flags(trial, seen)
    paced = trial.parameters["offered_bytes_per_s"] is not None
    shown = recording(
        trial,
        measured,
        sources.application,
        cache,
        seen.levels.held if seen.levels else (),
        bursts=run.parameters["pace"] == "burst",
    )
    streams = alone and not is_random(run.parameters)
    if attempt.status in VOID:
        return MeasuredSustained(figures=replace(known, flags=found))
    participant_id = run.sites[place].participant_id
    directions = directions_of(seen.detail, participant_id)
    return MeasuredSustained(
        figures=replace(_figures(run, known, trial, seen, directions, paced=paced), flags=found),
        latencies=_of(participant_id, _latency(seen)),
        due_latencies=_of(participant_id, due_latency_of(seen.detail)),
        application_served_by=sources.application,
        durable_served_by=sources.durable,
        recording=shown,
        carried=[carry(shown, preset.bytes_per_s) for preset in PRESETS] if streams else (),
        backlogs=shown.backlogs if streams else (),
        slowest=[
            SlowOperation(ns, end, offset, stream, trial.id, participant_id)
            for ns, end, offset, stream in measured.slowest(seen.detail.get("slowest", ()))
        ],
        directions=directions,
    )


def _of(participant_id: int, latency: Latency | None) -> Latencies:
    return {} if latency is None else {participant_id: latency}


def _of_last_segment(found: Findings) -> Findings:
    """Return what the counters of a last segment say about the whole trial: nothing."""
    said = "The trial was interrupted, and its counters cover only the part after that."
    application = replace(
        found.application, source="unknown", reason="interrupted", evidence=said, figures={}
    )
    contention = replace(
        found.contention, state="unknown", reason="interrupted", evidence=said, figures={}
    )
    return replace(found, contention=contention, application=application, durable=None)


def _see(
    measured: MeasuredPart, sources: Findings, cache: str, *, alone: bool, mixed: bool
) -> _Seen:
    """Return what an attempt shows; levels of one of several participants are not searched.

    `mixed`: the device's counter has only a part of its bytes, the writes.
    """
    attempt, seen = measured.attempt, measured.throughput
    detail: Mapping[str, Any] = (attempt.result or {}).get("detail") or {}
    if seen is None or not alone:
        return _Seen(detail, cache, measured, sources, None)
    if measured.by_marks:
        found = level_search.find(throughput.joined(seen, FINEST), by_bytes=True)
        found = found if mixed else _with_device(found, measured)
    else:
        found = level_search.find(_without_device(seen) if mixed else seen)
    durable = is_durable(found, attempt, sources.counter, cache)
    held = levels.without(measured.held(found), sources.contention.coincides)
    by_others = len(found) > 1 and not held
    shown = TrialLevels(held, durable) if held else None
    return _Seen(detail, cache, measured, sources, shown, by_others=by_others)


def _without_device(seen: Intervals) -> Intervals:
    return replace(seen, device_bytes=[None] * len(seen.device_bytes))


def _with_device(found: Sequence[Level], measured: MeasuredPart) -> list[Level]:
    """Add what the device took at each level, from the samples: marks do not count it.

    Gaps leave all levels without a counter.
    """
    if measured.attempt.course is None or measured.gaps or not found:
        return list(found)
    seen = part(measured.attempt)
    edges = [*(level.from_ns + seen.delay_ns for level in found), seen.end_ns]
    taken = [seen.device_bytes_between(*one) for one in pairwise(edges)]
    return [
        replace(level, device_bytes=None if size is None else round(size))
        for level, size in zip(found, taken, strict=True)
    ]


def _flags(trial: TrialRecord, seen: _Seen) -> list[Flag]:
    detail, measured, attempt = seen.detail, seen.measured, seen.measured.attempt
    syncing = None if attempt.durable_ns is None else attempt.durable_ns - (attempt.app_ns or 0)
    return flags.judge(
        Readings(
            status=attempt.status,
            block=trial.parameters["block"],
            threads=trial.parameters["streams"] * trial.parameters.get("queue_depth", 1),
            files=1,
            sized_by="length",
            ramp_bytes=detail.get("ramp_bytes", 0),
            bytes=measured.bytes,
            operations=_operations(attempt) - detail.get("ramp_ops", 0),
            app_ns=measured.ns,
            durable_ns=None if syncing is None or measured.resumed else measured.ns + syncing,
            contention=seen.sources.contention,
            levels=seen.levels.held if seen.levels else (),
            levels_are_durable=seen.levels is not None and seen.levels.durable,
            attempts=trial.attempts,
            disturbance=attempt.disturbance,
        )
    )


def _operations(attempt: AttemptRecord) -> int:
    """Return the operations of all segments."""
    return sum(sum(one.marks.ops) for one in attempt.earlier) + attempt.ops


def shows_changes(rates: Intervals | None, *, paced: bool) -> bool:
    """Return whether a change of the rate would have been found.

    A paced trial shows only that its rate was held: the storage may have become slower.
    """
    if rates is None or paced:
        return False
    return len(rates.dt_ns) >= FEWEST_MARKS and sum(rates.dt_ns) >= SHORTEST_NS


def _figures(
    run: RunRecord,
    known: SustainedTrial,
    trial: TrialRecord,
    seen: _Seen,
    measured_directions: Sequence[MeasuredDirection],
    *,
    paced: bool,
) -> SustainedTrial:
    detail, measured = seen.detail, seen.measured
    found = _with_rates(known, seen, measured_directions)
    found = replace(
        _with_latencies(found, seen),
        duration_ns=measured.done_ns + (measured.attempt.app_ns or 0),
        ramp_ns=measured.ramp_ns,
        ramp_bytes=measured.ramp_bytes,
        asleep_ns=detail.get("asleep_ns", 0),
        footprint_bytes=_footprint(run, trial, known, seen),
        mark_bytes=detail.get("mark_bytes", 0),
        preparation=prepared(detail),
        read_back=read_back_of(detail, active=run.active and _is_latest(run, trial)),
        contention=seen.sources.contention,
        writeback=writeback.of_attempt(
            measured.attempt, seen.cache, seen.sources.durable, ramp_ns=measured.ramp_ns
        )
        if len(run.sites) == 1 and not found.directions
        else None,
    )
    if not measured.resumed:  # of an interrupted trial, those of its last segment are not all
        found = replace(
            found,
            frames=None if is_random(run.parameters) else losses_of(detail),
            files=_files(detail["files"]) if detail.get("files") else None,
            syncs=syncs_of(detail),
        )
    return _over_time(run, found, trial, seen, paced=paced)


def _with_rates(
    known: SustainedTrial, seen: _Seen, measured_directions: Sequence[MeasuredDirection]
) -> SustainedTrial:
    """Add the rates; those of a mixed trial are divided by direction, and only writes are durable.

    Data that was overwritten before it reached the device has no durable rate.
    """
    measured, attempt = seen.measured, seen.measured.attempt
    application, durable = measured.application_bytes_per_s, measured.durable_bytes_per_s
    if _stayed_in_memory(attempt, seen.sources):
        durable = None
    directions = trial_directions(
        measured_directions,
        measured.gaps,
        earlier=[
            (sum(one.marks.within(one.until_ns).bytes), one.read_share) for one in attempt.earlier
        ],
        application_bytes_per_s=application,
        durable_bytes_per_s=durable,
    )
    operations = _operations(attempt)
    return replace(
        known,
        application_bytes_per_s=application,
        durable_bytes_per_s=None if directions else durable,
        iops=iops(application, operations, known.bytes),
        operations=operations,
        directions=directions,
        bounded=(attempt.result or {}).get("sync") == "bounded",
    )


def _with_latencies(known: SustainedTrial, seen: _Seen) -> SustainedTrial:
    """Add the latencies and backlogs."""
    detail, peak_ns = seen.detail, seen.measured.peak_ns
    latency, due = _latency(seen), due_latency_of(detail)
    return replace(
        known,
        peak_ns=peak_ns,
        p99_ns=p99_of(latency),
        stall_ns=latency and replace(latency, greatest_ns=peak_ns or 0).stall_ns,
        due_peak_ns=detail.get("due_max_ns"),
        due_p99_ns=p99_of(due),
        due_unfinished=detail.get("due_unfinished") or 0,
        unreturned=len(seen.measured.unreturned_ns),
        backlog_most_bytes=detail.get("backlog_max_bytes"),
        backlog_end_bytes=detail.get("backlog_end_bytes"),
    )


def _footprint(run: RunRecord, trial: TrialRecord, known: SustainedTrial, seen: _Seen) -> int:
    """Return the different bytes of a trial; of one that was interrupted, all that it could use."""
    if not seen.measured.resumed:
        return seen.detail.get("footprint_bytes", seen.measured.attempt.bytes)
    own = trial.parameters
    if run.parameters["file_mode"] != "ring" and not is_random(run.parameters):
        return known.bytes
    return min(own["streams"] * max(1, own["files"]) * own["file_bytes"], known.bytes)


def _over_time(
    run: RunRecord, known: SustainedTrial, trial: TrialRecord, seen: _Seen, *, paced: bool
) -> SustainedTrial:
    """Add levels, or within which data a cliff is excluded, shape and steady state."""
    measured, rates = seen.measured, seen.measured.throughput
    even = seen.levels is None and not seen.by_others
    within = None
    if even and shows_changes(rates, paced=paced):
        within = measured.longest_bytes
        if run.parameters["operation"] == "read" or not is_random(run.parameters):
            within = min(within, known.footprint_bytes)
    found = replace(
        known,
        levels=seen.levels,
        no_cliff_within_bytes=within,
        shape=shape(rates, _fine(measured, trial)) if rates and even and not paced else None,
        slow_down=slow_down(rates) if rates and not seen.by_others else None,
    )
    settled = steady(throughput.whole_rounds(rates, ROUND_NS)) if rates else None
    return with_steady(run, found, settled, seen.cache, whole=not (known.gaps or measured.resumed))


def with_steady(
    run: RunRecord, known: SustainedTrial, settled: Steady | None, cache: str, *, whole: bool
) -> SustainedTrial:
    """Add whether a trial became steady, and conforms to the standard; `whole`: it has no gaps."""
    if settled is None:
        return known
    others = known.contention
    conforms = conformance(
        {**run.parameters, "cache": cache},
        known.preparation,
        first=run.trials[0].id == known.id,
        alone=others is None or others.state != "contended",
        reached=settled.reached,
        whole=whole,
    )
    return replace(known, steady=settled, conformance=conforms)


def _is_latest(run: RunRecord, trial: TrialRecord) -> bool:
    """Return whether no later trial has begun; files are read back before the next one does."""
    begun = (one for one in reversed(run.trials) if any(one.deciding))
    return next(begun, trial).id == trial.id


def _fine(measured: MeasuredPart, trial: TrialRecord) -> Intervals | None:
    """Return the samples if they differ by several blocks of each thread; null if they do not.

    A sample counts whole blocks, so that those of a steady rate differ by one or two, which beat
    with the samples.
    """
    seen, own = measured.samples, trial.parameters
    if seen is None or not seen.bytes:
        return None
    block = own["block"] * own["streams"] * own.get("queue_depth", 1)
    ordered, count = sorted(seen.bytes), len(seen.bytes)
    swing = ordered[count * 9 // 10] - ordered[count // 10]
    return seen if swing >= FEWEST_BLOCKS * block else None


def iops(bytes_per_s: float | None, operations: int, size: int) -> float | None:
    """Return the operations per second of a rate: `operations` moved `size` bytes."""
    return bytes_per_s * operations / size if bytes_per_s is not None and size else None


def _stayed_in_memory(attempt: AttemptRecord, sources: Findings) -> bool:
    """Return whether data was overwritten before it reached the device, so no rate is durable."""
    durable = sources.durable
    missing = durable and (durable.source, durable.reason) == ("page_cache", "device_bytes")
    return bool(missing) and (attempt.result or {}).get("sync") == "complete"


def _latency(seen: _Seen) -> Latency | None:
    return latency_of(seen.measured.attempt, seen.detail, seen.measured.unreturned_ns)


def _files(detail: Mapping[str, Mapping[str, int]]) -> Files:
    create, close = detail["create"], detail["close"]
    return Files(
        count=create["count"],
        create_sum_ns=create["sum_ns"],
        create_max_ns=create["max_ns"],
        close_sum_ns=close["sum_ns"],
        close_max_ns=close["max_ns"],
    )

"""The figures of a stored trial of one participant."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from assay.analysis import cliff as cliff_rules
from assay.analysis import course, flags, histogram
from assay.analysis.backlog import Backlog, backlogs
from assay.analysis.carry import Carry, Recording, Stretch, carry
from assay.analysis.cliff import Cliff, Intervals
from assay.analysis.flags import VOID, Flag, Readings
from assay.analysis.histogram import Latency
from assay.analysis.marks import Marks
from assay.analysis.served_by import ServedBy
from assay.analysis.shape import shape
from assay.analysis.slow_down import slow_down
from assay.analysis.statuses import COUNTED
from assay.analysis.steady import ROUND_NS, steady
from assay.kinds.evidence import Findings, bytes_per_s, find, is_durable, part
from assay.kinds.kind import AttemptRecord, RunRecord, TrialRecord
from assay.kinds.sustained.figures import CliffLevels, Files, SlowOperation, SustainedTrial, Syncs
from assay.kinds.sustained.presets import PRESETS

FINEST = 2000
"""Marks are joined to at most this many intervals for the search of a change."""

FEWEST_MARKS = 20
"""With fewer marks, the throughput over time is that of the samples."""

SHORTEST_NS = 4 * 10**9
"""In a shorter trial no cliff can be found, nor excluded."""


@dataclass(frozen=True)
class MeasuredTrial:
    """One trial with what its cell merges."""

    figures: SustainedTrial
    again: bool = False
    latency: Latency | None = None
    due_latency: Latency | None = None
    application_served_by: ServedBy | None = None
    durable_served_by: ServedBy | None = None
    carried: Sequence[Carry] = ()
    backlogs: Sequence[Backlog] = ()
    slowest: Sequence[SlowOperation] = ()

    @property
    def counts(self) -> bool:
        """Whether it counts in its cell."""
        return self.figures.status in COUNTED and not flags.void(self.figures.flags)


def waiting(trial: TrialRecord) -> MeasuredTrial:
    """Return a trial without measurements."""
    return MeasuredTrial(SustainedTrial(trial.id, trial.repeat, "waiting", attempts=trial.attempts))


@dataclass(frozen=True)
class _Seen:
    """What an attempt shows: its details, its throughput, the sources of its rates, its cliff.

    `durable`: the cliff holds for the durable rate, too.
    """

    detail: Mapping[str, Any]
    cache: str
    throughput: Intervals | None
    sources: Findings
    cliff: Cliff | None
    durable: bool


def measured_at(run: RunRecord, trial: TrialRecord, place: int) -> MeasuredTrial:
    """Return a trial with the figures of the deciding attempt of the participant `place`."""
    attempt, nothing = trial.deciding[place], waiting(trial)
    if attempt is None:
        return nothing
    known = replace(
        nothing.figures, status=attempt.status, reason=attempt.reason, bytes=attempt.bytes
    )
    cache = str(run.parameters["cache"])
    sources = find(run, trial, place, operation="write", cache=cache)
    if attempt.result is None or sources is None:
        return MeasuredTrial(known, trial.again)
    alone = len(run.sites) == 1
    seen = _see(attempt, sources, cache, alone=alone)
    found = _flags(trial, attempt, seen)
    paced = trial.parameters["offered_bytes_per_s"] is not None
    if attempt.status in VOID:
        return MeasuredTrial(replace(known, flags=found), trial.again)
    return MeasuredTrial(
        figures=replace(_figures(known, attempt, seen, paced=paced), flags=found),
        again=trial.again,
        latency=_latency(attempt, seen.detail),
        due_latency=_due_latency(seen.detail),
        application_served_by=sources.application,
        durable_served_by=sources.durable,
        carried=_carried(trial, attempt, seen) if alone else (),
        backlogs=backlogs(seen.detail.get("backlogs", ())) if alone else (),
        slowest=[
            SlowOperation(ns, end, offset, stream, trial.id, run.sites[place].participant_id)
            for ns, end, offset, stream in seen.detail.get("slowest", ())
        ],
    )


def throughput(attempt: AttemptRecord) -> Intervals | None:
    """Return the throughput of an attempt: over its marks, or over its samples if it has few."""
    if attempt.marks is not None and len(attempt.marks) >= FEWEST_MARKS:
        return attempt.marks.intervals
    return attempt.course


def ramp(attempt: AttemptRecord) -> tuple[int, int]:
    """Return the bytes and the ns of an attempt's ramp-up."""
    detail: Mapping[str, Any] = (attempt.result or {}).get("detail") or {}
    return detail.get("ramp_bytes", 0), detail.get("ramp_ns", 0)


def _see(attempt: AttemptRecord, sources: Findings, cache: str, *, alone: bool) -> _Seen:
    """Return what an attempt shows; a cliff of one of several participants is not searched."""
    detail: Mapping[str, Any] = (attempt.result or {}).get("detail") or {}
    seen = throughput(attempt)
    if seen is None or not alone:
        return _Seen(detail, cache, seen, sources, None, durable=False)
    if seen is attempt.course:
        found = cliff_rules.find(seen)
    else:
        found = cliff_rules.find(course.joined(seen, FINEST), by_bytes=True)
        found = found and _with_device(found, attempt)
    durable = found is not None and is_durable(found, attempt, sources.counter, cache)
    return _Seen(detail, cache, seen, sources, found, durable=durable)


def _with_device(found: Cliff, attempt: AttemptRecord) -> Cliff:
    """Add what the device took at each level, from the samples: marks do not count it."""
    if attempt.course is None:
        return found
    seen = part(attempt)
    begin = found.at_ns - found.before.duration_ns + seen.delay_ns
    middle, end = found.at_ns + seen.delay_ns, seen.end_ns
    taken = [seen.device_bytes_between(*one) for one in ((begin, middle), (middle, end))]
    before, after = (None if one is None else round(one) for one in taken)
    return replace(
        found,
        before=replace(found.before, device_bytes=before),
        after=replace(found.after, device_bytes=after),
    )


def _flags(trial: TrialRecord, attempt: AttemptRecord, seen: _Seen) -> list[Flag]:
    detail = seen.detail
    ramp_ns = detail.get("ramp_ns", 0)
    return flags.judge(
        Readings(
            status=attempt.status,
            block=trial.parameters["block"],
            threads=trial.parameters["streams"],
            files=1,
            sized_by="length",
            bytes=attempt.bytes - detail.get("ramp_bytes", 0),
            operations=attempt.ops - detail.get("ramp_ops", 0),
            app_ns=max(0, (attempt.app_ns or 0) - ramp_ns),
            durable_ns=None if attempt.durable_ns is None else max(0, attempt.durable_ns - ramp_ns),
            contention=seen.sources.contention,
            cliff=seen.cliff,
            cliff_is_durable=seen.durable,
            attempts=trial.attempts,
            disturbance=attempt.disturbance,
        )
    )


def _shows_changes(rates: Intervals | None, *, paced: bool) -> bool:
    """Return whether a change of the rate would have been found.

    A paced trial shows only that its rate was held: the storage may have become slower.
    """
    if rates is None or paced:
        return False
    return len(rates.dt_ns) >= FEWEST_MARKS and sum(rates.dt_ns) >= SHORTEST_NS


def _figures(
    known: SustainedTrial, attempt: AttemptRecord, seen: _Seen, *, paced: bool
) -> SustainedTrial:
    detail, rates, change = seen.detail, seen.throughput, seen.cliff
    ramp_bytes, ramp_ns = ramp(attempt)
    latency, due = _latency(attempt, detail), _due_latency(detail)
    moved, footprint = attempt.bytes - ramp_bytes, detail.get("footprint_bytes", attempt.bytes)
    within = None
    if change is None and _shows_changes(rates, paced=paced):
        within = min(attempt.bytes, footprint)
    return replace(
        known,
        application_bytes_per_s=bytes_per_s(moved, _after(attempt.app_ns, ramp_ns)),
        durable_bytes_per_s=None
        if _stayed_in_memory(attempt, seen.sources)
        else bytes_per_s(moved, _after(attempt.durable_ns, ramp_ns)),
        bounded=(attempt.result or {}).get("sync") == "bounded",
        duration_ns=attempt.app_ns or 0,
        ramp_ns=ramp_ns,
        ramp_bytes=ramp_bytes,
        asleep_ns=detail.get("asleep_ns", 0),
        footprint_bytes=footprint,
        mark_bytes=detail.get("mark_bytes", 0),
        peak_ns=latency.greatest_ns if latency and latency.count else None,
        p99_ns=_percentile(latency, 0.99),
        stall_ns=latency.stall_ns if latency and latency.count else None,
        due_peak_ns=detail.get("due_max_ns"),
        due_p99_ns=_percentile(due, 0.99),
        backlog_most_bytes=detail.get("backlog_max_bytes"),
        backlog_end_bytes=detail.get("backlog_end_bytes"),
        cliff=levels(change, ramp_bytes, durable=seen.durable) if change else None,
        no_cliff_within_bytes=within,
        shape=shape(rates) if rates and not change and not paced else None,
        slow_down=slow_down(rates) if rates else None,
        steady=steady(course.whole_rounds(rates, ROUND_NS)) if rates else None,
        files=_files(detail["files"]) if detail.get("files") else None,
        syncs=Syncs(**detail["syncs"]) if detail.get("syncs") else None,
        contention=seen.sources.contention,
    )


def _stayed_in_memory(attempt: AttemptRecord, sources: Findings) -> bool:
    """Return whether data was overwritten before it reached the device, so no rate is durable."""
    durable = sources.durable
    missing = durable and (durable.source, durable.reason) == ("page_cache", "device_bytes")
    return bool(missing) and (attempt.result or {}).get("sync") == "complete"


def _files(detail: Mapping[str, Mapping[str, int]]) -> Files:
    create, close = detail["create"], detail["close"]
    return Files(
        count=create["count"],
        create_sum_ns=create["sum_ns"],
        create_max_ns=create["max_ns"],
        close_sum_ns=close["sum_ns"],
        close_max_ns=close["max_ns"],
    )


def _after(duration_ns: int | None, ramp_ns: int) -> int | None:
    return None if duration_ns is None else max(0, duration_ns - ramp_ns)


def levels(found: Cliff, ramp_bytes: int, *, durable: bool) -> CliffLevels:
    """Return a cliff as API type."""
    before, after = found.before, found.after
    return CliffLevels(
        at_ns=found.at_ns,
        at_bytes=ramp_bytes + before.bytes,
        before_bytes_per_s=before.bytes_per_s,
        before_ns=before.duration_ns,
        before_bytes=before.bytes,
        after_bytes_per_s=after.bytes_per_s,
        after_ns=after.duration_ns,
        after_bytes=after.bytes,
        change=1 - after.bytes_per_s / before.bytes_per_s,
        changed_again=found.again,
        durable=durable,
    )


def _percentile(latency: Latency | None, share: float) -> int | None:
    found = latency.percentile(share) if latency and latency.count else None
    return None if found is None else round(found)


def _latency(attempt: AttemptRecord, detail: Mapping[str, Any]) -> Latency | None:
    """Return the latencies without those of the ramp-up; the extremes are those of the marks."""
    if attempt.latency is None or not detail.get("ramp_ops"):
        return attempt.latency
    marks = attempt.marks
    longest, total = (max(marks.lat_max_ns), sum(marks.lat_sum_ns)) if marks else (0, 0)
    return histogram.of_steps(detail["hist"], None, longest, total)


def _due_latency(detail: Mapping[str, Any]) -> Latency | None:
    steps = detail.get("due_hist")
    if not steps:
        return None
    return histogram.of_steps(steps, None, detail.get("due_max_ns") or 0, 0)


def _carried(trial: TrialRecord, attempt: AttemptRecord, shown: _Seen) -> list[Carry]:
    """Return whether the storage carries each preset's rate."""
    marks, detail, change = attempt.marks, shown.detail, shown.cliff
    stretches = _stretches(marks, trial.parameters["streams"], ramp(attempt)[0]) if marks else []
    settled = 0
    if change:
        settled = next((n for n, one in enumerate(stretches) if one.begin_ns >= change.at_ns), 0)
    seen = Recording(
        stretches=stretches,
        backlogs=backlogs(detail.get("backlogs", ())),
        peak_ns=attempt.latency.greatest_ns if attempt.latency else 0,
        block=detail.get("block", trial.parameters["block"]),
        streams=trial.parameters["streams"],
        offered_bytes_per_s=_offered(trial, attempt),
        settled=settled,
    )
    found = [carry(seen, preset.bytes_per_s) for preset in PRESETS]
    # the page cache was used, and nothing shows that the device kept up
    source = shown.sources.application.source
    cached = source == "page_cache" or (shown.cache != "direct" and source != "device")
    return [_untested(one) for one in found] if cached else found


def _untested(found: Carry) -> Carry:
    """Return what the page cache leaves of an answer: the device may still not carry the rate."""
    return (
        found if found.carried == "no" else Carry(found.bytes_per_s, "not_tested", None, None, None)
    )


def _offered(trial: TrialRecord, attempt: AttemptRecord) -> float | None:
    """Return the rate at which data arrived; of bursts what was written, gaps included."""
    offered: int | None = trial.parameters["offered_bytes_per_s"]
    if offered is None or not trial.parameters["burst_blocks"]:
        return offered
    return min(offered, bytes_per_s(attempt.bytes, attempt.app_ns) or 0)


def _stretches(marks: Marks, streams: int, ramp_bytes: int) -> list[Stretch]:
    """Return the marks joined to at most `FINEST` stretches."""
    width, moved = -(-len(marks) // FINEST) or 1, ramp_bytes
    found: list[Stretch] = []
    for at in range(0, len(marks), width):
        end = min(at + width, len(marks))
        size = sum(marks.bytes[at:end])
        found.append(
            Stretch(
                begin_ns=marks.end_ns[at] - marks.dt_ns[at],
                end_ns=marks.end_ns[end - 1],
                begin_bytes=moved,
                end_bytes=moved + size,
                busy_ns=sum(marks.busy_ns[at:end]),
                streams=streams,
            )
        )
        moved += size
    return found

"""What of an attempt measured the storage: without its gaps, and after those that it continues."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Any

from assay.analysis.carry import Reason, Recording, Stretch, backlogs, starts
from assay.analysis.levels import Held, HeldRate, Level, held
from assay.analysis.served_by import ServedBy
from assay.analysis.throughput import FOREVER, Intervals, Marks, neighbors
from assay.kinds.evidence import bytes_per_s, ramp
from assay.kinds.run_record import AttemptRecord, Gap, TrialRecord


@dataclass(frozen=True)
class MeasuredPart:
    """The measured part of a trial at one participant; times are since its start.

    Segments follow each other without the time between them. `bytes` and `ns` are those of the
    application rate: without ramp-up, and without the marks that a gap disturbed, as `marks` are;
    those of a schedule that a gap delayed are with them. `begin_bytes` has the bytes before each of
    `marks`, in all marks. `done_ns` is the time of the segments before the last one,
    `longest_bytes` are the most bytes without a rest of the storage. `by_marks`: the throughput is
    over marks, not samples; `samples` has it over samples, null for a trial that was interrupted.
    Both are null for a schedule that a gap delayed: catching up is not the storage's.
    """

    attempt: AttemptRecord
    marks: Marks | None
    all_marks: Marks | None
    begin_bytes: Sequence[int]
    throughput: Intervals | None
    samples: Intervals | None
    by_marks: bool
    done_ns: int
    ramp_bytes: int
    ramp_ns: int
    bytes: int
    ns: int
    total_bytes: int
    longest_bytes: int
    buffered: bool
    gaps: Sequence[Gap] = field(default_factory=list[Gap])

    @property
    def resumed(self) -> bool:
        """Whether it continues earlier attempts."""
        return bool(self.attempt.earlier)

    def held(self, found: Sequence[Level]) -> list[HeldRate]:
        """Return several levels with their places since the trial's start, with gaps."""
        return [
            replace(
                level,
                from_ns=self._moment(level.from_ns),
                to_ns=self._moment(level.to_ns),
                from_bytes=self._bytes_at(level.from_ns, level.from_bytes),
                to_bytes=self._bytes_at(level.to_ns, level.to_bytes),
            )
            for level in held(found)
        ]

    def _moment(self, measured_ns: int) -> int:
        """Return a time that counts without gaps since the trial's start, with them."""
        seen = self.throughput
        if seen is None or not self.gaps:
            return measured_ns
        begin = seen.end_ns[0] - seen.dt_ns[0]
        if measured_ns <= begin:
            return begin
        ends = list(accumulate(seen.dt_ns, initial=begin))[1:]
        return seen.end_ns[min(bisect_left(ends, measured_ns), len(ends) - 1)]

    def _bytes_at(self, measured_ns: int, measured_bytes: int) -> int:
        """Return the bytes since the trial's start until such a time, with those of gaps."""
        if not self.gaps or self.all_marks is None:
            return self.ramp_bytes + measured_bytes
        count = bisect_right(self.all_marks.end_ns, self._moment(measured_ns))
        return self.ramp_bytes + sum(self.all_marks.bytes[:count])

    def slowest(self, operations: Sequence[Sequence[int]]) -> list[Sequence[int]]:
        """Return the slowest operations, each with latency and end first, that no gap disturbed."""
        moved = [(ns, self.done_ns + end, *rest) for ns, end, *rest in operations]
        return [one for one in moved if _kept([one[1]], [one[0]], self.gaps)]

    @property
    def peak_ns(self) -> int | None:
        """The longest operation that no gap disturbed; null if there is none."""
        latency = self.attempt.latency
        if self.marks is not None and (self.gaps or self.resumed):
            returned: Sequence[int] = self.marks.lat_max_ns
        else:
            returned = [latency.greatest_ns] if latency and latency.count else []
        return max([*returned, *self.unreturned_ns], default=None)

    @property
    def unreturned_ns(self) -> Sequence[int]:
        """How long operations had taken when they were abandoned: lower bounds of latencies."""
        detail: dict[str, Any] = (self.attempt.result or {}).get("detail") or {}
        return detail.get("unreturned") or []

    @property
    def application_bytes_per_s(self) -> float | None:
        """The rate up to the last operation."""
        return bytes_per_s(self.bytes, self.ns)

    @property
    def durable_bytes_per_s(self) -> float | None:
        """The rate up to the end of the final sync; null if the sync covers only a last segment.

        The kernel writes buffered data back during a gap: what the device took then is left out
        with the gap, or neither is if that is unknown.
        """
        attempt = self.attempt
        if attempt.durable_ns is None or attempt.app_ns is None or self.resumed:
            return None
        if self.buffered:
            moved, took = attempt.bytes - self.ramp_bytes, attempt.durable_ns - self.ramp_ns
            written = self._written_in_gaps(moved)
            if written is not None:
                moved -= written
                took -= _within(attempt.gaps, self.ramp_ns, attempt.durable_ns)
            return bytes_per_s(max(0, moved), max(0, took))
        syncing = attempt.durable_ns - attempt.app_ns
        return bytes_per_s(self.bytes, self.ns + syncing - _overlap(attempt))

    def _written_in_gaps(self, moved: int) -> int | None:
        """Return how much of `moved` bytes was written in gaps; null without a counter.

        It may have written more than the trial's bytes, such as a journal, which are a share of it.
        """
        seen = self.attempt.device
        if seen is None:
            return None
        written = total = 0.0
        for end, length, size in zip(seen.end_ns, seen.dt_ns, seen.dev_write_bytes, strict=True):
            begin = max(end - length, self.ramp_ns)
            if begin < end:
                total += size * (end - begin) / length
                written += size * _within(self.attempt.gaps, begin, end) / length
        return round(moved * written / total) if total else 0


def of_attempt(
    attempt: AttemptRecord, fewest_marks: int, *, scheduled: bool, buffered: bool
) -> MeasuredPart:
    """Return the measured part of an attempt; its throughput is over its marks if it has enough.

    `scheduled`: what was due in a gap that delayed it is written after it, so the rate covers both.
    `buffered`: it went through the page cache.
    """
    whole, gaps = _joined(attempt)
    if buffered:
        gaps = _with_writeback(attempt, gaps)
    catches_up = scheduled and any(gap.delays for gap in gaps)
    kept, places = _undisturbed(whole, gaps)
    ramp_bytes, ramp_ns = _ramp(attempt)
    done_ns = sum(one.until_ns for one in attempt.earlier)
    total = attempt.bytes + sum(
        sum(one.marks.within(one.until_ns).bytes) for one in attempt.earlier
    )
    lost_bytes, lost_ns = (0, 0) if catches_up else _lost(whole, kept)
    begins = list(accumulate(whole.bytes, initial=ramp_bytes)) if whole is not None else []
    samples = None if catches_up else _samples(attempt, gaps)
    throughput, by_marks = samples, False
    if kept is not None and len(kept) >= fewest_marks:
        throughput, by_marks = None if catches_up else kept.intervals, True
    return MeasuredPart(
        attempt=attempt,
        marks=kept,
        all_marks=whole,
        begin_bytes=[begins[place] for place in places],
        throughput=throughput,
        samples=samples,
        by_marks=by_marks,
        done_ns=done_ns,
        ramp_bytes=ramp_bytes,
        ramp_ns=ramp_ns,
        bytes=max(0, total - ramp_bytes - lost_bytes),
        ns=max(0, done_ns + (attempt.app_ns or 0) - ramp_ns - lost_ns),
        total_bytes=total,
        longest_bytes=_longest(whole, gaps) if gaps and whole is not None else total,
        buffered=buffered,
        gaps=gaps,
    )


def _with_writeback(attempt: AttemptRecord, gaps: list[Gap]) -> list[Gap]:
    """Return gaps that the durable rate includes where nothing shows what was written back."""
    if attempt.device is not None or attempt.durable_ns is None or attempt.earlier:
        return gaps
    return [replace(gap, in_durable=gap.is_stretch) for gap in gaps]


def _undisturbed(whole: Marks | None, gaps: Sequence[Gap]) -> tuple[Marks | None, Sequence[int]]:
    """Return the marks that no gap disturbed, and their places among all."""
    if whole is None:
        return None, ()
    places = _kept(whole.end_ns, whole.dt_ns, gaps)
    return (whole.at(places) if gaps else whole), places


def _ramp(attempt: AttemptRecord) -> tuple[int, int]:
    """Return the bytes and the ns of the ramp-up; of an interrupted trial up to its first mark."""
    if attempt.earlier:
        first = attempt.earlier[0].marks.within(attempt.earlier[0].until_ns)
        return 0, first.end_ns[0] - first.dt_ns[0]
    return ramp(attempt)


def _lost(whole: Marks | None, kept: Marks | None) -> tuple[int, int]:
    """Return the bytes and the ns of the marks that gaps disturbed."""
    if whole is None or kept is None:
        return 0, 0
    return sum(whole.bytes) - sum(kept.bytes), sum(whole.dt_ns) - sum(kept.dt_ns)


def _samples(attempt: AttemptRecord, gaps: Sequence[Gap]) -> Intervals | None:
    """Return the throughput over samples without gaps; None of a trial that was interrupted."""
    if attempt.earlier or attempt.course is None:
        return None
    return _without(attempt.course, gaps) if gaps else attempt.course


def _joined(attempt: AttemptRecord) -> tuple[Marks | None, list[Gap]]:
    """Return the marks and gaps of all segments; each moved to the end of the one before."""
    marks: Marks | None = None
    gaps: list[Gap] = []
    at_ns = 0
    for one in attempt.earlier:
        part = one.marks.within(one.until_ns, at_ns)
        marks = part if marks is None else marks + part
        counted = [gap for gap in one.gaps if gap.from_ns < one.until_ns]
        ends = [replace(gap, until_ns=min(gap.until_ns, one.until_ns)) for gap in counted]
        gaps += [_moved(gap, at_ns) for gap in ends]
        at_ns += one.until_ns
        gaps.append(Gap(at_ns, at_ns, "interrupted", one.away_ns))
    if attempt.marks is not None:
        own = attempt.marks.within(FOREVER, at_ns)
        marks = own if marks is None else marks + own
    gaps += [_moved(gap, at_ns) for gap in attempt.gaps]
    paused = attempt.disturbance.get("host_paused_ns") or 0
    paused += sum(one.paused_ns for one in attempt.earlier)
    return marks, [Gap(0, 0, "paused", paused), *gaps] if paused else gaps


def _moved(gap: Gap, by_ns: int) -> Gap:
    return replace(gap, from_ns=gap.from_ns + by_ns, until_ns=gap.until_ns + by_ns)


def _kept(end_ns: Sequence[int], dt_ns: Sequence[int], gaps: Sequence[Gap]) -> list[int]:
    """Return the places of the intervals that no gap disturbed; gaps are in the order of time."""
    stretches = [gap for gap in gaps if gap.is_stretch]
    ends = [gap.until_ns for gap in stretches]
    kept: list[int] = []
    for place, (end, length) in enumerate(zip(end_ns, dt_ns, strict=True)):
        next_gap = bisect_right(ends, end - length)
        if next_gap == len(ends) or stretches[next_gap].from_ns >= end:
            kept.append(place)
    return kept


def _longest(marks: Marks, gaps: Sequence[Gap]) -> int:
    """Return the most bytes of neighboring marks without a rest of the storage."""
    rests = [gap.until_ns for gap in gaps if gap.rested and gap.what != "paused"]
    parts = [0] * (len(rests) + 1)
    for end, size in zip(marks.end_ns, marks.bytes, strict=True):
        parts[bisect_left(rests, end)] += size
    return max(parts)


def _without(course: Intervals, gaps: Sequence[Gap]) -> Intervals:
    kept = _kept(course.end_ns, course.dt_ns, gaps)
    return Intervals(
        [course.end_ns[at] for at in kept],
        [course.dt_ns[at] for at in kept],
        [course.bytes[at] for at in kept],
        [course.device_bytes[at] for at in kept],
    )


def _overlap(attempt: AttemptRecord) -> int:
    """Return how long gaps disturbed the final sync, in ns."""
    return _within(attempt.gaps, attempt.app_ns or 0, attempt.durable_ns or 0)


def _within(gaps: Sequence[Gap], begin_ns: int, end_ns: int) -> int:
    """Return how much of a period gaps took, in ns."""
    of_each = (min(gap.until_ns, end_ns) - max(gap.from_ns, begin_ns) for gap in gaps)
    return sum(max(0, length) for length in of_each)


FINEST = 2000
"""Marks are joined to at most this many intervals for the search of a change, and as stretches."""


def recording(
    trial: TrialRecord,
    measured: MeasuredPart,
    source: ServedBy,
    cache: str,
    levels: Held,
    *,
    bursts: bool,
) -> Recording:
    """Return what an attempt shows; `levels` are its lasting ones, if it has several.

    `bursts`: it is paced by bursts, whose own time adds to their gaps.
    """
    detail: dict[str, Any] = (measured.attempt.result or {}).get("detail") or {}
    streams: int = trial.parameters["streams"]
    stretches = _stretches(measured, streams)
    return Recording(
        stretches=stretches,
        backlogs=backlogs(detail.get("backlogs", ())),
        peak_ns=measured.peak_ns or 0,
        block=detail.get("block", trial.parameters["block"]),
        streams=streams,
        offered_bytes_per_s=_offered(trial, measured, bursts=bursts),
        levels=starts(stretches, [level.from_ns for level in levels]),
        doubt=_doubt(measured, source, cache),
    )


def _doubt(measured: MeasuredPart, source: ServedBy, cache: str) -> Reason | None:
    """Return why the recording shows only which rates are not carried."""
    if measured.resumed:
        return "interrupted"  # only the last segment's queues are known
    # the page cache was used, and nothing shows that the device kept up
    cached = source.source == "page_cache" or (cache != "direct" and source.source != "device")
    return "page_cache" if cached else None


def _offered(trial: TrialRecord, measured: MeasuredPart, *, bursts: bool) -> float | None:
    """Return the rate at which data arrived; of bursts what was written, delays included."""
    offered: int | None = trial.parameters["offered_bytes_per_s"]
    if offered is None or not bursts:
        return offered
    return min(offered, measured.application_bytes_per_s or 0)


def _stretches(measured: MeasuredPart, streams: int) -> list[Stretch]:
    """Return the marks joined to at most `FINEST` stretches."""
    marks, found = measured.marks, list[Stretch]()
    if marks is None:
        return found
    for group in neighbors(marks.bytes, FINEST):
        at, end = group.start, group.stop
        found.append(
            Stretch(
                begin_ns=marks.end_ns[at] - marks.dt_ns[at],
                end_ns=marks.end_ns[end - 1],
                begin_bytes=measured.begin_bytes[at],
                end_bytes=measured.begin_bytes[end - 1] + marks.bytes[end - 1],
                busy_ns=sum(marks.busy_ns[at:end]),
                streams=streams,
                left_out_bytes=measured.begin_bytes[end - 1]
                - measured.begin_bytes[at]
                - sum(marks.bytes[at : end - 1]),
            )
        )
    return found

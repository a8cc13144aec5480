"""Figures of a trial that several participants measured together. Pure.

All times count from the agreed start. The application rate is that of the common window, from the
latest start to the earliest end, because outside of it fewer participants load the storage.

Where one of several participants stood still, the others went on: neither is typical of all
together. The trial is scored on a clock that stops in these stretches.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from assay.analysis.steady import MOST_ROUNDS
from assay.analysis.throughput import Intervals

LEAST_OVERLAP = 0.5
"""Minimum common window ÷ longest attempt for a meaningful application rate."""

FINEST_SHARE = 0.1
"""Maximum bytes of an interval ÷ those of a round: one at its edge belongs to two of them."""

GRID = 60
"""Maximum number of intervals of the common window in which a change of level is searched."""


@dataclass(frozen=True)
class Part:
    """One participant's attempt.

    `delay_ns` is its start relative to the agreed start; `app_ns` and `durable_ns` count from its
    start, and `durable_ns` is null without a sync. `course` is its throughput over time; if it is
    null, a constant rate is assumed.
    """

    bytes: int
    delay_ns: int
    app_ns: int
    durable_ns: int | None
    course: Intervals | None

    @property
    def end_ns(self) -> int:
        """When its last operation returned."""
        return self.delay_ns + self.app_ns

    def bytes_between(self, since_ns: float, until_ns: float) -> float:
        """Return the bytes transferred in a period; partial intervals are prorated."""
        return sum(size for size, _ in self.between(since_ns, until_ns))

    def device_bytes_between(self, since_ns: float, until_ns: float) -> float | None:
        """Return the device's bytes in a period; None without a counter."""
        moved = [device for _, device in self.between(since_ns, until_ns)]
        return None if self.course is None or None in moved else sum(one or 0 for one in moved)

    def between(self, since_ns: float, until_ns: float) -> list[tuple[float, float | None]]:
        """Return the bytes and the device's bytes of each interval in a range, prorated."""
        course = self.course or Intervals([self.app_ns], [self.app_ns], [self.bytes], [None])
        found: list[tuple[float, float | None]] = []
        columns = zip(course.end_ns, course.dt_ns, course.bytes, course.device_bytes, strict=True)
        for end, length, size, device in columns:
            end_ns = end + self.delay_ns
            inside = min(until_ns, end_ns) - max(since_ns, end_ns - length)
            if inside > 0:
                share = inside / length
                found.append((size * share, None if device is None else device * share))
        return found


@dataclass(frozen=True)
class Joint:
    """The aggregate of all participants; rates in bytes per second.

    `window_ns` is the common window, which begins at `since_ns`, `longest_ns` the longest attempt,
    `end_ns` the time from the agreed start to the last end, `durable_ns` that to the last sync.
    `application` and `durable` are the rates of each participant: the first within the common
    window, the second from its start to the return of its last sync. A rate is null without a
    window or a sync.
    """

    since_ns: int
    window_ns: int
    longest_ns: int
    end_ns: int
    durable_ns: int | None
    application_bytes_per_s: float | None
    durable_bytes_per_s: float | None
    application: list[float | None]
    durable: list[float | None]
    course: Intervals | None

    @property
    def overlap(self) -> float:
        """Common window ÷ longest attempt."""
        return self.window_ns / self.longest_ns if self.longest_ns else 0.0


def score(parts: Sequence[Part]) -> Joint:
    """Return the aggregate of a trial, and each participant's own rates.

    Application: bytes in the common window ÷ its length. Durable: all bytes ÷ the time from the
    agreed start to the last sync, over all participants.
    """
    since, until = max(part.delay_ns for part in parts), min(part.end_ns for part in parts)
    window = max(0, until - since)
    inside = [part.bytes_between(since, until) for part in parts] if window else []
    syncs = [part.delay_ns + part.durable_ns for part in parts if part.durable_ns is not None]
    synced = max(syncs) if len(syncs) == len(parts) else None
    return Joint(
        since_ns=since,
        window_ns=window,
        longest_ns=max(part.app_ns for part in parts),
        end_ns=max(part.end_ns for part in parts),
        durable_ns=synced,
        application_bytes_per_s=sum(inside) * 1e9 / window if window else None,
        durable_bytes_per_s=sum(part.bytes for part in parts) * 1e9 / synced if synced else None,
        application=[size * 1e9 / window for size in inside] or [None] * len(parts),
        durable=[
            part.bytes * 1e9 / part.durable_ns if synced and part.durable_ns else None
            for part in parts
        ],
        course=_course(parts, since, window),
    )


def rounds(
    parts: Sequence[Part], found: Joint, length_ns: int, most: int = MOST_ROUNDS
) -> list[float] | None:
    """Return the aggregate rate in bytes per second of the first whole rounds of the common window.

    None if a participant's throughput over time is unknown, or if its intervals are so large that
    rounds would share much of them.
    """
    moved, edge = [0.0] * min(most, found.window_ns // length_ns), 0
    for part in parts:
        if part.course is None:
            return None
        edge += _add(part, part.course, found.since_ns, length_ns, moved)
    if edge * len(moved) > FINEST_SHARE * sum(moved):
        return None
    return [size * 1e9 / length_ns for size in moved]


def _add(part: Part, course: Intervals, since_ns: int, length_ns: int, moved: list[float]) -> int:
    """Add a participant's bytes to those of the rounds; return those of its largest interval."""
    largest, until_ns = 0, len(moved) * length_ns
    for end, dt, size in zip(course.end_ns, course.dt_ns, course.bytes, strict=True):
        ends = end + part.delay_ns - since_ns
        begins = ends - dt
        if begins >= until_ns:
            break
        for at in range(max(0, begins // length_ns), min(len(moved), -(-ends // length_ns))):
            inside = min(ends, (at + 1) * length_ns) - max(begins, at * length_ns)
            moved[at] += size * inside / dt
            largest = max(largest, size)
    return largest


def _course(parts: Sequence[Part], since: int, window: int) -> Intervals | None:
    """Return the aggregate throughput over the common window, in equal intervals.

    There are at most as many as the participant with the fewest samples has: a divided sample would
    count as several observations and make a change of level look more significant than it is.
    """
    if any(part.course is None for part in parts):
        return None
    fewest = min(len(part.between(since, since + window)) for part in parts)
    count = min(GRID, fewest)
    if not 0 < count <= window:
        return None
    edges = [window * i // count for i in range(count + 1)]
    stretches = list(pairwise(edges))
    moved: list[int] = []
    device: list[int | None] = []
    for begin, end in stretches:
        stretch = since + begin, since + end
        moved.append(round(sum(part.bytes_between(*stretch) for part in parts)))
        counted = [part.device_bytes_between(*stretch) for part in parts]
        device.append(None if None in counted else round(sum(one or 0 for one in counted)))
    return Intervals(edges[1:], [end - begin for begin, end in stretches], moved, device)


def fairness(rates: Sequence[float]) -> float | None:
    """Return Jain's fairness index: 1 if all rates are equal, 1/n if one has everything.

    (Σx)² ÷ (n Σx²), by Jain, Chiu and Hawe (DEC-TR-301, 1984). None where nothing was moved.
    """
    squares = sum(rate * rate for rate in rates)
    return sum(rates) ** 2 / (len(rates) * squares) if squares else None


@dataclass(frozen=True)
class LeftOut:
    """Disjoint stretches in order, each with its begin and end in ns since the agreed start."""

    stretches: Sequence[tuple[int, int]] = ()

    def shown(self, at_ns: int) -> int:
        """Return what the clock that stops in the stretches shows at a moment."""
        return at_ns - sum(max(0, min(at_ns, end) - begin) for begin, end in self.stretches)

    def moment(self, shown_ns: int) -> int:
        """Return the first moment at which that clock shows a time."""
        at_ns = shown_ns
        for begin, end in self.stretches:
            if at_ns > begin:
                at_ns += end - begin
        return at_ns

    def resumed(self, shown_ns: int) -> int:
        """Return the last moment at which that clock shows a time: the end of a stretch."""
        at_ns = shown_ns
        for begin, end in self.stretches:
            if at_ns >= begin:
                at_ns += end - begin
        return at_ns

    def without(self, part: Part) -> Part:
        """Return a participant's attempt on the clock that stops, without what it moved then.

        An interval at the edge of a stretch is divided by its time.
        """
        if not self.stretches:
            return part
        begin, delay = part.delay_ns, self.shown(part.delay_ns)
        moving = ((max(at, begin), min(to, part.end_ns)) for at, to in self.stretches)
        lost = round(sum(part.bytes_between(at, to) for at, to in moving if at < to))
        end = self.shown(part.end_ns)
        durable = part.durable_ns
        return replace(
            part,
            bytes=part.bytes - lost,
            delay_ns=delay,
            app_ns=end - delay,
            durable_ns=None if durable is None else self.shown(begin + durable) - delay,
            course=part.course and self._course(part.course, begin, delay),
        )

    def _course(self, course: Intervals, begin_ns: int, delay_ns: int) -> Intervals:
        end_ns, dt_ns, sizes, device = list[int](), list[int](), list[int](), list[int | None]()
        columns = zip(course.end_ns, course.dt_ns, course.bytes, course.device_bytes, strict=True)
        for end, length, size, taken in columns:
            ends = self.shown(begin_ns + end)
            left = ends - self.shown(begin_ns + end - length)
            if left <= 0:
                continue
            end_ns.append(ends - delay_ns)
            dt_ns.append(left)
            sizes.append(round(size * left / length))
            device.append(None if taken is None else round(taken * left / length))
        return Intervals(end_ns, dt_ns, sizes, device)


def disturbed(part: Part, gaps: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the stretches in which gaps disturbed a participant, with its intervals at the edges.

    Gaps are in ns since its start, the result since the agreed start: an interval that a gap
    overlaps shows less than the participant moved before and after it.
    """
    found = list[tuple[int, int]]()
    for begin, end in gaps:
        edges = [begin, end]
        if part.course is not None:
            for until, length in zip(part.course.end_ns, part.course.dt_ns, strict=True):
                if until - length < end and until > begin:
                    edges += [until - length, until]
        found.append((min(edges) + part.delay_ns, max(edges) + part.delay_ns))
    return found


def left_out(stretches: Iterable[tuple[int, int]]) -> LeftOut:
    """Return the union of stretches that may overlap, from the agreed start on."""
    joined = list[tuple[int, int]]()
    for begin, end in sorted((max(0, begin), end) for begin, end in stretches if end > 0):
        if joined and begin <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(joined[-1][1], end)
        else:
            joined.append((begin, end))
    return LeftOut(joined)

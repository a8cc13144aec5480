"""Time that is excluded for all participants because one stood still. Pure.

Where one of several participants stood still, the others went on: neither is typical of all
together. The trial is scored on a clock that stops in these stretches.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from assay.analysis.course import Intervals
from assay.analysis.together import Part


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

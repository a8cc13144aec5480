"""Throughput over time: its intervals, joined, resampled, or a part of them.

Marks are the figures of a trial every so many bytes, beside its samples in time.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace


@dataclass(frozen=True)
class Intervals:
    """Neighboring intervals of a trial up to its last operation, one sequence per column.

    `device_bytes` is what the device moved, null if no counter measures it.
    """

    end_ns: Sequence[int]
    dt_ns: Sequence[int]
    bytes: Sequence[int]
    device_bytes: Sequence[int | None]


def neighbors(sizes: Sequence[int], most: int) -> list[range]:
    """Return at most `most` groups of neighbors that have about the same size, by index.

    Sizes are those of marks: multiples of the first one, apart from a few blocks. Groups of equal
    marks have equally many.
    """
    if not sizes:
        return []
    units = [max(1, round(size / max(1, sizes[0]))) for size in sizes]
    width = -(-sum(units) // most)
    groups, begin, held = list[range](), 0, 0
    for end, unit in enumerate(units, start=1):
        held += unit
        if held >= width:
            groups.append(range(begin, end))
            begin, held = end, 0
    return [*groups, range(begin, len(sizes))] if begin < len(sizes) else groups


def joined(seen: Intervals, most: int) -> Intervals:
    """Return at most `most` intervals of about equal bytes: neighbors joined into each."""
    if len(seen.bytes) <= most:
        return seen
    parts = [(group.start, group.stop) for group in neighbors(seen.bytes, most)]
    device = [seen.device_bytes[a:b] for a, b in parts]
    return Intervals(
        [seen.end_ns[b - 1] for _, b in parts],
        [sum(seen.dt_ns[a:b]) for a, b in parts],
        [sum(seen.bytes[a:b]) for a, b in parts],
        [None if None in part else sum(one or 0 for one in part) for part in device],
    )


def rates(seen: Intervals, parts: int) -> list[float]:
    """Return the rates in bytes per second of `parts` equal parts of the time.

    An interval that crosses a border is divided in proportion to its time. Empty without time.
    """
    lengths = list(seen.dt_ns)
    total = sum(lengths)
    if not total:
        return []
    moved, at, left = [0.0] * parts, 0, total / parts
    for length, size in zip(lengths, seen.bytes, strict=True):
        rest = float(length)
        while rest > left and at < parts - 1:
            moved[at] += size * left / length
            rest -= left
            at, left = at + 1, total / parts
        moved[at] += size * rest / length if length else size
        left -= rest
    return [size * 1e9 * parts / total for size in moved]


def whole_rounds(seen: Intervals, round_ns: int) -> list[float]:
    """Return the rates in bytes per second of all complete rounds of this duration."""
    total = sum(seen.dt_ns)
    count = total // round_ns
    if not count:
        return []
    return rates(first_part(seen, count * round_ns), count)


def without_start(seen: Intervals, length_ns: int) -> Intervals:
    """Return the intervals after the first `length_ns`; the first one is divided by its time."""
    kept = first_part(_reversed(seen), max(0, sum(seen.dt_ns) - length_ns))
    after = _reversed(kept)
    return replace(after, end_ns=seen.end_ns[len(seen.end_ns) - len(after.end_ns) :])


def _reversed(seen: Intervals) -> Intervals:
    return Intervals(seen.end_ns[::-1], seen.dt_ns[::-1], seen.bytes[::-1], seen.device_bytes[::-1])


def first_part(seen: Intervals, length_ns: int) -> Intervals:
    """Return the intervals of the first `length_ns`; the last one is divided by its time."""
    end, dt, size, device = list[int](), list[int](), list[int](), list[int | None]()
    left = length_ns
    for one in zip(seen.end_ns, seen.dt_ns, seen.bytes, seen.device_bytes, strict=True):
        if left <= 0:
            break
        kept = min(left, one[1])
        share = kept / one[1] if one[1] else 1.0
        end.append(one[0] - one[1] + kept)
        dt.append(kept)
        size.append(round(one[2] * share))
        device.append(None if one[3] is None else round(one[3] * share))
        left -= kept
    return Intervals(end, dt, size, device)


FOREVER = 2**63 - 1
"""A time that no mark exceeds, in ns."""


@dataclass(frozen=True)
class Marks:
    """All marks of an attempt, one sequence per column and equally long.

    `end_ns` counts from the trial's start and `dt_ns` is since the previous mark, both with pauses
    of a paced trial. `lat_*` are service times, `busy_ns` the time in all calls, with periodic
    syncs and the creation of files. `due_max_ns` is the longest time from the due time of a write
    to its end, `backlog_bytes` what was due and not begun at the end of the mark, both null unless
    the trial is paced by a rate.
    """

    end_ns: Sequence[int]
    dt_ns: Sequence[int]
    bytes: Sequence[int]
    ops: Sequence[int]
    lat_sum_ns: Sequence[int]
    lat_max_ns: Sequence[int]
    lat_p99_ns: Sequence[int]
    busy_ns: Sequence[int]
    due_max_ns: Sequence[int | None]
    backlog_bytes: Sequence[int | None]

    def __len__(self) -> int:
        """Return the number of marks."""
        return len(self.end_ns)

    def within(self, until_ns: int, shift_ns: int = 0) -> "Marks":
        """Return the marks that end by `until_ns`, later by `shift_ns`."""
        count = bisect_right(self.end_ns, until_ns)
        kept = {field.name: getattr(self, field.name)[:count] for field in fields(self)}
        return Marks(**kept | {"end_ns": [end + shift_ns for end in kept["end_ns"]]})

    def at(self, places: Sequence[int]) -> "Marks":
        """Return the marks at these places."""
        columns = {field.name: getattr(self, field.name) for field in fields(self)}
        return Marks(**{name: [of[place] for place in places] for name, of in columns.items()})

    def __add__(self, later: "Marks") -> "Marks":
        """Return these marks, and then others."""
        names = [field.name for field in fields(self)]
        return Marks(**{name: [*getattr(self, name), *getattr(later, name)] for name in names})

    @property
    def intervals(self) -> Intervals:
        """The throughput over time; no counter of the device is read at a mark."""
        return Intervals(self.end_ns, self.dt_ns, self.bytes, [None] * len(self))

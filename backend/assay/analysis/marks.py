"""Marks: the figures of a trial every so many bytes, beside its samples in time."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, fields

from assay.analysis.course import Intervals

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

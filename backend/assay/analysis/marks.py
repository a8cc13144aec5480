"""Marks: the figures of a trial every so many bytes, beside its samples in time."""

from collections.abc import Sequence
from dataclasses import dataclass

from assay.analysis.cliff import Intervals


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

    @property
    def intervals(self) -> Intervals:
        """The throughput over time; no counter of the device is read at a mark."""
        return Intervals(self.end_ns, self.dt_ns, self.bytes, [None] * len(self))

"""Throughput intervals of all trials of a run, in a constant number of statements."""

from collections import defaultdict
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from assay.analysis.course import Intervals
from assay.analysis.levels import LEAST_NS
from assay.analysis.statuses import COUNTED
from assay.runs.models import Attempt, Trial
from assay.samples import stored
from assay.samples.columns import SYNC
from assay.samples.rollup import FACTOR, LEVELS

FEWEST = 60
"""Intervals into which a trial of as many samples is divided at least; at most twice as many."""

FEWEST_EVERY = 600
"""As `FEWEST`, where an interval's bytes are prorated at the edges of a window."""

_WANTED = ("phase", "end_ns", "dt_ns", "bytes", "dev_write_bytes")


def of_run(session: Session, run_id: int, *, every: bool = False) -> dict[int, Intervals]:
    """Writing or reading of each attempt that counts and is long enough for two levels, by its id.

    With `every`, of those that are shorter as well, in finer intervals.

    The final sync is left out; an interval that it shares with the writing ends with the writing.
    """
    attempts = session.execute(
        select(Attempt.id, Attempt.app_ns, Attempt.sample_count)
        .join(Trial)
        .where(Trial.run_id == run_id, Attempt.status.in_(COUNTED))
        .where(Attempt.app_ns >= (1 if every else 2 * LEAST_NS), Attempt.sample_count > 0)
    ).all()
    fewest = FEWEST_EVERY if every else FEWEST
    of_level: defaultdict[int, dict[int, tuple[int, int]]] = defaultdict(dict)
    for attempt_id, app_ns, count in attempts:
        level = max((lv for lv in LEVELS if count >= fewest * FACTOR**lv), default=0)
        width = max(1, count // (fewest * FACTOR**level))
        of_level[level][attempt_id] = app_ns or 0, width
    found: dict[int, Intervals] = {}
    for level, wanted in of_level.items():
        for attempt_id, course in stored.of_attempts(session, run_id, wanted, level, _WANTED):
            found[attempt_id] = _intervals(course, *wanted[attempt_id])
    return found


def _intervals(course: dict[str, list[Any]], app_ns: int, width: int) -> Intervals:
    """Merge each `width` neighbors, without the sync."""
    ends: list[int] = []
    lengths: list[int] = []
    moved: list[int] = []
    device: list[int | None] = []
    columns = [course[name] for name in _WANTED]
    for at in range(0, len(course["phase"]), width):
        rows = [
            (end, end - length, size, written)
            for phase, end, length, size, written in zip(
                *(values[at : at + width] for values in columns), strict=True
            )
            if phase != SYNC or end - length < app_ns
        ]
        if not rows:
            continue
        row_ends, begins, sizes, writes = zip(*rows, strict=True)
        end = min(max(row_ends), app_ns)
        ends.append(end)
        lengths.append(end - min(begins))
        moved.append(sum(sizes))
        device.append(None if None in writes else sum(writes))
    return Intervals(ends, lengths, moved, device)

"""What the devices of a run's attempts moved over time, in a constant number of statements."""

from collections import defaultdict
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from assay.analysis.excess import MOST, DeviceReadings
from assay.analysis.statuses import COUNTED
from assay.runs.models import Attempt, Trial
from assay.samples import stored
from assay.samples.rollup import FACTOR, LEVELS

FEWEST = 4
"""Fewer samples do not show when the device began to write."""

_NEIGHBORS = ("neighbor_read_bytes", "neighbor_write_bytes")
_UNWRITTEN = ("mem_dirty_bytes", "mem_writeback_bytes")
_WANTED = (
    *("end_ns", "dt_ns", "bytes", "dev_read_bytes", "dev_write_bytes"),
    *(*_NEIGHBORS, *_UNWRITTEN),
)


def of_run(session: Session, run_id: int) -> dict[int, DeviceReadings]:
    """Return those of each attempt that counts and has enough samples, final sync included."""
    attempts = session.execute(
        select(Attempt.id, Attempt.sample_count)
        .join(Trial)
        .where(Trial.run_id == run_id, Attempt.status.in_(COUNTED))
        .where(Attempt.sample_count >= FEWEST)
    ).all()
    of_level: defaultdict[int, list[int]] = defaultdict(list)
    for attempt_id, count in attempts:
        level = max((one for one in LEVELS if count >= MOST * FACTOR**one), default=0)
        of_level[level].append(attempt_id)
    found: dict[int, DeviceReadings] = {}
    for level, wanted in of_level.items():
        for attempt_id, course in stored.of_attempts(session, run_id, wanted, level, _WANTED):
            if None not in course["dev_write_bytes"]:
                found[attempt_id] = _readings(course)
    return found


def _readings(course: dict[str, list[Any]]) -> DeviceReadings:
    neighbors = _added(course, _NEIGHBORS)
    return DeviceReadings(
        end_ns=course["end_ns"],
        dt_ns=course["dt_ns"],
        bytes=course["bytes"],
        dev_read_bytes=course["dev_read_bytes"],
        dev_write_bytes=course["dev_write_bytes"],
        unwritten_bytes=_added(course, _UNWRITTEN) or [],
        neighbor_bytes=neighbors,
    )


def _added(course: dict[str, list[Any]], names: tuple[str, str]) -> list[int] | None:
    one, other = (course[name] for name in names)
    if None in one or None in other:
        return None
    return [a + b for a, b in zip(one, other, strict=True)]

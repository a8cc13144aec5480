"""What hosts did during the attempts of a run, in a constant number of statements."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from assay.analysis.statuses import COUNTED
from assay.kinds.run_record import HostLoad, MemoryCourse
from assay.runs.models import Attempt, Trial
from assay.samples import stored
from assay.samples.columns import SYNC
from assay.samples.rollup import FACTOR, LEVELS

_CPU = (
    "cpu_user_ns",
    "cpu_system_ns",
    "cpu_softirq_ns",
    "cpu_iowait_ns",
    "cpu_steal_ns",
    "cpu_idle_ns",
)
_MEMORY = ("mem_dirty_bytes", "mem_writeback_bytes", "mem_available_bytes")
_WANTED = ("phase", "end_ns", "host_dt_ns", *_CPU, "cpu_busiest_ns", *_MEMORY)


@dataclass(frozen=True)
class ObservedHost:
    """A host during an attempt; `load` is null without an interval of its counters."""

    load: HostLoad | None
    memory: MemoryCourse


def of_run(session: Session, run_id: int) -> dict[int, ObservedHost]:
    """Return each attempt's host, if it counts, without its final sync, by the attempt's id."""
    attempts = session.execute(
        select(Attempt.id, Attempt.sample_count)
        .join(Trial)
        .where(Trial.run_id == run_id, Attempt.status.in_(COUNTED), Attempt.sample_count > 0)
    ).all()
    of_level: dict[int, list[int]] = {}
    for attempt_id, count in attempts:
        level = max((one for one in LEVELS if count >= 60 * FACTOR**one), default=0)
        of_level.setdefault(level, []).append(attempt_id)
    found: dict[int, ObservedHost] = {}
    for level, wanted in of_level.items():
        for attempt_id, course in stored.of_attempts(session, run_id, wanted, level, _WANTED):
            rows = [place for place, phase in enumerate(course["phase"]) if phase != SYNC]
            if rows:
                found[attempt_id] = ObservedHost(_load(course, rows), _memory(course, rows))
    return found


def _memory(course: Mapping[str, Sequence[int]], rows: Sequence[int]) -> MemoryCourse:
    dirty, writeback, available = (course[name] for name in _MEMORY)
    return MemoryCourse(
        end_ns=[course["end_ns"][place] for place in rows],
        dirty_bytes=[dirty[place] + writeback[place] for place in rows],
        available_bytes=[available[place] for place in rows],
    )


def _load(course: Mapping[str, Sequence[int]], rows: Sequence[int]) -> HostLoad | None:
    passed = sum(course["host_dt_ns"][place] for place in rows)
    spent = {name: sum(course[name][place] for place in rows) for name in _CPU}
    total = sum(spent.values())
    if not passed or not total:
        return None
    dirty = course["mem_dirty_bytes"]
    busy = sum(sum(course[name]) for name in ("cpu_user_ns", "cpu_system_ns", "cpu_softirq_ns"))
    return HostLoad(
        busiest_core=min(1.0, sum(course["cpu_busiest_ns"][place] for place in rows) / passed),
        user=spent["cpu_user_ns"] / total,
        system=spent["cpu_system_ns"] / total,
        softirq=spent["cpu_softirq_ns"] / total,
        iowait=spent["cpu_iowait_ns"] / total,
        dirty_growth_bytes=dirty[rows[-1]] - dirty[rows[0]],
        busy_ns=busy,
    )

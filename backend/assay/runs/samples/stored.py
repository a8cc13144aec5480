"""Reading an attempt's samples: from its blocks, and the newest from the raw chunks.

Of a whole run, in a constant number of statements: the throughput intervals of its trials, what the
devices of its attempts moved over time, and what hosts did meanwhile.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from assay.analysis.excess import MOST, DeviceReadings
from assay.analysis.levels import LEAST_NS
from assay.analysis.statuses import COUNTED
from assay.analysis.throughput import Intervals
from assay.kinds.run_record import HostLoad, MemoryCourse
from assay.runs.samples import blocks, raw
from assay.runs.samples.blocks import COURSE, FACTOR, LEVELS, Course, columns_of, merged, of_samples
from assay.runs.samples.columns import COLUMNS, SYNC
from assay.tables.database import among
from assay.tables.runs import Attempt, Trial
from assay.tables.samples import SampleBlock


@dataclass(frozen=True)
class Window:
    """A part of a trial, in ns since its clock started; `until_ns` is exclusive."""

    since_ns: int
    until_ns: int


@dataclass(frozen=True)
class _Stretch:
    """Neighboring samples: those of a block, or the newest ones, which are in no block."""

    first: int
    count: int
    course: Course | None = None


class Samples:
    """The samples of one attempt, in a window or all of them."""

    def __init__(self, session: Session, attempt: Attempt, window: Window | None = None) -> None:
        """Find the blocks that may overlap the window; the newest samples are read at once."""
        self._session, self._window = session, window
        self._run_id = session.scalars(
            select(Trial.run_id).where(Trial.id == attempt.trial_id)
        ).one()
        self._attempt_id = attempt.id
        wanted = select(SampleBlock.first, SampleBlock.count).where(*self._of_attempt())
        if window is not None:
            wanted = wanted.where(
                SampleBlock.end_ns > window.since_ns, SampleBlock.begin_ns < window.until_ns
            )
        self._parts = [
            _Stretch(*row) for row in session.execute(wanted.order_by(SampleBlock.first))
        ]
        if attempt.sealed < attempt.sample_count:
            rows = [values for _, values in raw.unsealed(session, [attempt.id])[attempt.id]]
            tail = _inside(of_samples(columns_of(rows)), window)
            self._parts.append(_Stretch(attempt.sealed, len(tail["count"]), tail))
        self.count = sum(part.count for part in self._parts)
        """Upper limit of the number of samples: a partly used block counts completely."""

    def course(self, level: int) -> Course:
        """Return samples (level 0) or the buckets of a level, as columns."""
        found: dict[str, list[int | None]] = {column.name: [] for column in COURSE}
        sealed = [part for part in self._parts if part.course is None]
        if sealed:
            data = SampleBlock.rollups if level else SampleBlock.samples
            of_blocks = self._session.execute(
                select(SampleBlock.format, data, SampleBlock.count)
                .where(*self._of_attempt())
                .where(SampleBlock.first.between(sealed[0].first, sealed[-1].first))
                .order_by(SampleBlock.first)
            )
            for version, packed, count in of_blocks:
                _extend(found, _inside(blocks.read(version, packed, count, level), self._window))
        for part in self._parts:
            if part.course is not None:
                tail = merged(part.course, FACTOR**level) if level else part.course
                _extend(found, tail)
        return found

    def _of_attempt(self) -> tuple[Any, ...]:
        return SampleBlock.run_id == self._run_id, SampleBlock.attempt_id == self._attempt_id


class Segment:
    """The samples of an attempt in its trial, which others may continue."""

    def __init__(
        self,
        session: Session,
        attempt: Attempt,
        window: Window | None,
        until_ns: int | None = None,
        *,
        alone: bool = False,
    ) -> None:
        """Find the samples that end by `until_ns`; it and the window count from the trial's start.

        Those of the attempt count from its own start, `done_ns` later; if `alone`, all do.
        """
        self._done_ns, self._until_ns = 0 if alone else attempt.done_ns, until_ns
        inside = window
        if window is not None and self._done_ns:
            begin, end = (max(0, at - self._done_ns) for at in (window.since_ns, window.until_ns))
            inside = Window(begin, end)
        self._samples = Samples(session, attempt, inside)
        self.count = self._samples.count

    def course(self, level: int) -> Course:
        """Return samples (level 0) or the buckets of a level, as columns."""
        found = self._samples.course(level)
        if not self._done_ns and self._until_ns is None:
            return found
        ends = [self._done_ns + (end or 0) for end in found["end_ns"]]
        count = len(ends) if self._until_ns is None else bisect_right(ends, self._until_ns)
        moved: dict[str, Sequence[int | None]] = {**found, "end_ns": ends}
        return {name: list(values[:count]) for name, values in moved.items()}


def joined(courses: Sequence[Course]) -> Course:
    """Return the samples of several segments, one after the other."""
    if len(courses) == 1:
        return courses[0]
    return {name: [value for one in courses for value in one[name]] for name in courses[0]}


def rows(session: Session, attempt: Attempt) -> list[dict[str, int | None]]:
    """Return all samples of an attempt, each by the names of its columns."""
    course = Samples(session, attempt).course(0)
    names = [column.name for column in COLUMNS]
    values = zip(*(course[name] for name in names), strict=True)
    return [dict(zip(names, row, strict=True)) for row in values]


def of_attempts(
    session: Session, run_id: int, attempt_ids: Collection[int], level: int, wanted: Sequence[str]
) -> Iterator[tuple[int, dict[str, list[Any]]]]:
    """Yield columns of the blocks of ended attempts of a run at a level, attempt by attempt."""
    data = SampleBlock.rollups if level else SampleBlock.samples
    of_blocks = session.execute(
        select(SampleBlock.attempt_id, SampleBlock.format, data, SampleBlock.count)
        .where(SampleBlock.run_id == run_id, among(session, SampleBlock.attempt_id, attempt_ids))
        .order_by(SampleBlock.attempt_id, SampleBlock.first)
        .execution_options(yield_per=50)
    )
    for attempt_id, parts in groupby(of_blocks, key=lambda row: row[0]):
        course: dict[str, list[Any]] = {name: [] for name in wanted}
        for _, version, packed, count in parts:
            _extend(course, blocks.read(version, packed, count, level, wanted))
        yield attempt_id, course


def _extend(course: dict[str, list[Any]], more: Course) -> None:
    for name, values in course.items():
        values.extend(more[name])


def _inside(course: Course, window: Window | None) -> Course:
    """Return the part of an interval that is in the window."""
    if window is None:
        return course
    ends: Sequence[Any] = course["end_ns"]
    lengths: Sequence[Any] = course["dt_ns"]
    kept = [
        i
        for i, (end, length) in enumerate(zip(ends, lengths, strict=True))
        if end > window.since_ns and end - length < window.until_ns
    ]
    return {name: [values[i] for i in kept] for name, values in course.items()}


FEWEST_INTERVALS = 60
"""Intervals into which a trial of as many samples is divided at least; at most twice as many."""

FEWEST_EVERY = 600
"""As `FEWEST`, where an interval's bytes are prorated at the edges of a window."""

_INTERVAL_COLUMNS = ("phase", "end_ns", "dt_ns", "bytes", "dev_write_bytes")


def intervals_of_run(session: Session, run_id: int, *, every: bool = False) -> dict[int, Intervals]:
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
    fewest = FEWEST_EVERY if every else FEWEST_INTERVALS
    of_level: defaultdict[int, dict[int, tuple[int, int]]] = defaultdict(dict)
    for attempt_id, app_ns, count in attempts:
        level = max((lv for lv in LEVELS if count >= fewest * FACTOR**lv), default=0)
        width = max(1, count // (fewest * FACTOR**level))
        of_level[level][attempt_id] = app_ns or 0, width
    found: dict[int, Intervals] = {}
    for level, wanted in of_level.items():
        for attempt_id, course in of_attempts(session, run_id, wanted, level, _INTERVAL_COLUMNS):
            found[attempt_id] = _intervals(course, *wanted[attempt_id])
    return found


def _intervals(course: dict[str, list[Any]], app_ns: int, width: int) -> Intervals:
    """Merge each `width` neighbors, without the sync."""
    ends: list[int] = []
    lengths: list[int] = []
    moved: list[int] = []
    device: list[int | None] = []
    columns = [course[name] for name in _INTERVAL_COLUMNS]
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


_FEWEST_READINGS = 4
"""Fewer samples do not show when the device began to write."""

_NEIGHBORS = ("neighbor_read_bytes", "neighbor_write_bytes")
_UNWRITTEN = ("mem_dirty_bytes", "mem_writeback_bytes")
_DEVICE_COLUMNS = (
    *("end_ns", "dt_ns", "bytes", "dev_read_bytes", "dev_write_bytes"),
    *(*_NEIGHBORS, *_UNWRITTEN),
)


def device_readings_of_run(session: Session, run_id: int) -> dict[int, DeviceReadings]:
    """Return those of each attempt that counts and has enough samples, final sync included."""
    attempts = session.execute(
        select(Attempt.id, Attempt.sample_count)
        .join(Trial)
        .where(Trial.run_id == run_id, Attempt.status.in_(COUNTED))
        .where(Attempt.sample_count >= _FEWEST_READINGS)
    ).all()
    of_level: defaultdict[int, list[int]] = defaultdict(list)
    for attempt_id, count in attempts:
        level = max((one for one in LEVELS if count >= MOST * FACTOR**one), default=0)
        of_level[level].append(attempt_id)
    found: dict[int, DeviceReadings] = {}
    for level, wanted in of_level.items():
        for attempt_id, course in of_attempts(session, run_id, wanted, level, _DEVICE_COLUMNS):
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


_CPU = (
    "cpu_user_ns",
    "cpu_system_ns",
    "cpu_softirq_ns",
    "cpu_iowait_ns",
    "cpu_steal_ns",
    "cpu_idle_ns",
)
_MEMORY = ("mem_dirty_bytes", "mem_writeback_bytes", "mem_available_bytes")
_HOST_COLUMNS = ("phase", "end_ns", "host_dt_ns", *_CPU, "cpu_busiest_ns", *_MEMORY)


@dataclass(frozen=True)
class ObservedHost:
    """A host during an attempt; `load` is null without an interval of its counters."""

    load: HostLoad | None
    memory: MemoryCourse


def hosts_of_run(session: Session, run_id: int) -> dict[int, ObservedHost]:
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
        for attempt_id, course in of_attempts(session, run_id, wanted, level, _HOST_COLUMNS):
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

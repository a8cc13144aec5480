"""Reading an attempt's samples: from its blocks, and the newest from the raw chunks."""

from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from assay.db.database import among
from assay.runs.models import Attempt, Trial
from assay.samples import blocks, raw
from assay.samples.columns import COLUMNS
from assay.samples.models import SampleBlock
from assay.samples.rollup import COURSE, FACTOR, Course, columns_of, merged, of_samples


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

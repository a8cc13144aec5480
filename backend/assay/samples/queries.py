"""Reading samples: from the coarsest roll-up that still fills the picture."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Table, select
from sqlalchemy.orm import Session

from assay.analysis.cells import DISTURBED
from assay.http.errors import NotFound
from assay.runs.attempts import deciding
from assay.runs.models import Attempt, Participant, Run, Trial
from assay.samples.columns import NAMES, SYNC
from assay.samples.models import ROLLUP_FACTOR, ROLLUP_LEVELS, rollups, samples
from assay.samples.rollup import rate
from assay.samples.schemas import SamplesOut
from assay.samples.series import COURSE, Course, columns, thin
from assay.samples.shares import Cpus

FRESH_LIMIT = 2000
"""Most samples that a live page is sent at once; it takes the rest from a snapshot."""

FRAGMENTS = 5
"""An interval more than so many times shorter than the sampling interval is a fragment."""

_FRESH = ("end_ns", "dt_ns", "bytes", "ops", "lat_max_ns", "oldest_ns")


@dataclass(frozen=True)
class Fresh:
    """New samples of one attempt: [end_ns, dt_ns, bytes, ops, lat_max_ns, oldest_ns] each."""

    run_id: int
    trial_id: int
    attempt: int
    points: list[list[int]]


@dataclass(frozen=True)
class Window:
    """A stretch of a trial, in ns since its clock started; `until` itself is not part of it."""

    since: int
    until: int


def series(
    session: Session,
    trial_id: int,
    points: int,
    number: int | None = None,
    window: Window | None = None,
) -> SamplesOut:
    """A trial's time series, or a window of it, in at most `points` points.

    Of attempt `number`, else of the one that decides the trial; empty when that was suspended or
    starved, since the storage did not make its stalls. Raises NotFound.
    """
    attempt, sample_ms = _attempt(session, trial_id, number)
    numbers = range(attempt.sample_count)
    if number is None and attempt.status in DISTURBED:
        numbers, window = range(0), Window(0, 0)
    elif window is not None:
        numbers = _numbers(session, attempt, window)
    level = _level(len(numbers), points)
    course = _course(session, attempt.id, level, numbers, window)
    hello = session.scalars(
        select(Participant.hello).where(Participant.id == attempt.participant_id)
    ).one()
    shown, implausible = columns(thin(course, points), Cpus.of(hello))
    return SamplesOut(
        trial_id=trial_id,
        attempt=attempt.number,
        sample_ns=sample_ms * 10**6,
        count=sum(count or 0 for count in course["count"]),
        level=level,
        columns=shown,
        implausible=implausible,
    )


def rates(session: Session, trial_id: int, points: int) -> list[float]:
    """The throughput of a trial in bytes per second, in at most `points` points.

    It ends where the final sync begins, which moves no bytes. Fragments, shorter than a fifth of
    the sampling interval, are no rate and are left out.
    """
    found = series(session, trial_id, points)
    shown = found.columns
    return [
        speed or 0
        for speed, phase, length in zip(
            shown.rate_mean_bytes_per_s, shown.phase, shown.dt_ns, strict=True
        )
        if phase != SYNC and (length or 0) >= found.sample_ns / FRAGMENTS
    ]


def samples_since(session: Session, run_id: int, after: int | None) -> tuple[list[Fresh], int]:
    """Samples stored since event `after` (a `seq`), by attempt, and the `seq` to go on from.

    Without `after`, nothing but where to begin: a live page has taken its snapshot. They are of
    the run's first participant, and none of an attempt that was suspended or starved.
    """
    found = session.execute(
        select(Participant.id, Participant.next_seq)
        .where(Participant.run_id == run_id)
        .order_by(Participant.position)
        .limit(1)
    ).first()
    if found is None:
        return [], after or 0
    newest = found.next_seq - 1
    if after is None or after >= newest:
        return [], newest
    rows = session.execute(
        select(Attempt.trial_id, Attempt.number, *(samples.c[name] for name in _FRESH))
        .join(Attempt, Attempt.id == samples.c.attempt_id)
        .where(samples.c.participant_id == found.id, samples.c.seq > after)
        .where(Attempt.status.not_in(DISTURBED))
        .order_by(samples.c.seq.desc())
        .limit(FRESH_LIMIT)
    ).all()
    by_attempt: dict[tuple[int, int], list[list[int]]] = {}
    for row in reversed(rows):
        trial_id, number, *values = tuple(row)
        by_attempt.setdefault((trial_id, number), []).append(values)
    fresh = [Fresh(run_id, *attempt, points) for attempt, points in by_attempt.items()]
    return fresh, newest


def _attempt(session: Session, trial_id: int, number: int | None) -> tuple[Attempt, int]:
    attempts = session.scalars(
        select(Attempt).where(Attempt.trial_id == trial_id).order_by(Attempt.number)
    ).all()
    chosen = (
        deciding(attempts)
        if number is None
        else next((a for a in attempts if a.number == number), None)
    )
    if chosen is None:
        raise NotFound("attempt at trial", trial_id)
    parameters = session.scalars(
        select(Run.parameters).join(Trial, Trial.run_id == Run.id).where(Trial.id == trial_id)
    ).one()
    return chosen, int(parameters.get("sample_ms", 1000))


def _level(count: int, points: int) -> int:
    """The coarsest level that still has half the points, so that few rows are read."""
    fitting = [lv for lv in ROLLUP_LEVELS if 2 * (count // ROLLUP_FACTOR**lv) >= points]
    return max(fitting, default=0)


def _numbers(session: Session, attempt: Attempt, window: Window) -> range:
    """Which samples of the attempt may lie in the window, found by its widest buckets."""
    widest = ROLLUP_LEVELS[-1]
    buckets = session.scalars(
        select(rollups.c.bucket)
        .where(rollups.c.attempt_id == attempt.id, rollups.c.level == widest)
        .where(*_inside(rollups, window))
        .order_by(rollups.c.bucket)
    ).all()
    if not buckets:
        return range(0)
    width = ROLLUP_FACTOR**widest
    return range(buckets[0] * width, min((buckets[-1] + 1) * width, attempt.sample_count))


def _inside(table: Table, window: Window) -> tuple[ColumnElement[bool], ...]:
    """Whatever of an interval lies in the window."""
    return table.c.end_ns > window.since, table.c.end_ns - table.c.dt_ns < window.until


def _course(
    session: Session, attempt_id: int, level: int, numbers: range, window: Window | None
) -> Course:
    """The samples of these numbers, or the buckets of a level that hold them."""
    table, place = (rollups, rollups.c.bucket) if level else (samples, samples.c.number)
    names = [column.name for column in COURSE] if level else list(NAMES)
    wanted = (
        select(*(table.c[name] for name in names))
        .where(table.c.attempt_id == attempt_id)
        .order_by(place)
    )
    if level:
        wanted = wanted.where(rollups.c.level == level)
    if window is not None:
        width = ROLLUP_FACTOR**level
        wanted = wanted.where(place >= numbers.start // width, place * width < numbers.stop)
        wanted = wanted.where(*_inside(table, window))
    rows = session.execute(wanted).all()
    course: dict[str, Sequence[Any]] = {column.name: () for column in COURSE}
    course |= zip(names, zip(*rows, strict=True))  # noqa: B905 (no rows have no columns)
    if level == 0:
        speed = list(map(rate, course["bytes"], course["dt_ns"]))
        course |= {"count": [1] * len(rows), "rate_min": speed, "rate_max": speed}
    return course

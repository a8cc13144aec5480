"""Queries for samples, from the coarsest roll-up with enough points, and for marks."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from assay.analysis.statuses import DISTURBED
from assay.analysis.throughput import FOREVER, Marks
from assay.base.errors import NotFound
from assay.kinds.registry import KINDS
from assay.runs.attempts import continued, deciding
from assay.runs.samples import raw
from assay.runs.samples.blocks import FACTOR, LEVELS
from assay.runs.samples.columns import NAMES, SYNC
from assay.runs.samples.links import link_series, of_attempt
from assay.runs.samples.marks import mark_series, of_attempts
from assay.runs.samples.schemas import LinksOut, MarksOut, SamplesOut
from assay.runs.samples.series import Cpus, columns, thin
from assay.runs.samples.stored import Segment, Window, joined
from assay.tables.database import among
from assay.tables.runs import Attempt, Participant, Run, Trial

FRESH_LIMIT = 2000
"""Maximum number of samples sent to a live page at once; it gets the rest from a snapshot."""

FRAGMENTS = 5
"""An interval shorter than the sampling interval by more than this factor is a fragment."""

_NO_MARKS = Marks((), (), (), (), (), (), (), (), (), ())

_FRESH = tuple(
    NAMES.index(name)
    for name in (
        "end_ns",
        "dt_ns",
        "bytes",
        "ops",
        "lat_max_ns",
        "oldest_ns",
        "dev_write_bytes",
        "phase",
    )
)


@dataclass(frozen=True)
class Fresh:
    """New samples of one attempt, each [end_ns, dt_ns, bytes, ops, lat_max_ns, oldest_ns,
    dev_write_bytes, phase]; the device's bytes are null where they are unknown.
    """

    run_id: int
    participant_id: int
    trial_id: int
    attempt: int
    points: list[list[int | None]]


def series(
    session: Session,
    trial_id: int,
    points: int,
    number: int | None = None,
    window: Window | None = None,
    *,
    participant_id: int | None = None,
) -> SamplesOut:
    """A trial's time series at a participant, or a window of it, in at most `points` points.

    Of attempt `number`, else of the one that decides the trial, after those that it continues; then
    times count from the first one's start. Empty when that was suspended or starved, since the
    storage did not make its stalls. Of the first participant where none is named. Raises NotFound.
    """
    attempt, earlier, sample_ms = _attempt(session, trial_id, number, participant_id)
    if number is None and attempt.status in DISTURBED:
        window = Window(0, 0)
    segments = [Segment(session, one, window, until_ns) for one, until_ns in earlier]
    segments.append(Segment(session, attempt, window, alone=number is not None))
    level = _level(sum(one.count for one in segments), points)
    course = joined([one.course(level) for one in segments])
    hello = session.scalars(
        select(Participant.hello).where(Participant.id == attempt.participant_id)
    ).one()
    shown, implausible = columns(thin(course, points), Cpus.of(hello))
    return SamplesOut(
        trial_id=trial_id,
        participant_id=attempt.participant_id,
        attempt=attempt.number,
        sample_ns=sample_ms * 10**6,
        count=sum(count or 0 for count in course["count"]),
        level=level,
        columns=shown,
        implausible=implausible,
    )


def marks(
    session: Session,
    trial_id: int,
    points: int,
    number: int | None = None,
    window: tuple[int, int] | None = None,
    *,
    participant_id: int | None = None,
) -> MarksOut:
    """A trial's marks at a participant in at most `points` points, chosen as in `series`.

    `window` is in bytes since the trial began. Raises NotFound.
    """
    attempt, earlier, _ = _attempt(session, trial_id, number, participant_id)
    run_id = session.scalars(select(Trial.run_id).where(Trial.id == trial_id)).one()
    shows = number is not None or attempt.status not in DISTURBED
    ids = [attempt.id, *(one.id for one, _ in earlier)]
    found = of_attempts(session, run_id, ids) if shows else {}
    begin_ns = attempt.done_ns if number is None else 0
    whole = found.get(attempt.id, _NO_MARKS).within(FOREVER, begin_ns)
    for one, until_ns in reversed(earlier):
        whole = found[one.id].within(until_ns - one.done_ns, one.done_ns) + whole
    return MarksOut(
        trial_id=trial_id,
        participant_id=attempt.participant_id,
        attempt=attempt.number,
        columns=mark_series(
            whole, points, window, ramp_bytes=0 if earlier else _ramp_bytes(attempt)
        ),
    )


def links(
    session: Session,
    trial_id: int,
    points: int,
    number: int | None = None,
    window: tuple[int, int] | None = None,
    *,
    participant_id: int | None = None,
) -> LinksOut:
    """A trial's streams and pipeline at a participant, in at most `points` points.

    Chosen as in `series`; `window` is in nanoseconds since the trial began. Raises NotFound.
    """
    attempt, _, _ = _attempt(session, trial_id, number, participant_id)
    run_id = session.scalars(select(Trial.run_id).where(Trial.id == trial_id)).one()
    shows = number is not None or attempt.status not in DISTURBED
    found = of_attempt(session, run_id, attempt) if shows else []
    return LinksOut(
        trial_id=trial_id,
        participant_id=attempt.participant_id,
        attempt=attempt.number,
        columns=link_series(found, points, window),
    )


def _ramp_bytes(attempt: Attempt) -> int:
    """Return the bytes before the first mark; not known before the attempt's end."""
    detail: dict[str, int] = (attempt.result or {}).get("detail") or {}
    return detail.get("ramp_bytes", 0)


def rates(session: Session, trial_id: int, points: int) -> list[float]:
    """Return the throughput of a trial in bytes per second, in at most `points` points.

    It ends where the final sync begins, which moves no bytes. Fragments, shorter than a fifth of
    the sampling interval, are no rate and are left out. Of several participants it is the sum of
    those with the role that scores the trial, by default the first one's: written and read bytes do
    not add up.
    """
    participants = session.execute(
        select(Participant.id, Participant.role, Run.kind, Trial.parameters)
        .join(Trial, Trial.run_id == Participant.run_id)
        .join(Run, Run.id == Trial.run_id)
        .where(Trial.id == trial_id)
        .order_by(Participant.position)
    ).all()
    first = participants[0]
    role = KINDS[first.kind].scored_role(first.parameters) or first.role
    of_each = [
        _rates(series(session, trial_id, points, participant_id=one.id))
        for one in participants
        if one.role == role
    ]
    if len(of_each) == 1:
        return [rate for _, rate in of_each[0]]
    return _summed(of_each, points)


def _rates(found: SamplesOut) -> list[tuple[float, float]]:
    """The end of each interval in ns, and its rate."""
    shown = found.columns
    return [
        (end or 0, speed or 0)
        for end, speed, phase, length in zip(
            shown.t_ns, shown.rate_mean_bytes_per_s, shown.phase, shown.dt_ns, strict=True
        )
        if phase != SYNC and (length or 0) >= found.sample_ns / FRAGMENTS
    ]


def _summed(of_each: Sequence[Sequence[tuple[float, float]]], points: int) -> list[float]:
    """Return the sum of several throughput curves at equal intervals; ended ones add nothing."""
    longest = max((course[-1][0] for course in of_each if course), default=0)
    times = [longest * (i + 0.5) / points for i in range(points)] if longest else []
    found = [0.0] * len(times)
    for course in of_each:
        ends = [end for end, _ in course]
        for i, time in enumerate(times):
            at = bisect_left(ends, time)
            found[i] += course[at][1] if at < len(course) else 0.0
    return found


def samples_since(
    session: Session, participant_id: int, after: int | None
) -> tuple[list[Fresh], int]:
    """Return samples stored since byte `after` of the log, by attempt, and the next byte.

    Without `after`, nothing but where to begin: a live page has taken its snapshot. There are none
    of an attempt that was suspended or starved.
    """
    found = session.get_one(Participant, participant_id)
    if after is None or after >= found.offset:
        return [], found.offset
    by_attempt: defaultdict[tuple[int, int], list[list[Any]]] = defaultdict(list)
    for sample in raw.samples_since(session, found.id, after, FRESH_LIMIT):
        point: list[Any] = [sample.values[place] for place in _FRESH]
        by_attempt[sample.position, sample.attempt].append(point)
    attempts = session.execute(
        select(Trial.position, Trial.id, Attempt.number, Attempt.done_ns)
        .join(Attempt, Attempt.trial_id == Trial.id)
        .where(Trial.run_id == found.run_id)
        .where(among(session, Trial.position, {position for position, _ in by_attempt}))
        .where(Attempt.participant_id == found.id, Attempt.status.not_in(DISTURBED))
        .order_by(Attempt.id)
    )
    fresh = [
        Fresh(
            found.run_id,
            found.id,
            trial_id,
            number,
            [[end + done_ns, *rest] for end, *rest in by_attempt[position, number]],
        )
        for position, trial_id, number, done_ns in attempts
        if (position, number) in by_attempt
    ]
    return fresh, found.offset


def _attempt(
    session: Session, trial_id: int, number: int | None, participant_id: int | None
) -> tuple[Attempt, list[tuple[Attempt, int]], int]:
    """Return the attempt, those that it continues with the time up to which each counts, and the
    sampling interval in ms.
    """
    attempts = session.scalars(
        select(Attempt).where(Attempt.trial_id == trial_id).order_by(Attempt.number)
    ).all()
    participants = session.scalars(
        select(Participant.id)
        .join(Trial, Trial.run_id == Participant.run_id)
        .where(Trial.id == trial_id)
        .order_by(Participant.position)
    ).all()
    if participant_id is None and participants:
        participant_id = participants[0]
    at = [a for a in attempts if a.participant_id == participant_id]
    chosen = (
        next((a for a in deciding(attempts, participants) if a in at), None)
        if number is None
        else next((a for a in at if a.number == number), None)
    )
    if chosen is None:
        raise NotFound("attempt at trial", trial_id)
    parameters = session.scalars(
        select(Run.parameters).join(Trial, Trial.run_id == Run.id).where(Trial.id == trial_id)
    ).one()
    chain = continued(attempts, chosen) if number is None else []
    ends = [(one, later.done_ns) for one, later in pairwise([*chain, chosen])]
    return chosen, ends, int(parameters.get("sample_ms", 1000))


def _level(count: int, points: int) -> int:
    """Return the coarsest level with at least half the points, so that few blocks are read."""
    fitting = [lv for lv in LEVELS if 2 * (count // FACTOR**lv) >= points]
    return max(fitting, default=0)

"""Expected durations: what earlier runs took at the same places. Pure.

A trial takes as long as the earlier trials that are nearest to it: of the same variant, with the
most similar block size and number of threads, then of the most similar size. What happens between
trials, and before the first one, is taken from the earlier runs as well.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import log2
from statistics import median
from typing import Any

from sqlalchemy import Row, func, select
from sqlalchemy.orm import Session

from assay.analysis.statuses import COUNTED
from assay.kinds.planning import Extent, PlannedRun
from assay.kinds.registry import KINDS, trial_parameters
from assay.runs.lifecycle import DONE
from assay.runs.participants import Seat, seats
from assay.tables.campaigns import deleted
from assay.tables.database import among
from assay.tables.runs import Attempt, Participant, Run, Trial


@dataclass(frozen=True)
class EarlierTrials:
    """All trials of one cell of an earlier run, at the participant that took longest.

    `bytes` are what they moved, `app_s` how long that took, `sync_s` how long their final syncs
    took in addition.
    """

    extent: Extent
    trials: int
    bytes: int
    app_s: float
    sync_s: float


@dataclass(frozen=True)
class EarlierRun:
    """An earlier run with the same participants and the same parameters that determine its rates.

    `before_s` is the time before its first trial, `gap_s` the mean time between two trials.
    """

    id: int
    ended_at: datetime
    before_s: float
    gap_s: float
    cells: Sequence[EarlierTrials]


def expected_s(planned: PlannedRun, earlier: Sequence[EarlierRun]) -> float | None:
    """Return how long a planned run takes; None if earlier runs do not tell it for every cell."""
    if not earlier:
        return None
    known = [cell for run in earlier for cell in run.cells]
    limit_s = planned.longest_s / planned.trials
    seconds = 0.0
    for extent in planned.extents:
        nearest = [] if extent is None else _nearest(extent, known)
        if extent is None or not nearest:
            return None
        seconds += median(_trial_s(extent, cell, limit_s) for cell in nearest)
    scale = _size_ratio(planned.extents, known) if planned.prepared_bytes else 1.0
    before = median(run.before_s for run in earlier)
    gap = median(run.gap_s for run in earlier)
    repeats = planned.trials // planned.cells
    return scale * (before + (planned.trials - 1) * gap) + repeats * seconds


def _nearest(extent: Extent, known: Iterable[EarlierTrials]) -> list[EarlierTrials]:
    """Return the cells that are most similar, all of them equally; none of another variant."""
    alike = [
        (_distance(extent, cell.extent), cell)
        for cell in known
        if cell.extent.variant == extent.variant
        and bool(cell.extent.bytes) == bool(extent.bytes)
        and (cell.bytes or not extent.bytes)
    ]
    least = min((distance for distance, _ in alike), default=None)
    return [cell for distance, cell in alike if distance == least]


def _distance(one: Extent, other: Extent) -> tuple[float, float]:
    """Return how many times block and threads double from one to the other, then the size."""
    shape = _doublings(one.block, other.block) + _doublings(one.threads, other.threads)
    return shape, _doublings(one.bytes, other.bytes)


def _doublings(one: int, other: int) -> float:
    return abs(log2(max(1, one)) - log2(max(1, other)))


def _trial_s(extent: Extent, cell: EarlierTrials, limit_s: float) -> float:
    """Return how long a trial takes at the rate of a cell, with its final sync."""
    if not extent.bytes:  # a duration ends it: only what came on top is taken from the earlier ones
        each = (cell.app_s + cell.sync_s) / cell.trials
        return extent.seconds + max(0.0, each - cell.extent.seconds)
    app = extent.bytes * cell.app_s / cell.bytes
    moved = min(1.0, limit_s / app) if app else 1.0
    return moved * (app + extent.bytes * cell.sync_s / cell.bytes)


def _size_ratio(planned: Sequence[Extent | None], known: Sequence[EarlierTrials]) -> float:
    """Return how much larger the largest trial is than that of the earlier runs."""
    largest = max((extent.bytes for extent in planned if extent), default=0)
    before = max((cell.extent.bytes for cell in known), default=0)
    return largest / before if largest and before else 1.0


MOST_LOOKED_AT = 30
"""The newest runs of a kind at a place among which similar ones are looked for."""

MOST_USED = 5
"""The newest similar runs that an expectation uses."""

MOST_TRIALS = 2000
"""A run with more trials is not used: reading them would take longer than a person waits."""


def earlier_runs(
    session: Session, planned: Sequence[Sequence[PlannedRun]]
) -> list[list[EarlierRun]]:
    """Return the earlier runs that are similar to each planned one, newest first.

    They are done, had the same participants, and the same parameters on which durations depend.
    """
    found = _newest(session, planned)
    seated = seats(session, list(found))
    similar = [
        [
            run
            for run in found.values()
            if run.kind == parts[0].kind
            and seated[run.id] == sorted(map(seat, parts), key=str)
            and all(
                run.parameters.get(name) == parts[0].parameters.get(name)
                for name in KINDS[run.kind].paced_by
            )
        ][:MOST_USED]
        for parts in planned
    ]
    used = {run.id: run for runs in similar for run in runs}
    told = _told(session, used)
    return [[told[run.id] for run in runs if run.id in told] for runs in similar]


def seat(part: PlannedRun) -> Seat:
    """Return the seat of a planned run's participant."""
    return part.role, part.place.host_id, part.place.target_id


def _newest(
    session: Session, planned: Sequence[Sequence[PlannedRun]]
) -> dict[int, Row[*tuple[Any, ...]]]:
    """Return the newest runs of the planned kinds by id, as far as they are at the same places."""
    hosts = {part.place.host_id for parts in planned for part in parts}
    kinds = {parts[0].kind for parts in planned}
    place = (Run.kind, Participant.role, Participant.host_id, Participant.target_id)
    age = func.row_number().over(partition_by=place, order_by=Run.id.desc())
    ranked = (
        select(Run.id, age.label("age"))
        .join(Participant, Participant.run_id == Run.id)
        .where(
            Participant.position == 0,
            among(session, Participant.host_id, hosts),
            Run.kind.in_(kinds),
            Run.state == DONE,
            Run.campaign_id.not_in(deleted()),
            Run.trials_total <= MOST_TRIALS,
        )
        .subquery()
    )
    rows = session.execute(
        select(Run.id, Run.kind, Run.parameters, Run.started_at, Run.ended_at)
        .join(ranked, ranked.c.id == Run.id)
        .where(ranked.c.age <= MOST_LOOKED_AT)
        .order_by(Run.id.desc())
    )
    return {row.id: row for row in rows}


def _told(session: Session, runs: dict[int, Row[*tuple[Any, ...]]]) -> dict[int, EarlierRun]:
    """Return what the attempts of runs tell, by the runs' ids; runs without any are left out."""
    attempts: defaultdict[int, list[Row[*tuple[Any, ...]]]] = defaultdict(list)
    for row in session.execute(
        select(
            Trial.run_id,
            Trial.id.label("trial_id"),
            Trial.cell,
            Participant.position,
            Attempt.started_at,
            (Attempt.bytes + Attempt.done_bytes).label("bytes"),
            (Attempt.app_ns + Attempt.done_ns).label("app_ns"),
            func.coalesce(Attempt.durable_ns, Attempt.app_ns).label("own_durable_ns"),
            Attempt.app_ns.label("own_app_ns"),
        )
        .join(Trial, Trial.id == Attempt.trial_id)
        .join(Participant, Participant.id == Attempt.participant_id)
        .where(
            among(session, Trial.run_id, list(runs)),
            Attempt.status.in_(COUNTED),
            Attempt.app_ns > 0,
        )
    ):
        attempts[row.run_id].append(row)
    extents = _extents(session, runs, attempts)
    return {
        run_id: EarlierRun(
            run_id, runs[run_id].ended_at, *_besides(runs[run_id], rows), _cells(rows, extents)
        )
        for run_id, rows in attempts.items()
    }


def _extents(
    session: Session,
    runs: dict[int, Row[*tuple[Any, ...]]],
    attempts: dict[int, list[Row[*tuple[Any, ...]]]],
) -> dict[tuple[int, str], Extent | None]:
    """Return what the duration depends on, by run and cell."""
    first = {(row.run_id, row.cell): row.trial_id for rows in attempts.values() for row in rows}
    parameters = session.execute(
        select(Trial.run_id, Trial.cell, Trial.parameters).where(
            among(session, Trial.id, list(first.values()))
        )
    )
    return {
        (run_id, cell): trial_parameters(runs[run_id].kind, given).extent
        for run_id, cell, given in parameters
    }


def _cells(
    rows: Sequence[Row[*tuple[Any, ...]]], extents: dict[tuple[int, str], Extent | None]
) -> list[EarlierTrials]:
    """Return the cells of a run, each at the participant that took longest."""
    by_part: defaultdict[tuple[str, int], list[Row[*tuple[Any, ...]]]] = defaultdict(list)
    for row in rows:
        by_part[row.cell, row.position].append(row)
    slowest: dict[str, EarlierTrials] = {}
    for (cell, _), of_part in by_part.items():
        extent = extents[of_part[0].run_id, cell]
        if extent is None:
            continue
        one = EarlierTrials(
            extent=extent,
            trials=len(of_part),
            bytes=sum(row.bytes for row in of_part),
            app_s=sum(row.app_ns for row in of_part) / 1e9,
            sync_s=sum(row.own_durable_ns - row.own_app_ns for row in of_part) / 1e9,
        )
        before = slowest.get(cell)
        if before is None or one.app_s + one.sync_s > before.app_s + before.sync_s:
            slowest[cell] = one
    return list(slowest.values())


def _besides(
    run: Row[*tuple[Any, ...]], rows: Sequence[Row[*tuple[Any, ...]]]
) -> tuple[float, float]:
    """Return the seconds before the first trial, and the mean of those between two trials.

    Starts of trials are by the clock of the first participant's host, so only their differences are
    used.
    """
    own = [row for row in rows if row.position == 0 and row.started_at is not None]
    whole = _seconds(run.started_at, run.ended_at)
    if not own:
        return 0.0, 0.0
    took = {row: (row.app_ns + row.own_durable_ns - row.own_app_ns) / 1e9 for row in own}
    last = max(own, key=lambda row: row.started_at)
    span = _seconds(min(row.started_at for row in own), last.started_at) + took[last]
    between = max(0.0, span - sum(took.values()))
    return max(0.0, whole - span), between / (len(own) - 1) if len(own) > 1 else 0.0


def _seconds(start: datetime | None, end: datetime | None) -> float:
    return (end - start).total_seconds() if start and end else 0.0

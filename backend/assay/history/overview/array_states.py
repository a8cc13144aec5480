"""The states of arrays: whether a run measures it, or will, and what became of its newest one."""

from collections.abc import Mapping, Sequence

from sqlalchemy import case, func, select
from sqlalchemy.orm import Session

from assay.base.states import ACTIVE, DONE, FAILED, QUEUED, RUNNING
from assay.history.overview.schemas import ArrayState, NewestRun
from assay.runs.queries import shown
from assay.runs.verdicts import queries as verdicts
from assay.tables.arrays import Array
from assay.tables.database import among
from assay.tables.runs import Participant, Run

MOST_ARRAYS = 12

LOOKED_AT = 500
"""The newest completed and failed runs among which those of arrays are looked for."""


def array_states(session: Session) -> list[ArrayState]:
    """Return the arrays by name; of many, those in use and those that were measured last."""
    busy, newest = _busy(session), _newest(session)
    ids = list(dict.fromkeys([*busy, *newest]))[:MOST_ARRAYS]
    names = session.execute(select(Array.id, Array.name).where(among(session, Array.id, ids)))
    runs = {one.id: one for one in _runs(session, [newest[one] for one in ids if one in newest])}
    return [
        ArrayState.model_validate(
            {
                "id": array_id,
                "name": name,
                "state": busy.get(array_id, "idle"),
                "newest": runs.get(newest.get(array_id, 0)),
            }
        )
        for array_id, name in sorted(names, key=lambda row: row.name.casefold())
    ]


def _busy(session: Session) -> Mapping[int, str]:
    """Return which arrays have an active run, else a queued one; those that are measured first."""
    is_active = func.max(case((Run.state.in_(ACTIVE), 1), else_=0))
    rows = session.execute(
        select(Array.id, is_active)
        .join(Participant, Participant.array_id == Array.id)
        .join(Run, Run.id == Participant.run_id)
        .where(Run.state.in_([*ACTIVE, QUEUED]), shown())
        .group_by(Array.id)
        .order_by(is_active.desc(), Array.id)
    )
    return {array_id: RUNNING if active else QUEUED for array_id, active in rows}


def _newest(session: Session) -> Mapping[int, int]:
    """Return the newest completed or failed run of each array, the last measured first."""
    # apart from the statement below, which would otherwise read every run of every array
    ended = (Run.state.in_([DONE, FAILED]), shown())
    lately = session.scalars(
        select(Run.id).where(*ended).order_by(Run.id.desc()).limit(LOOKED_AT)
    ).all()
    newest = func.max(Participant.run_id)
    rows = session.execute(
        select(Array.id, newest)
        .join(Participant, Participant.array_id == Array.id)
        .where(among(session, Participant.run_id, lately))
        .group_by(Array.id)
        .order_by(newest.desc())
    )
    return dict(map(tuple[int, int], rows))


def _runs(session: Session, ids: Sequence[int]) -> list[NewestRun]:
    runs = session.scalars(select(Run).where(among(session, Run.id, ids))).all()
    judged = verdicts.summaries(session, runs)
    return [
        NewestRun.model_validate(
            {
                "id": run.id,
                "state": run.state,
                "verdict": judged.get(run.id),
                "ended_at": run.ended_at,
            }
        )
        for run in runs
    ]

"""Reservations: which run has a host or a shared array, and the dispatcher that hands them out.

A run is admitted when every resource it needs is free; all are taken in sorted order in one
transaction. Who goes first, and what is kept for a run that has waited for long, is decided in
`assay.scheduling.admission`. A waiting run always says what it waits for, and since when. A round
takes the same few statements for any number of runs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import delete, insert, select
from sqlalchemy.orm import Session

from assay.arrays.models import Array
from assay.campaigns.models import SCHEDULE, Campaign
from assay.db.bulk import update_rows
from assay.db.clock import now
from assay.db.database import pass_alone
from assay.hosts import lifecycle as host_lifecycle
from assay.hosts.models import Host
from assay.messaging.changes import runs_changed
from assay.messaging.queue import enqueue
from assay.runs import lifecycle
from assay.runs.models import Participant, Reservation, Run
from assay.scheduling.admission import Obstacle, Wish, admit, familiarity
from assay.scheduling.resources import resources
from assay.scheduling.wakeups import DISPATCH, rests, wake
from assay.targets.models import Target

DISPATCHER_LOCK = 0x41535341
"""Any number, the same in all processes: one dispatcher at a time on PostgreSQL."""

MOST_ADMITTED = 48
"""In one round: launches wait for a round's end, and each admitted run costs a message."""

HOST_DELETED = {
    "code": "host_deleting",
    "title": "The host is being deleted",
    "detail": "The run had not begun when its host was taken away.",
    "remedy": "Launch the test on another host.",
}


@dataclass
class _Waiting:
    """A waiting run with what decides about it."""

    id: int
    campaign_id: int
    title: str
    waits_for: dict[str, Any] | None
    launched_at: datetime
    origin: str
    cancelled_at: datetime | None
    retry_at: datetime | None
    hosts: list[Host] = field(default_factory=list[Host])
    resources: dict[str, str] = field(default_factory=dict[str, str])
    """What it needs, and what people call it."""

    @property
    def unapproved(self) -> str | None:
        """The host whose key somebody has to approve first."""
        keys = (host_lifecycle.KEY_UNAPPROVED, host_lifecycle.KEY_CHANGED)
        return next((host.name for host in self.hosts if host.state in keys), None)

    def rests(self, present: datetime) -> bool:
        """Whether its host was away a moment ago: others may have what it needs until then."""
        return rests(self.retry_at, present)

    @property
    def wish(self) -> Wish:
        """What it asks for."""
        return Wish(self.id, frozenset(self.resources), self.launched_at, self.origin == SCHEDULE)


def take_turn(session: Session) -> None:
    """Until the commit, nobody else dispatches.

    Whoever changes a campaign and dispatches then takes its turn before: the dispatcher of that
    moment may be about to change the same campaign, and each would wait for the other.
    """
    pass_alone(session, DISPATCHER_LOCK)


def dispatch(session: Session) -> list[int]:
    """Admit the waiting runs whose turn it is, and ring for their drivers.

    Returns the ids of the admitted ones, which are *preparing* now: `MOST_ADMITTED` at most. Where
    more could begin, a message asks for the next round.
    """
    take_turn(session)
    waiting = _waiting(session)
    if not waiting:
        return []
    changed = _settle(session, waiting)
    reserved = session.execute(
        select(Reservation.resource, Run.id, Run.title).join(Run, Run.id == Reservation.run_id)
    ).all()
    titles = {run_id: title for _, run_id, title in reserved}
    titles |= {one.id: one.title for one in waiting.values()}
    present = now(session)
    decided = admit(
        (one.wish for one in waiting.values() if one.unapproved is None and not one.rests(present)),
        {resource: run_id for resource, run_id, _ in reserved},
        present,
    )
    turn, later = decided.admitted[:MOST_ADMITTED], decided.admitted[MOST_ADMITTED:]
    runs = _enter(session, turn, lifecycle.PREPARING)
    admitted = [run_id for run_id in turn if run_id in runs]
    _reserve(session, [waiting[run_id] for run_id in admitted])
    wake(session, *admitted)
    if later:
        enqueue(DISPATCH, after=session)
    changed |= {run_id: waiting[run_id].campaign_id for run_id in admitted}
    changed |= _tell(session, waiting, decided.obstacles, titles, present)
    runs_changed(session, changed)
    return admitted


def release(session: Session, run_id: int) -> None:
    """Give back all that a run has; called as it ends."""
    session.execute(delete(Reservation).where(Reservation.run_id == run_id))


def confirm(session: Session, run_id: int, needed: Mapping[str, str]) -> dict[str, Any] | None:
    """Reserve what an active run turns out to need, once its host was looked at again.

    A boot id changes at each boot, and disks may have other names then: what a run was admitted
    by can be out of date. Returns what it waits for when another run has it, and takes nothing
    then; None when all is reserved. The caller has taken its turn.
    """
    held = session.execute(
        select(Reservation.resource, Run.id, Run.title)
        .join(Run, Run.id == Reservation.run_id)
        .where(Reservation.resource.in_(needed))
    ).all()
    for resource, other_id, title in sorted(held, key=lambda row: familiarity(row.resource)):
        if other_id != run_id:
            return _busy(resource, needed[resource], f"run {other_id}: {title}")
    taken = {resource for resource, _, _ in held}
    rows = [{"resource": name, "run_id": run_id} for name in sorted(needed) if name not in taken]
    if rows:
        session.execute(insert(Reservation), rows)
    return None


def _waiting(session: Session) -> dict[int, _Waiting]:
    rows = session.execute(
        select(
            Run.id,
            Run.campaign_id,
            Run.title,
            Run.waits_for,
            Run.created_at,
            Campaign.origin,
            Campaign.cancel_requested_at,
            Run.retry_at,
            Host,
            Target,
            Array,
        )
        .join(Campaign, Campaign.id == Run.campaign_id)
        .join(Participant, Participant.run_id == Run.id)
        .join(Host, Host.id == Participant.host_id)
        .outerjoin(Target, Target.id == Participant.target_id)
        .outerjoin(Array, Array.id == Target.array_id)
        .where(Run.state == lifecycle.QUEUED)
        .order_by(Run.id, Participant.position)
    )
    found: dict[int, _Waiting] = {}
    for *run, host, target, array in map(tuple[Any, ...], rows):
        one = found.setdefault(run[0], _Waiting(*run))
        one.hosts.append(host)
        one.resources |= resources(host, target, array)
    return found


def _settle(session: Session, waiting: dict[int, _Waiting]) -> dict[int, int]:
    """End the runs that will never begin and forget them; returns their campaigns by run."""
    cancelled = [one.id for one in waiting.values() if one.cancelled_at is not None]
    deleting = [
        one.id
        for one in waiting.values()
        if one.cancelled_at is None
        and any(host.state == host_lifecycle.DELETING for host in one.hosts)
    ]
    _enter(session, cancelled, lifecycle.CANCELLED)
    _enter(session, deleting, lifecycle.FAILED, HOST_DELETED)
    return {run_id: waiting.pop(run_id).campaign_id for run_id in (*cancelled, *deleting)}


def _enter(
    session: Session, run_ids: Sequence[int], state: str, error: dict[str, Any] | None = None
) -> set[int]:
    """Change the state of those runs that still wait: somebody may just have cancelled one."""
    if not run_ids:
        return set()
    runs = session.scalars(
        select(Run)
        .where(Run.id.in_(run_ids), Run.state == lifecycle.QUEUED)
        .order_by(Run.id)
        .with_for_update()
        .execution_options(populate_existing=True)
    ).all()
    present = now(session)
    for run in runs:
        lifecycle.enter(run, state, error=error, at=present)
    session.flush()
    return {run.id for run in runs}


def _reserve(session: Session, admitted: Sequence[_Waiting]) -> None:
    taken = sorted((resource, one.id) for one in admitted for resource in one.resources)
    if taken:
        rows = [{"resource": resource, "run_id": run_id} for resource, run_id in taken]
        session.execute(insert(Reservation), rows)


def _tell(
    session: Session,
    waiting: Mapping[int, _Waiting],
    obstacles: Mapping[int, Obstacle],
    titles: Mapping[int, str],
    present: datetime,
) -> dict[int, int]:
    """Write down what runs wait for, where that is new; returns their campaigns by run."""
    news: list[tuple[int, dict[str, Any]]] = []
    for one in waiting.values():
        why = _why(one, obstacles.get(one.id), titles)
        known = {name: value for name, value in (one.waits_for or {}).items() if name != "since"}
        if why is not None and why != known:
            news.append((one.id, {**why, "since": present.isoformat()}))
    still = Run.state == lifecycle.QUEUED
    update_rows(session, Run.__table__, ("id", "waits_for"), news, only=still)
    return {run_id: waiting[run_id].campaign_id for run_id, _ in news}


def _why(
    one: _Waiting, obstacle: Obstacle | None, titles: Mapping[int, str]
) -> dict[str, Any] | None:
    """What a run waits for, in words; None when it begins."""
    if one.unapproved is not None:
        return {"kind": "host_key", "what": f"the key of {one.unapproved} to be approved"}
    if obstacle is None:
        return None
    name, other = one.resources[obstacle.resource], f"run {obstacle.run_id}"
    if title := titles.get(obstacle.run_id):
        other += f": {title}"
    kind = obstacle.resource.partition(":")[0]
    if obstacle.held:
        return _busy(obstacle.resource, name, other)
    return {"kind": kind, "what": f"{name} is kept for {other}, which has waited for longer"}


def _busy(resource: str, name: str, other: str) -> dict[str, Any]:
    """What a run waits for while `other` has `resource`, which people call `name`."""
    return {"kind": resource.partition(":")[0], "what": f"{name} is busy with {other}"}

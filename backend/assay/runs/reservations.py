"""Reservations: which run has a host, and the dispatcher that hands them out.

A run is admitted when every resource it needs is free; all are taken in sorted order in one
transaction. Waiting runs are served in the order in which they were launched, and what an earlier
one waits for is not given to a later one, so that none starves. A waiting run always says what it
waits for, and since when.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import delete, select, text
from sqlalchemy.orm import Session

from assay.campaigns.models import Campaign
from assay.changes import campaign_changed
from assay.database import now
from assay.hosts import lifecycle as host_lifecycle
from assay.hosts.models import Host
from assay.runs import lifecycle
from assay.runs.doorbell import ring
from assay.runs.models import Participant, Reservation, Run

DISPATCHER_LOCK = 0x41535341
"""Any number, the same in all processes: one dispatcher at a time on PostgreSQL."""

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
    cancelled_at: datetime | None
    hosts: list[tuple[int, str, str]]

    @property
    def resources(self) -> list[str]:
        return sorted({f"host:{host_id}" for host_id, _, _ in self.hosts})


def dispatch(session: Session) -> list[int]:
    """Admit every waiting run whose resources are free, and ring for their drivers.

    Returns the ids of the admitted ones, which are *preparing* now.
    """
    if session.get_bind().dialect.name == "postgresql":
        session.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": DISPATCHER_LOCK})
    waiting = _waiting(session)
    if not waiting:
        return []
    taken = {
        resource: f"run {run_id}: {title}"
        for resource, run_id, title in session.execute(
            select(Reservation.resource, Run.id, Run.title).join(Run, Run.id == Reservation.run_id)
        )
    }
    admitted: list[int] = []
    for one in waiting:
        if _settled(session, one):
            continue
        obstacle = _obstacle(one, taken)
        if obstacle is None:
            if _enter(session, one, lifecycle.PREPARING):
                session.add_all(Reservation(resource=it, run_id=one.id) for it in one.resources)
                ring(session, one.id)
                admitted.append(one.id)
        elif obstacle != _without_since(one.waits_for):
            session.get_one(Run, one.id).waits_for = {**obstacle, "since": now().isoformat()}
            campaign_changed(session, one.campaign_id)
        for name in one.resources:
            taken.setdefault(name, f"run {one.id}: {one.title}")
    return admitted


def release(session: Session, run_id: int) -> None:
    """Give back all that a run has; called as it ends."""
    session.execute(delete(Reservation).where(Reservation.run_id == run_id))


def _waiting(session: Session) -> Iterable[_Waiting]:
    rows = session.execute(
        select(
            Run.id,
            Run.campaign_id,
            Run.title,
            Run.waits_for,
            Campaign.cancel_requested_at,
            Host.id,
            Host.name,
            Host.state,
        )
        .join(Campaign, Campaign.id == Run.campaign_id)
        .join(Participant, Participant.run_id == Run.id)
        .join(Host, Host.id == Participant.host_id)
        .where(Run.state == lifecycle.WAITING)
        .order_by(Run.id, Participant.position)
    )
    found: dict[int, _Waiting] = {}
    for run_id, campaign_id, title, waits_for, cancelled_at, host_id, name, state in rows:
        one = found.setdefault(
            run_id, _Waiting(run_id, campaign_id, title, waits_for, cancelled_at, [])
        )
        one.hosts.append((host_id, name, state))
    return list(found.values())


def _settled(session: Session, one: _Waiting) -> bool:
    """End a run that will never begin."""
    if one.cancelled_at is not None:
        _enter(session, one, lifecycle.CANCELLED)
        return True
    if any(state == host_lifecycle.DELETING for _, _, state in one.hosts):
        _enter(session, one, lifecycle.FAILED, HOST_DELETED)
        return True
    return False


def _obstacle(one: _Waiting, taken: dict[str, str]) -> dict[str, Any] | None:
    """What a run waits for; None when it can begin."""
    for host_id, name, state in one.hosts:
        if state in (host_lifecycle.KEY_UNAPPROVED, host_lifecycle.KEY_CHANGED):
            return {"kind": "host_key", "what": f"the key of {name} to be approved"}
        if holder := taken.get(f"host:{host_id}"):
            return {"kind": "host", "what": f"{name} is busy with {holder}"}
    return None


def _without_since(waits_for: dict[str, Any] | None) -> dict[str, Any]:
    return {name: value for name, value in (waits_for or {}).items() if name != "since"}


def _enter(
    session: Session, one: _Waiting, state: str, error: dict[str, Any] | None = None
) -> bool:
    """Change a run's state, unless somebody has just cancelled it."""
    run = session.get_one(Run, one.id, with_for_update=True, populate_existing=True)
    if run.state != lifecycle.WAITING:
        return False
    lifecycle.enter(run, state, error=error)
    campaign_changed(session, one.campaign_id)
    return True

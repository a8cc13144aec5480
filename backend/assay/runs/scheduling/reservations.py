"""Reservations of hosts, devices and shared arrays, and the dispatcher that assigns them.

A run is admitted when every resource that it needs is free; all are taken in sorted order in one
transaction. `admission.py` decides the order, and what stays reserved for a run that has waited
long. A queued run always shows what it waits for and since when. The number of SQL statements per
round does not depend on the number of runs.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache, cached_property, partial
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from sqlalchemy import Text, and_, cast, delete, exists, insert, select
from sqlalchemy.orm import Session, aliased, load_only

from assay.base.messaging.queue import enqueue
from assay.inventory.hosts import lifecycle as host_lifecycle
from assay.runs import lifecycle
from assay.runs.changes import runs_changed
from assay.runs.scheduling import capacity
from assay.runs.scheduling.admission import Admission, Obstacle, Wish, admit, familiarity
from assay.runs.scheduling.resources import resources
from assay.runs.scheduling.wakeups import DISPATCH, rests, wake
from assay.tables.arrays import Array
from assay.tables.bulk import update_rows
from assay.tables.campaigns import SCHEDULE, Campaign
from assay.tables.clock import now
from assay.tables.database import among, pass_alone
from assay.tables.hosts import Host
from assay.tables.runs import Participant, Reservation, Run
from assay.tables.targets import Target

DISPATCHER_LOCK = 0x41535341
"""Advisory lock on PostgreSQL, the same in all processes: one dispatcher at a time."""

MOST_ADMITTED = 48
"""Maximum per round: launches wait for the round, and each admitted run costs a message."""

MOST_UPDATED = 1000
"""Maximum number of runs whose `waits_for` a round updates; the next round continues."""

UNAPPROVED = frozenset({host_lifecycle.KEY_UNAPPROVED, host_lifecycle.KEY_CHANGED})

WAITS_FOR_VERDICT = {
    "kind": "verdict",
    "what": "waiting for the verdict of the previous run, which may stop the campaign",
}

WAITS_FOR_WORKER = {"kind": "worker", "what": "waiting for a worker"}

HOST_DELETED = {
    "code": "host_deleting",
    "title": "The host is being deleted",
    "detail": "The host was deleted before the run started.",
    "remedy": "Launch the test on another host.",
}


@dataclass(frozen=True, eq=False)
class _Place:
    """The needs of runs on the same hosts and targets: resources with their display names."""

    resources: dict[str, str]
    unapproved: str | None
    """Name of a host whose key is not approved."""
    deleting: bool

    @cached_property
    def needs(self) -> frozenset[str]:
        """The resources."""
        return frozenset(self.resources)


class _Queued(NamedTuple):
    """A queued run as plain values, because there may be thousands."""

    id: int
    campaign_id: int
    waits_for: str | None
    """JSON."""
    launched_at: datetime
    retry_at: datetime | None
    origin: str
    cancelled_at: datetime | None
    unjudged: bool
    """Whether a criterion may stop its campaign, and an ended run has no verdict yet."""
    place: _Place

    def rests(self, present: datetime) -> bool:
        """Whether its next retry is not yet due; until then its resources are free for others."""
        return rests(self.retry_at, present)

    @property
    def wish(self) -> Wish:
        """The run's request for admission."""
        return Wish(self.id, self.place.needs, self.launched_at, self.origin == SCHEDULE)


def take_turn(session: Session) -> None:
    """Block other dispatchers until the commit.

    To avoid a deadlock, a caller that changes a campaign and then dispatches calls this first:
    another dispatcher may be about to change the same campaign.
    """
    pass_alone(session, DISPATCHER_LOCK)


def dispatch(session: Session) -> list[int]:
    """Admit queued runs in order, assign each to a worker and wake that worker.

    Returns the ids of the admitted runs, at most `MOST_ADMITTED`, which are now *preparing*. If
    more can be admitted or have to be updated, a message requests another round.
    """
    take_turn(session)
    queued = _queued(session)
    if not queued:
        return []
    changed = _settle(session, queued)
    held = session.execute(select(Reservation.resource, Reservation.run_id))
    present, slots = now(session), capacity.slots(session)
    decided = admit(
        [
            one.wish
            for one in queued.values()
            if one.place.unapproved is None and not one.unjudged and not one.rests(present)
        ],
        dict(map(tuple[str, int], held)),
        present,
        slots.total,
    )
    turn, later = decided.admitted[:MOST_ADMITTED], decided.admitted[MOST_ADMITTED:]
    runs = _enter(session, turn, lifecycle.PREPARING)
    workers: dict[int, str] = {}
    for run_id in turn:
        if run_id in runs:
            runs[run_id].worker = workers[run_id] = slots.take()
    session.flush()
    _reserve(session, [queued[run_id] for run_id in workers])
    wake(session, workers)
    changed |= {run_id: queued[run_id].campaign_id for run_id in workers}
    updated = _update_waits(session, queued, decided, present)
    runs_changed(session, changed | updated)
    if later or len(updated) == MOST_UPDATED:
        enqueue(DISPATCH, after=session)
    return list(workers)


def release(session: Session, run_id: int) -> None:
    """Release all resources of a run; called when it ends."""
    session.execute(delete(Reservation).where(Reservation.run_id == run_id))


def confirm(session: Session, run_id: int, needed: Mapping[str, str]) -> dict[str, Any] | None:
    """Reserve the resources that an active run needs by the newest inspection of its host.

    The resources known at admission can be out of date: a boot id, and possibly disk names, change
    at each boot. Returns None if all are reserved. If another run holds one, nothing is reserved,
    and the return value says what the run waits for. The caller must have called `take_turn`.
    """
    held = session.execute(
        select(Reservation.resource, Run.id, Run.title)
        .join(Run, Run.id == Reservation.run_id)
        .where(Reservation.resource.in_(needed))
    ).all()
    for resource, other_id, title in sorted(held, key=lambda row: familiarity(row.resource)):
        if other_id != run_id:
            return _waits_for(resource, needed[resource], other_id, title, held=True)
    taken = {resource for resource, _, _ in held}
    rows = [{"resource": name, "run_id": run_id} for name in sorted(needed) if name not in taken]
    if rows:
        session.execute(insert(Reservation), rows)
    return None


def _queued(session: Session) -> dict[int, _Queued]:
    """Load the queued runs; those on the same hosts and targets share a place."""
    ended = aliased(Run)
    unjudged = exists().where(
        ended.campaign_id == Run.campaign_id,
        ended.state.in_(lifecycle.FINAL),
        ended.rules.is_(None),
    )
    rows = session.execute(
        select(
            Run.id,
            Run.campaign_id,
            cast(Run.waits_for, Text),
            Run.created_at,
            Run.retry_at,
            Campaign.origin,
            Campaign.cancel_requested_at,
            and_(Campaign.stops, unjudged),
            Run.read_back_target_id,
            Participant.host_id,
            Participant.target_id,
        )
        .join(Campaign, Campaign.id == Run.campaign_id)
        .join(Participant, Participant.run_id == Run.id)
        .where(Run.state == lifecycle.QUEUED)
        .order_by(Run.id, Participant.position)
    ).all()
    if not rows:
        return {}
    places, readers = _places(session), _readers(session)
    known: dict[tuple[int | None, ...], _Place] = {}
    found: dict[int, _Queued] = {}
    for run_id, of_one in groupby(map(tuple[Any, ...], rows), itemgetter(0)):
        first, *others = of_one
        key = first[8:] + tuple(part for other in others for part in other[9:])
        if (place := known.get(key)) is None:
            there = [places[one[9:]] for one in (first, *others)]
            if first[8] is not None:
                there.append(readers[first[8]])
            place = known[key] = _joined(there)
        found[run_id] = _Queued._make((*first[:8], place))
    return found


def _joined(places: Sequence[_Place]) -> _Place:
    """Return the place of a run with several participants."""
    return _Place(
        {name: called for one in places for name, called in one.resources.items()},
        next((one.unapproved for one in places if one.unapproved is not None), None),
        any(one.deleting for one in places),
    )


def _readers(session: Session) -> dict[int, _Place]:
    """Return the hosts that read the files of queued runs back, by target; they are not written."""
    rows = session.execute(
        select(Target.id, Host)
        .join(Host, Host.id == Target.host_id)
        .where(Target.id.in_(select(Run.read_back_target_id).where(Run.state == lifecycle.QUEUED)))
    )
    return {
        target_id: _Place(
            resources(host, None, None),
            host.name if host.state in UNAPPROVED else None,
            host.state == host_lifecycle.DELETING,
        )
        for target_id, host in map(tuple[int, Host], rows)
    }


def _places(session: Session) -> dict[tuple[int | None, ...], _Place]:
    """Return the hosts and targets of queued runs, each pair once."""
    pairs = (
        select(Participant.host_id, Participant.target_id)
        .join(Run, Run.id == Participant.run_id)
        .where(Run.state == lifecycle.QUEUED)
        .distinct()
        .subquery()
    )
    rows = session.execute(
        select(Host, Target, Array)
        .select_from(pairs)
        .join(Host, Host.id == pairs.c.host_id)
        .outerjoin(Target, Target.id == pairs.c.target_id)
        .outerjoin(Array, Array.id == Target.array_id)
        .options(
            load_only(Host.name, Host.state, Host.machine_id, Host.boot_id),
            load_only(Target.facts, Target.fs_source, Target.fs_uuid),
            load_only(Array.name, Array.shared),
        )
    )
    return {
        (host.id, target and target.id): _Place(
            resources(host, target, array),
            host.name if host.state in UNAPPROVED else None,
            host.state == host_lifecycle.DELETING,
        )
        for host, target, array in map(tuple[Host, Target | None, Array | None], rows)
    }


def _settle(session: Session, queued: dict[int, _Queued]) -> dict[int, int]:
    """End and drop the runs that can never start; returns their campaigns by run."""
    cancelled = [one.id for one in queued.values() if one.cancelled_at is not None]
    deleting = [
        one.id for one in queued.values() if one.cancelled_at is None and one.place.deleting
    ]
    _enter(session, cancelled, lifecycle.CANCELLED)
    _enter(session, deleting, lifecycle.FAILED, HOST_DELETED)
    return {run_id: queued.pop(run_id).campaign_id for run_id in (*cancelled, *deleting)}


def _enter(
    session: Session, run_ids: Sequence[int], state: str, error: dict[str, Any] | None = None
) -> dict[int, Run]:
    """Change the state of the runs that are still queued; some may just have been canceled."""
    if not run_ids:
        return {}
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
    return {run.id: run for run in runs}


def _reserve(session: Session, admitted: Sequence[_Queued]) -> None:
    taken = sorted((resource, one.id) for one in admitted for resource in one.place.needs)
    if taken:
        rows = [{"resource": resource, "run_id": run_id} for resource, run_id in taken]
        session.execute(insert(Reservation), rows)


def _update_waits(
    session: Session, queued: Mapping[int, _Queued], decided: Admission, present: datetime
) -> dict[int, int]:
    """Record what runs wait for, if it changed; returns their campaigns by run.

    At most `MOST_UPDATED` runs are updated.
    """
    others = {obstacle.run_id for obstacle in decided.obstacles.values()}
    named = session.execute(select(Run.id, Run.title).where(among(session, Run.id, others)))
    titles = dict(map(tuple[int, str], named))
    news: list[tuple[int, dict[str, Any]]] = []
    known, why = cache(_known), cache(partial(_why, titles))  # many runs wait for the same
    for one in queued.values():
        reason = (
            WAITS_FOR_VERDICT
            if one.unjudged
            else why(one.place, decided.obstacles.get(one.id), one.id in decided.without_worker)
        )
        if reason is not None and reason != known(one.waits_for):
            news.append((one.id, {**reason, "since": present.isoformat()}))
            if len(news) == MOST_UPDATED:
                break
    still = Run.state == lifecycle.QUEUED
    update_rows(session, Run.__table__, ("id", "waits_for"), news, only=still)
    return {run_id: queued[run_id].campaign_id for run_id, _ in news}


def _known(waits_for: str | None) -> dict[str, Any]:
    """Return the stored reason why a run waits, without its start time."""
    known: dict[str, Any] = json.loads(waits_for or "null") or {}
    return {name: value for name, value in known.items() if name != "since"}


def _why(
    titles: Mapping[int, str], place: _Place, obstacle: Obstacle | None, without_worker: bool
) -> dict[str, Any] | None:
    """Return what a run waits for; None if it is admitted."""
    if place.unapproved is not None:
        what = f"the host key of {place.unapproved} is not approved"
        return {"kind": "host_key", "name": place.unapproved, "what": what}
    if without_worker:
        return WAITS_FOR_WORKER
    if obstacle is None:
        return None
    resource, run_id = obstacle.resource, obstacle.run_id
    name, title = place.resources[resource], titles.get(run_id)
    return _waits_for(resource, name, run_id, title, held=obstacle.held)


def _waits_for(
    resource: str, name: str, run_id: int, title: str | None, *, held: bool
) -> dict[str, Any]:
    """Return what a run waits for while another run holds `resource`, or has waited longer."""
    other = f"run {run_id}: {title}" if title else f"run {run_id}"
    return {
        "kind": resource.partition(":")[0],
        "name": name,
        "run_id": run_id,
        "run_title": title,
        "held": held,
        "what": f"{name} is busy with {other}"
        if held
        else f"{name} is reserved for {other}, which has waited longer",
    }

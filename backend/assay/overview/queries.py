"""Reading the first page."""

from collections.abc import Sequence
from typing import Literal

from sqlalchemy import exists, select
from sqlalchemy.orm import Session

from assay.db.database import refusals
from assay.deadline import Deadline
from assay.health.disk import disk
from assay.health.queries import heard_lately
from assay.hosts import lifecycle as hosts
from assay.hosts.models import Host
from assay.hosts.queries import shapes
from assay.overview.schemas import Need, Overview
from assay.runs import lifecycle as runs
from assay.runs.models import Run, WorkerSeen
from assay.runs.queries import latest, summaries
from assay.runs.schemas import RunSummary

MOST_RUNS = 50

_TROUBLE: dict[str, tuple[Literal["host_key", "host"], str]] = {
    hosts.KEY_UNAPPROVED: ("host_key", "offers a key that nobody has approved"),
    hosts.KEY_CHANGED: ("host_key", "has another key than the approved one"),
    hosts.UNREACHABLE: ("host", "cannot be reached"),
    hosts.ERROR: ("host", "could not be checked"),
}


def overview(session: Session, worker_due: Deadline) -> Overview:
    """The first page's answers; a worker is not missed before `worker_due`."""
    troubled = session.scalars(
        select(Host).where(Host.state.in_(_TROUBLE)).order_by(Host.name)
    ).all()
    active = _in_states(session, sorted(runs.ACTIVE))
    queued = _in_states(session, [runs.QUEUED])
    lost = [run for run in active if run.condition == runs.LOST]
    storage = _needs_of_storage()
    return Overview(
        running=active,
        queued=queued,
        needs=[
            *storage,
            *_needs_of_hosts(troubled),
            *_needs_of_runs(lost),
            *_need_of_worker(session, worker_due, stored=not storage),
        ],
        latest=latest(session),
        hosts_with_trouble=shapes(session, troubled),
    )


def _in_states(session: Session, states: Sequence[str]) -> list[RunSummary]:
    chosen = select(Run).where(Run.state.in_(states)).order_by(Run.id).limit(MOST_RUNS)
    return summaries(session, session.scalars(chosen).all())


def _needs_of_storage() -> list[Need]:
    space, refused = disk(), refusals.lately()
    if space.detail:
        return [Need(kind="disk_full", message=space.detail, link=None)]
    return [Need(kind="database", message=refused, link=None)] if refused else []


def _needs_of_hosts(troubled: Sequence[Host]) -> list[Need]:
    needs: list[Need] = []
    for host in troubled:
        kind, what = _TROUBLE[host.state]
        reason = f": {host.state_reason}" if host.state_reason and kind == "host" else ""
        message = f"{host.name} {what}{reason}"
        needs.append(Need(kind=kind, message=message, link=f"/hosts/{host.id}"))
    return needs


def _needs_of_runs(lost: Sequence[RunSummary]) -> list[Need]:
    return [
        Need(
            kind="run_lost",
            message=f"{run.title} on {run.host.name} goes on when the host is back",
            link=f"/campaigns/{run.campaign_id}",
        )
        for run in lost
    ]


def _need_of_worker(session: Session, due: Deadline, *, stored: bool) -> list[Need]:
    if not due.over() or session.scalar(select(exists(WorkerSeen).where(heard_lately()))):
        return []
    message = (
        "No worker has been heard for 30 s: no host is checked, nothing is measured. "
        "Its log, where Assay was started, says why; start it again."
        if stored
        else "No worker has been heard for 30 s. Fix the storage first: one that cannot write "
        "cannot say that it lives."
    )
    return [Need(kind="no_worker", message=message, link=None)]

"""Queries for the overview."""

from collections.abc import Sequence
from typing import Literal

from sqlalchemy import exists, select
from sqlalchemy.orm import Session

from assay.db.database import refusals
from assay.deadline import Deadline
from assay.health.disk import disk
from assay.health.queries import recently_seen
from assay.hosts import lifecycle as hosts
from assay.hosts.models import Host
from assay.hosts.queries import shapes
from assay.overview.schemas import Need, Overview
from assay.runs import lifecycle as runs
from assay.runs.models import Run, WorkerSeen
from assay.runs.queries import latest, summaries
from assay.runs.schemas import RunSummary

MOST_RUNS = 50

_PROBLEMS: dict[str, tuple[Literal["host_key", "host"], str]] = {
    hosts.KEY_UNAPPROVED: ("host_key", "has an unapproved host key"),
    hosts.KEY_CHANGED: ("host_key", "has a changed host key"),
    hosts.UNREACHABLE: ("host", "is unreachable"),
    hosts.ERROR: ("host", "failed its check"),
}


def overview(session: Session, worker_due: Deadline) -> Overview:
    """Return the overview; a missing worker is reported only after `worker_due`."""
    failing = session.scalars(
        select(Host).where(Host.state.in_(_PROBLEMS)).order_by(Host.name)
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
            *_needs_of_hosts(failing),
            *_needs_of_runs(lost),
            *_need_of_worker(session, worker_due, stored=not storage),
        ],
        latest=latest(session),
        hosts_with_trouble=shapes(session, failing),
    )


def _in_states(session: Session, states: Sequence[str]) -> list[RunSummary]:
    chosen = select(Run).where(Run.state.in_(states)).order_by(Run.id).limit(MOST_RUNS)
    return summaries(session, session.scalars(chosen).all())


def _needs_of_storage() -> list[Need]:
    space, refused = disk(), refusals.lately()
    if space.detail:
        return [Need(kind="disk_full", message=space.detail, link=None)]
    return [Need(kind="database", message=refused, link=None)] if refused else []


def _needs_of_hosts(failing: Sequence[Host]) -> list[Need]:
    needs: list[Need] = []
    for host in failing:
        kind, what = _PROBLEMS[host.state]
        reason = f": {host.state_reason}" if host.state_reason and kind == "host" else ""
        message = f"{host.name} {what}{reason}"
        needs.append(Need(kind=kind, message=message, link=f"/hosts/{host.id}"))
    return needs


def _needs_of_runs(lost: Sequence[RunSummary]) -> list[Need]:
    return [
        Need(
            kind="run_lost",
            message=f"{run.title} on {run.host.name} continues when the host is reachable again",
            link=f"/campaigns/{run.campaign_id}",
        )
        for run in lost
    ]


def _need_of_worker(session: Session, due: Deadline, *, stored: bool) -> list[Need]:
    if not due.over() or session.scalar(select(exists(WorkerSeen).where(recently_seen()))):
        return []
    message = (
        "No worker heartbeat for 30 s: hosts are not checked and runs are not followed. "
        "Read the worker's log and restart it."
        if stored
        else "No worker heartbeat for 30 s. Fix the storage first: workers cannot store heartbeats "
        "without it."
    )
    return [Need(kind="no_worker", message=message, link=None)]

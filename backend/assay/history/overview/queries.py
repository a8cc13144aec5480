"""Queries for the overview."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Literal

from sqlalchemy import exists, func, select
from sqlalchemy.orm import Session

from assay.base import states as runs
from assay.base.deadline import Deadline
from assay.history.health.queries import disk, recently_seen
from assay.history.overview import failed_campaigns
from assay.history.overview.array_states import array_states
from assay.history.overview.schemas import Issue, Overview
from assay.inventory.credentials import certificates
from assay.inventory.hosts import lifecycle as hosts
from assay.inventory.hosts.queries import shapes
from assay.runs.places import places
from assay.runs.queries import latest, shown, summaries
from assay.runs.schemas import RunSummary
from assay.tables.clock import moment, now
from assay.tables.credentials import Credential
from assay.tables.database import refusals
from assay.tables.hosts import Host
from assay.tables.runs import Run, WorkerSeen
from assay.tables.schedules import MISSED, REFUSED, Firing, Schedule
from assay.tables.webhooks import Webhook

MOST_RUNS = 50

MOST_RESULTS = 20

MOST_SCHEDULES = 10
SHOWN_FOR = timedelta(days=7)
"""How long a schedule that launched no campaign needs attention, from the fire time on."""

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
    storage = _issues_of_storage()
    return Overview(
        running=active,
        queued=queued,
        issues=[
            *storage,
            *_issues_of_hosts(failing),
            *_issues_of_certificates(session),
            *_issues_of_runs(lost),
            *failed_campaigns.issues(session),
            *_issues_of_schedules(session),
            *_issues_of_worker(session, worker_due, stored=not storage),
            *_issues_of_webhooks(session),
        ],
        arrays=array_states(session),
        latest=latest(session, MOST_RESULTS),
        hosts_with_problems=shapes(session, failing),
    )


def _in_states(session: Session, states: Sequence[str]) -> list[RunSummary]:
    chosen = select(Run).where(Run.state.in_(states), shown()).order_by(Run.id).limit(MOST_RUNS)
    return summaries(session, session.scalars(chosen).all())


def _issues_of_storage() -> list[Issue]:
    space, refused = disk(), refusals.lately()
    if space.detail:
        return [Issue(kind="disk_full", message=space.detail, link=None)]
    return [Issue(kind="database", message=refused, link=None)] if refused else []


def _issues_of_hosts(failing: Sequence[Host]) -> list[Issue]:
    issues: list[Issue] = []
    for host in failing:
        kind, what = _PROBLEMS[host.state]
        reason = f": {host.state_reason}" if host.state_reason and kind == "host" else ""
        message = f"{host.name} {what}{reason}"
        issues.append(Issue(kind=kind, message=message, link=f"/hosts/{host.id}"))
    return issues


def _issues_of_certificates(session: Session) -> list[Issue]:
    """Return the certificates that hosts need and that have expired, or soon will."""
    rows = session.execute(
        select(Credential.name, Credential.certificate)
        .where(Credential.certificate.is_not(None), Credential.id.in_(select(Host.credential_id)))
        .order_by(Credential.name)
    )
    present, issues = now(session), list[Issue]()
    for name, line in rows:
        for doubt in certificates.expiry(certificates.shown(line or ""), present):
            message = f"Credential {name}: {doubt}"
            issues.append(Issue(kind="certificate", message=message, link="/settings/credentials"))
    return issues


def _issues_of_runs(lost: Sequence[RunSummary]) -> list[Issue]:
    return [
        Issue(
            kind="run_lost",
            message=f"{run.title} on {' + '.join(places(run.participants))} continues when the "
            "host is reachable again",
            link=f"/campaigns/{run.campaign_id}",
        )
        for run in lost
    ]


def _issues_of_webhooks(session: Session) -> list[Issue]:
    """Return the webhooks that Assay has disabled; the reason may quote the receiver."""
    disabled = session.scalars(
        select(Webhook)
        .where(Webhook.enabled.is_(False), Webhook.disabled_reason.is_not(None))
        .order_by(Webhook.id)
    )
    return [
        Issue(
            kind="webhook",
            message=f"Webhook {one.name} was disabled because it failed for a long time",
            link=f"/settings/webhooks/{one.id}",
        )
        for one in disabled
    ]


def _issues_of_schedules(session: Session) -> list[Issue]:
    """Return the schedules whose newest fire time launched no campaign, lately."""
    newest = select(func.max(Firing.id)).group_by(Firing.schedule_id)
    failed = session.execute(
        select(Schedule.id, Schedule.name, Firing.outcome, Firing.detail)
        .join(Firing, Firing.schedule_id == Schedule.id)
        .where(
            Firing.id.in_(newest),
            Firing.outcome.in_((REFUSED, MISSED)),
            Firing.at > moment(-SHOWN_FOR),
            Schedule.paused_at.is_(None),
        )
        .order_by(Firing.id.desc())
        .limit(MOST_SCHEDULES)
    )
    words = {REFUSED: "could not launch its campaign", MISSED: "missed a fire time"}
    return [
        Issue(
            kind="schedule",
            message=f"Schedule {name} {words[outcome]}: {detail}",
            link=f"/schedules/{schedule_id}",
        )
        for schedule_id, name, outcome, detail in failed
    ]


def _issues_of_worker(session: Session, due: Deadline, *, stored: bool) -> list[Issue]:
    if not due.over() or session.scalar(select(exists(WorkerSeen).where(recently_seen()))):
        return []
    message = (
        "No worker heartbeat for 30 s: hosts are not checked and runs are not followed. "
        "Read the worker's log and restart it."
        if stored
        else "No worker heartbeat for 30 s. Fix the storage first: workers cannot store heartbeats "
        "without it."
    )
    return [Issue(kind="no_worker", message=message, link=None)]

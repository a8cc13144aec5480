"""The first look: register this machine with a scratch target and launch the built-in profile.

A short calibration determines the file size. Each step runs once per installation and is recorded,
so that an interrupted start continues, and objects that a user deleted are not created again.
Starting Assay is the consent to write in the scratch directory, even on the root file system.
"""

import logging
import sys
import time
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.orm import Session

from assay.access.audit import record
from assay.base.errors import Problem
from assay.base.identity import Identity
from assay.base.messaging.changes import announce
from assay.base.settings import settings
from assay.inventory.hosts import checks
from assay.inventory.hosts.own_machine import SCRATCH
from assay.inventory.targets import registration
from assay.inventory.targets.schemas import TargetIn
from assay.runs import lifecycle as runs
from assay.runs.campaigns.launch import Launch
from assay.runs.campaigns.schemas import CampaignPlan
from assay.tables.all_tables import accounts, hosts, profiles, targets
from assay.tables.database import reading, writing
from assay.tables.runs import Run

PROFILE = "first-look"
CALIBRATION = "calibration"
HOST = "this machine"
SKIPPED = "skipped"

WHO = Identity(actor="assay", role="admin", address="local")
CHECK_TIMEOUT_S = 120.0
CALIBRATION_TIMEOUT_S = 120.0
POLL_S = 0.05

log = logging.getLogger(__name__)


class FirstLookError(Exception):
    """This machine could not be registered; the message has the reason."""


def main() -> int:
    """Run the missing steps; return the exit code."""
    try:
        host_id = this_machine()
        target_id = scratch_target(host_id) if host_id is not None else None
        if target_id is not None and wanted():
            calibration(target_id)
            first_look(target_id)
    except (FirstLookError, Problem) as error:
        log.error("this machine was not registered: %s", error)
        return 1
    return 0


def this_machine() -> int | None:
    """Register this machine once; return its host id, or None if a user deleted it."""
    with writing() as session:
        if known := _recorded(session, "this_machine"):
            host = session.get(hosts.Host, int(known))
            return host.id if host is not None and host.state != "deleting" else None
        host = session.scalar(select(hosts.Host).where(hosts.Host.connection == "local"))
        if host is None:
            host = hosts.Host(name=HOST, connection="local")
            session.add(host)
            session.flush()
            record(session, WHO, "host.created", f"host {host.id} {host.name}", connection="local")
            announce(f"host:{host.id}", after=session)
        _record_value(session, "this_machine", str(host.id))
        return host.id


def scratch_target(host_id: int) -> int | None:
    """Register the scratch directory once; return its target id, or None if a user deleted it."""
    with reading() as session:
        if known := _recorded(session, "scratch_target"):
            target = session.get(targets.Target, int(known))
            return target.id if target is not None and target.retired_at is None else None
    path = settings().home.resolve() / SCRATCH
    path.mkdir(mode=0o700, exist_ok=True)
    with writing() as session:
        check_id = checks.ask(session, host_id, "host", {}).id
    _ended(check_id)
    body = TargetIn(host_id=host_id, path=str(path), name=SCRATCH, root_consent=True)
    with writing() as session:
        check_id = registration.ask(session, body, WHO).id
    found = registration.answer(_ended(check_id), str(path))
    with writing() as session:
        target = registration.register(session, body, found, WHO)
        _record_value(session, "scratch_target", str(target.id))
        announce(f"host:{host_id}", after=session)
        return target.id


def wanted() -> bool:
    """Return whether to launch the first look; record it as skipped if the settings say so."""
    with writing() as session:
        if _recorded(session, "first_look"):
            return False
        if not settings().first_look:
            _record_value(session, "first_look", SKIPPED)
        return settings().first_look


def calibration(target_id: int) -> None:
    """Measure once the rate that determines the first look's file size; wait for the end.

    If it fails or takes too long, the first look assumes a rate.
    """
    with writing() as session:
        known = _recorded(session, "calibration")
        campaign_id = int(known) if known else _launch(session, CALIBRATION, target_id)
        if not known:
            _record_value(session, "calibration", str(campaign_id))
    deadline = time.monotonic() + CALIBRATION_TIMEOUT_S
    while True:
        with reading() as session:
            states = session.scalars(select(Run.state).where(Run.campaign_id == campaign_id)).all()
        if set(states) <= runs.FINAL:
            return
        if time.monotonic() > deadline:
            log.warning("the calibration did not finish within %g s", CALIBRATION_TIMEOUT_S)
            return
        time.sleep(POLL_S)


def first_look(target_id: int) -> None:
    """Launch the built-in profile."""
    with writing() as session:
        campaign_id = _launch(session, PROFILE, target_id)
        _record_value(session, "first_look", str(campaign_id))
        target = session.get_one(targets.Target, target_id)
        how = "with O_DIRECT" if target.facts.get("direct") == "real" else "through the page cache"
        log.info("measuring this machine in %s, %s", Path(target.path), how)


def _launch(session: Session, slug: str, target_id: int) -> int:
    """Launch the newest version of a built-in profile; return the campaign's id."""
    profile = session.scalars(
        select(profiles.Profile)
        .where(profiles.Profile.slug == slug)
        .order_by(profiles.Profile.version.desc())
    ).first()
    assert profile is not None  # noqa: S101 (the built-in profiles are installed before)
    plan = CampaignPlan(name=profile.name, profile_id=profile.id, target_ids=[target_id])
    return Launch(session, plan, lock=True).go(WHO)


def _recorded(session: Session, name: str) -> str | None:
    row = session.get(accounts.Installation, name)
    return row.value if row is not None else None


def _record_value(session: Session, name: str, value: str) -> None:
    session.add(accounts.Installation(name=name, value=value))


def _ended(check_id: int) -> hosts.Check:
    """Wait for the end of a check; raises FirstLookError if it fails or times out."""
    deadline = time.monotonic() + CHECK_TIMEOUT_S
    while True:
        with reading() as session:
            check = session.get_one(hosts.Check, check_id)
        if check.state == "ok":
            return check
        if check.state == "failed":
            error = check.error or {}
            raise FirstLookError(f"{error.get('title')}: {error.get('detail')}")
        if time.monotonic() > deadline:
            raise FirstLookError(f"no worker responded within {CHECK_TIMEOUT_S:g} s")
        time.sleep(POLL_S)


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    sys.exit(main())

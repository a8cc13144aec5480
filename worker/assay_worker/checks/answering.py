"""One message "run check 7": claim it, find the answer, write it down."""

import logging
from dataclasses import replace
from datetime import timedelta
from typing import Any

from assay.changes import announce
from assay.database import now, reading, writing
from assay.hosts.deletion import CLEARING, FAREWELL, note_cleared, part
from assay.hosts.models import Check, Host
from sqlalchemy.orm import Session

from assay_worker.checks.host import check_host
from assay_worker.checks.inventory import record
from assay_worker.checks.progress import Progress
from assay_worker.errors import HostError
from assay_worker.hosts import access, probe_on
from assay_worker.install import uninstall
from assay_worker.loop import wait_for

RUN_CHECK = "assay.run_check"
OPEN = ("queued", "running")
"""States of a check that has no answer yet."""

LONGEST_CHECK = timedelta(seconds=90)
"""A check that runs for longer lost its worker, and may be claimed again."""

UNEXPECTED = {
    "code": "internal",
    "title": "Assay made a mistake",
    "detail": "The check ended unexpectedly; the worker's log says where.",
    "remedy": "Check again; report it if it happens again.",
}

log = logging.getLogger(__name__)


def run_check(check_id: int) -> None:
    """Answer a check, unless another worker does."""
    check = _claim(check_id)
    if check is None:
        return
    answer, error = None, None
    try:
        answer = _answer(check)
    except HostError as found:
        error = found.facts
    except Exception:
        log.exception("check %s", check_id)
        error = UNEXPECTED
    with writing() as session:
        check = session.get(Check, check_id)
        if check is None:
            return  # the scheduler did not wait any longer, and forgot the host with its checks
        conclude(session, check, answer, error)
        announce(f"check:{check_id}", f"host:{check.host_id}", after=session)


def conclude(
    session: Session, check: Check, answer: dict[str, Any] | None, error: dict[str, Any] | None
) -> None:
    """Write down how a check ended; after a farewell its host is forgotten, and the check too."""
    check.state = "failed" if error else "ok"
    check.answer, check.error, check.ended_at = answer, error, now()
    if check.kind in (FAREWELL, CLEARING):
        problem = f"{error['title']}: {error['detail']}" if error else None
        end = part if check.kind == FAREWELL else note_cleared
        end(session, session.get_one(Host, check.host_id), problem)


def _claim(check_id: int) -> Check | None:
    with writing() as session:
        check = session.get(Check, check_id, with_for_update=True)
        if check is None or check.state not in OPEN:
            return None
        if check.started_at is not None and now() - check.started_at < LONGEST_CHECK:
            return None
        check.state, check.started_at = "running", now()
        return check


def _answer(check: Check) -> dict[str, Any]:
    progress = Progress(check.id, check.host_id)
    if check.kind == "host":
        return check_host(check.host_id, progress)
    if check.kind in (FAREWELL, CLEARING):
        return clear_host(check.host_id, check.request["folder"])
    return check_target(check.host_id, str(check.request["path"]), progress)


def clear_host(host_id: int, folder: str | None) -> dict[str, Any]:
    """Remove what runs left in a folder of a host, and the probe; raises HostError."""
    with reading() as session:
        way = access(session, session.get_one(Host, host_id))
    with probe_on(replace(way, folder=folder)) as probe:
        wait_for(probe.sweep())
        wait_for(uninstall(probe))
    return {}


def check_target(host_id: int, path: str, progress: Progress) -> dict[str, Any]:
    """What the probe says about a directory, problems included; raises HostError."""
    with reading() as session:
        way = access(session, session.get_one(Host, host_id))
    progress.step("login")
    with probe_on(way) as probe:
        progress.step("inspect")
        found = wait_for(probe.inspect(path))
    with writing() as session:
        record(session, host_id, found, probe.digest)
    return found["target"]

"""One message "run check 7": claim it, find the answer, write it down."""

import logging
import time
from dataclasses import replace
from typing import Any

from assay.db.clock import now
from assay.db.database import reading, writing
from assay.db.ownership import StaleGenerationError
from assay.hosts.checks import claim
from assay.hosts.deletion import CLEARING, FAREWELL, note_cleared, part
from assay.hosts.models import Check, Host
from sqlalchemy.orm import Session

from assay_worker.checks.host import check_host
from assay_worker.checks.progress import Progress
from assay_worker.errors import HostError
from assay_worker.hosts import access, probe_on
from assay_worker.install import uninstall
from assay_worker.inventory import record
from assay_worker.keeper import keeping, new_owner
from assay_worker.loop import wait_for

RUN_CHECK = "assay.run_check"
UNEXPECTED = {
    "code": "internal",
    "title": "Assay made a mistake",
    "detail": "The check ended unexpectedly; the worker's log says where.",
    "remedy": "Check again; report it if it happens again.",
}

log = logging.getLogger(__name__)


def run_check(check_id: int) -> None:
    """Answer a check, unless another worker does."""
    since = time.monotonic()
    with writing() as session:
        own = claim(session, check_id, new_owner())
        if own is None:
            return
        check = session.get_one(Check, check_id)
    progress = Progress(own, check.host_id)
    try:
        with keeping(own, since):
            answer, error = _outcome(check, progress)
            with progress.writing() as (session, current):
                conclude(session, current, answer, error)
    except StaleGenerationError as error:
        log.info("check %s: answered by another worker, or needed no more: %s", check_id, error)


def conclude(
    session: Session, check: Check, answer: dict[str, Any] | None, error: dict[str, Any] | None
) -> None:
    """Write down how a check ended; after a farewell its host is forgotten, and the check too."""
    check.state = "failed" if error else "ok"
    check.answer, check.error, check.ended_at = answer, error, now(session)
    if check.kind in (FAREWELL, CLEARING):
        problem = f"{error['title']}: {error['detail']}" if error else None
        end = part if check.kind == FAREWELL else note_cleared
        end(session, session.get_one(Host, check.host_id), problem)


def _outcome(
    check: Check, progress: Progress
) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
    """The answer, or what is in its way; raises StaleGenerationError."""
    try:
        return _answer(check, progress), None
    except StaleGenerationError:
        raise
    except HostError as error:
        return None, error.facts
    except Exception:
        log.exception("check %s", check.id)
        return None, UNEXPECTED


def _answer(check: Check, progress: Progress) -> dict[str, Any]:
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
    with progress.writing() as (session, _):
        record(session, host_id, found, probe.digest)
    return found["target"]

"""Checks of hosts and directories: claim one, find the answer on the loop, store it.

That of a host for a tool runs the tool's check command, as a run would use it.
"""

import logging
import shlex
import time
from dataclasses import replace
from typing import Any

from assay.inventory.hosts.checks import claim
from assay.inventory.hosts.deletion import CLEANUP, UNINSTALL, complete_deletion, record_cleanup
from assay.kinds.programs import ToolDefinition
from assay.runs.tools.checks import KIND as PROGRAM
from assay.tables.clock import now
from assay.tables.database import reading, writing
from assay.tables.hosts import Check, Host
from assay.tables.ownership import Ownership, StaleGenerationError
from sqlalchemy.orm import Session

from assay_worker import loop
from assay_worker.checks.host import check_host
from assay_worker.checks.progress import CheckProgress
from assay_worker.driver.orders import SSH_CONFIG, addresses, command, login_files, logs_in
from assay_worker.errors import HostError
from assay_worker.hosts import LOCAL, access_to, probe_on, record_inventory
from assay_worker.install import uninstall
from assay_worker.loop import in_thread
from assay_worker.ownership_renewal import new_owner, renewed

TIMEOUT_S = 45.0
LONGEST_MESSAGE = 1000


async def check_program(check: Check, progress: CheckProgress) -> dict[str, Any]:
    """Return whether the host has what a tool needs, and why not; raises HostError."""
    request = check.request
    definition = ToolDefinition.model_validate(request["definition"])
    source, sink = await in_thread(_hosts, request["source_host_id"], request["sink_host_id"])
    way = await in_thread(access_to, check.host_id)
    await progress.step("login")
    async with probe_on(way) as probe:
        await progress.step("command")
        directory = f"{probe.runs}/tool-check-{check.id}"
        here = shlex.quote(directory)
        values = {
            **addresses(
                request["source_address"] or _address(source),
                request["sink_address"] or _address(sink),
            ),
            "ssh_config": f"{directory}/{SSH_CONFIG}",
        }
        text = command(definition, f"{request['side']}_check", values)
        if text is None:
            return {"found": True, "message": None}
        login = "true"
        if logs_in(definition):
            login = login_files(sink, str(values["sink_address"]), directory)
        script = (
            f"mkdir -p {here} && trap 'rm -rf '{shlex.quote(here)} EXIT && {login} && {{ {text}\n}}"
        )
        # by standard input: a tool's commands may be longer than a command line
        finished = await probe.connection.run(
            ["/bin/sh", "-c", 'eval "$(cat)"'], script.encode(), timeout_s=TIMEOUT_S
        )
    said = finished.complaint or finished.stdout.decode(errors="replace").strip()
    good = finished.exit_code == 0
    message = said or f"The check ended with exit code {finished.exit_code} and printed nothing."
    return {"found": good, "message": None if good else message[-LONGEST_MESSAGE:]}


def _hosts(source_id: int, sink_id: int) -> tuple[Host, Host]:
    with reading() as session:
        return session.get_one(Host, source_id), session.get_one(Host, sink_id)


def _address(host: Host) -> str:
    return "127.0.0.1" if host.connection == LOCAL else host.address or ""


RUN_CHECK = "assay.run_check"
UNEXPECTED = {
    "code": "internal",
    "title": "Internal error",
    "detail": "The check failed unexpectedly; see the worker's log.",
    "remedy": "Check again, and report the error if it persists.",
}

log = logging.getLogger(__name__)


def begin(check_id: int) -> None:
    """Claim a check and hand it to the loop; do nothing if another worker answers it."""
    since = time.monotonic()
    if (claimed := claim_check(check_id)) is not None:
        loop.begin(answer(*claimed, since))


def claim_check(check_id: int) -> tuple[Ownership[Check], Check] | None:
    """Become the check's owner; returns None if it has one, or needs none."""
    with writing() as session:
        own = claim(session, check_id, new_owner())
        return None if own is None else (own, session.get_one(Check, check_id))


async def answer(own: Ownership[Check], check: Check, since: float) -> None:
    """Answer a check claimed at `since` on the monotonic clock."""
    progress = CheckProgress(own, check.host_id)
    try:
        with renewed(own, since):
            found, error = await _outcome(check, progress)
            await in_thread(_conclude, progress, found, error)
    except StaleGenerationError as error:
        log.info("check %s: answered by another worker, or no longer needed: %s", own.id, error)
    except Exception:
        log.exception("check %s: left to the reconciler", own.id)


def _conclude(
    progress: CheckProgress, found: dict[str, Any] | None, error: dict[str, Any] | None
) -> None:
    with progress.writing() as (session, check):
        conclude(session, check, found, error)


def conclude(
    session: Session, check: Check, answer: dict[str, Any] | None, error: dict[str, Any] | None
) -> None:
    """Store the result of a check; an uninstallation also deletes the host and the check."""
    check.state = "failed" if error else "ok"
    check.answer, check.error, check.ended_at = answer, error, now(session)
    if check.kind in (UNINSTALL, CLEANUP):
        problem = f"{error['title']}: {error['detail']}" if error else None
        end = complete_deletion if check.kind == UNINSTALL else record_cleanup
        end(session, session.get_one(Host, check.host_id), problem)


async def _outcome(
    check: Check, progress: CheckProgress
) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
    """Return the answer, or the error; raises StaleGenerationError."""
    try:
        return await _answer(check, progress), None
    except StaleGenerationError:
        raise
    except HostError as error:
        return None, error.facts
    except Exception:
        log.exception("check %s", check.id)
        return None, UNEXPECTED


async def _answer(check: Check, progress: CheckProgress) -> dict[str, Any]:
    if check.kind == "host":
        return await check_host(check.host_id, check.request, progress)
    if check.kind in (UNINSTALL, CLEANUP):
        return await clear_host(check.host_id, check.request["folder"])
    if check.kind == PROGRAM:
        return await check_program(check, progress)
    return await check_target(check.host_id, str(check.request["path"]), progress)


async def clear_host(host_id: int, folder: str | None) -> dict[str, Any]:
    """Remove the probe and all files of runs from a folder of a host; raises HostError."""
    way = await in_thread(access_to, host_id)
    async with probe_on(replace(way, folder=folder)) as probe:
        await probe.sweep()
        await uninstall(probe)
    return {}


async def check_target(host_id: int, path: str, progress: CheckProgress) -> dict[str, Any]:
    """Return what the probe reports about a directory, problems included; raises HostError."""
    way = await in_thread(access_to, host_id)
    await progress.step("login")
    async with probe_on(way) as probe:
        await progress.step("inspect")
        found = await probe.inspect(path)
    await in_thread(_record, host_id, found, probe.digest, progress)
    return found["target"]


def _record(host_id: int, found: dict[str, Any], digest: str, progress: CheckProgress) -> None:
    with progress.writing() as (session, _):
        record_inventory(session, host_id, found, digest)

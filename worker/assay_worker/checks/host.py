"""The check of a host, from name resolution to inventory; each step has its own error."""

import time
from contextlib import suppress
from typing import Any

from assay.access.audit import record as record_action
from assay.base.errors import Problem
from assay.base.field_errors import FieldError
from assay.inventory.hosts import lifecycle
from assay.inventory.hosts.deletion import WORKER
from assay.inventory.hosts.keys import approve
from assay.inventory.hosts.registration import register_targets, wanted_targets
from assay.tables.clock import now
from assay.tables.database import reading
from assay.tables.hosts import CLOCK_AHEAD, Host

from assay_worker.checks.progress import CheckProgress
from assay_worker.connectors.keys import fetch_expected_key, fetch_host_key, fingerprint
from assay_worker.connectors.path import JumpHost, resolve
from assay_worker.connectors.ssh import SshConnection, connect_jump_host
from assay_worker.driver.failures import mark_unusable
from assay_worker.errors import (
    HostError,
    HostKeyChangedError,
    HostKeyMismatchError,
    HostKeyUnapprovedError,
    TargetRefusedError,
)
from assay_worker.hosts import (
    LOCAL,
    access_to,
    connect,
    install,
    is_trusted,
    jump_login_of,
    record_inventory,
)
from assay_worker.install import uninstall
from assay_worker.loop import in_thread
from assay_worker.probe import Probe


async def check_host(
    host_id: int, request: dict[str, Any], progress: CheckProgress
) -> dict[str, Any]:
    """Reach a host, take its inventory and register the targets of `request`.

    Raises HostError after recording it on the host, and StaleGenerationError if another worker has
    taken the check.
    """
    try:
        return await _check(host_id, request, progress)
    except HostError as error:
        await in_thread(_note_failure, host_id, error, progress)
        raise


async def _check(host_id: int, request: dict[str, Any], progress: CheckProgress) -> dict[str, Any]:
    host = await in_thread(_load, host_id)
    if host.connection != LOCAL:
        await _reach(host, progress)
    await progress.step("login")
    way = await in_thread(access_to, host_id)
    connection = await connect(way)
    try:
        if isinstance(connection, SshConnection):
            await progress.step("sessions")
            await connection.check_sessions()
        await progress.step("probe")
        probe = await install(way, connection)
        ahead_ns = await _clock_ahead_ns(probe)
        await probe.sweep()
        await progress.step("inspect")
        return await _inspect(host_id, request, probe, ahead_ns, progress)
    finally:
        await connection.close()


async def _reach(host: Host, progress: CheckProgress) -> None:
    """Resolve the host's name and check its key, through its jump hosts; raises HostError."""
    login = await in_thread(jump_login_of, host.id)
    if login is None:
        await progress.step("resolve")
        await resolve(host.address or "", host.port)
        await progress.step("key")
        await _check_key(host, None, progress)
        return
    await progress.step("jump host")
    through = await connect_jump_host(login)
    try:
        await progress.step("key")
        await _check_key(host, through.as_jump_host(login.name), progress)
    finally:
        await through.close()


async def _clock_ahead_ns(probe: Probe) -> int:
    """Return how far the host's wall clock is ahead of the worker's, at least; raises HostError."""
    asked = time.time_ns()
    there = int((await probe.version())["wall_ns"])
    answered = time.time_ns()
    return there - min(max(there, asked), answered)


async def _inspect(
    host_id: int, request: dict[str, Any], probe: Probe, ahead_ns: int, progress: CheckProgress
) -> dict[str, Any]:
    """Store inventory and targets; if a target is rejected, nothing stays on the host."""
    wanted = wanted_targets(request)
    try:
        found = await probe.inspect() | {CLOCK_AHEAD: ahead_ns}
        facts = [(await probe.inspect(target.path))["target"] for target in wanted]
        return await in_thread(_store, (host_id, request), found, facts, probe.digest, progress)
    except HostError:
        if wanted:
            with suppress(HostError):
                await uninstall(probe)
        raise


def _load(host_id: int) -> Host:
    with reading() as session:
        return session.get_one(Host, host_id)


async def _check_key(host: Host, jump: JumpHost | None, progress: CheckProgress) -> None:
    """Compare the key that the host shows with the approved or expected one; raises HostError."""
    address = host.address or ""
    if host.approved_key is None and host.expected_keys:
        key = await _expected_key(host, address, jump)
        await in_thread(_approve, host, key, progress)
        return
    if host.approved_key is None and await in_thread(is_trusted, host):
        return  # the login verifies the certificate
    offered = await fetch_host_key(address, host.port, host.approved_key, jump)
    if host.approved_key is None:
        await in_thread(_note_key, host.id, offered, progress)
        raise HostKeyUnapprovedError(f"{host.name} shows {fingerprint(offered)}")
    if offered != host.approved_key:
        raise HostKeyChangedError(
            f"approved is {fingerprint(host.approved_key)}, offered is {fingerprint(offered)}",
            offered,
        )


async def _expected_key(host: Host, address: str, jump: JumpHost | None) -> str:
    """Return the host's key that its registration gave; raises HostKeyMismatchError."""
    expected = [(known["type"], known["fingerprint"]) for known in host.expected_keys]
    key, shown = await fetch_expected_key(address, host.port, expected, jump)
    if key is None:
        given = ", ".join(fingerprint for _, fingerprint in expected)
        offered = ", ".join(map(fingerprint, shown))
        message = f"{address} port {host.port} shows {offered}, and {given} was given"
        raise HostKeyMismatchError(message, shown[0])
    return key


def _approve(seen: Host, key: str, progress: CheckProgress) -> None:
    """Approve the key of the host as it was `seen`, unless it was changed since."""
    with progress.writing() as (session, _):
        host = session.get_one(Host, seen.id)
        if (host.address, host.port) != (seen.address, seen.port):
            return
        host.offered_key = key
        approve(host, fingerprint(key))
        detail = {"fingerprint": fingerprint(key), "old": None}
        record_action(session, WORKER, "host.key_approved", f"host {host.id} {host.name}", **detail)


def _note_key(host_id: int, offered: str, progress: CheckProgress) -> None:
    with progress.writing() as (session, _):
        session.get_one(Host, host_id).offered_key = offered


def _note_failure(host_id: int, error: HostError, progress: CheckProgress) -> None:
    with progress.writing() as (session, _):
        mark_unusable(session, host_id, error)
        session.get_one(Host, host_id).last_checked_at = now(session)


def _store(
    asked: tuple[int, dict[str, Any]],
    found: dict[str, Any],
    targets: list[dict[str, Any]],
    digest: str,
    progress: CheckProgress,
) -> dict[str, Any]:
    """Store what was found; raises TargetRefusedError, and stores nothing, if a target is."""
    host_id, request = asked
    try:
        with progress.writing() as (session, _):
            host = session.get_one(Host, host_id)
            inventory = record_inventory(session, host_id, found, digest)
            host.machine_id, host.boot_id = found.get("machine_id"), found.get("boot_id")
            host.last_checked_at = host.last_seen_at = now(session)
            if host.state != lifecycle.DELETING:
                host.state, host.state_code, host.state_reason = lifecycle.READY, None, None
                host.offered_key = None
                register_targets(session, request, targets)
            return {"inventory_id": inventory.id}
    except Problem as problem:
        error = next(iter(problem.errors), FieldError("targets", problem.detail, problem.remedy))
        raise TargetRefusedError(
            problem.code,
            f"{error.value or error.field} {error.message}",
            problem.title,
            error.remedy or "",
            error.field,
        ) from None

"""The check of a host, from name resolution to inventory; each step has its own error."""

from typing import Any

from assay.db.clock import now
from assay.db.database import reading
from assay.hosts import lifecycle
from assay.hosts.models import Host

from assay_worker.checks.progress import CheckProgress
from assay_worker.connectors.keys import fetch_host_key, fingerprint, resolve
from assay_worker.connectors.ssh import SshConnection
from assay_worker.driver.failures import mark_unusable
from assay_worker.errors import HostError, HostKeyChangedError, HostKeyUnapprovedError
from assay_worker.hosts import LOCAL, access_to, connect, install
from assay_worker.inventory import record
from assay_worker.loop import in_thread


async def check_host(host_id: int, progress: CheckProgress) -> dict[str, Any]:
    """Reach a host and take its inventory; raises HostError after recording it on the host.

    Raises StaleGenerationError if another worker has taken the check.
    """
    try:
        return await _check(host_id, progress)
    except HostError as error:
        await in_thread(_note_failure, host_id, error, progress)
        raise


async def _check(host_id: int, progress: CheckProgress) -> dict[str, Any]:
    host = await in_thread(_load, host_id)
    if host.connection != LOCAL:
        await progress.step("resolve")
        await resolve(host.address or "", host.port)
        await progress.step("key")
        await _check_key(host, progress)
    await progress.step("login")
    way = await in_thread(access_to, host_id)
    connection = await connect(way)
    try:
        if isinstance(connection, SshConnection):
            await progress.step("sftp")
            await connection.check_sftp()
        await progress.step("probe")
        probe = await install(way, connection)
        await probe.version()
        await probe.sweep()
        await progress.step("inspect")
        found = await probe.inspect()
        return await in_thread(_store, host_id, found, probe.digest, progress)
    finally:
        await connection.close()


def _load(host_id: int) -> Host:
    with reading() as session:
        return session.get_one(Host, host_id)


async def _check_key(host: Host, progress: CheckProgress) -> None:
    """Compare the key that the host shows with the approved one; raises HostError."""
    offered = await fetch_host_key(host.address or "", host.port, host.approved_key)
    if host.approved_key is None:
        await in_thread(_note_key, host.id, offered, progress)
        raise HostKeyUnapprovedError(f"{host.name} shows {fingerprint(offered)}")
    if offered != host.approved_key:
        raise HostKeyChangedError(
            f"approved is {fingerprint(host.approved_key)}, offered is {fingerprint(offered)}",
            offered,
        )


def _note_key(host_id: int, offered: str, progress: CheckProgress) -> None:
    with progress.writing() as (session, _):
        session.get_one(Host, host_id).offered_key = offered


def _note_failure(host_id: int, error: HostError, progress: CheckProgress) -> None:
    with progress.writing() as (session, _):
        mark_unusable(session, host_id, error)
        session.get_one(Host, host_id).last_checked_at = now(session)


def _store(
    host_id: int, found: dict[str, Any], digest: str, progress: CheckProgress
) -> dict[str, Any]:
    with progress.writing() as (session, _):
        host = session.get_one(Host, host_id)
        inventory = record(session, host_id, found, digest)
        host.machine_id, host.boot_id = found.get("machine_id"), found.get("boot_id")
        host.last_checked_at = host.last_seen_at = now(session)
        if host.state != lifecycle.DELETING:
            host.state, host.state_reason, host.offered_key = lifecycle.READY, None, None
        return {"inventory_id": inventory.id}

"""The check of a host: from its name to its inventory, step by step, each with its own error."""

from typing import Any

from assay.db.clock import now
from assay.db.database import reading
from assay.hosts import lifecycle
from assay.hosts.models import Host

from assay_worker.checks.progress import Progress
from assay_worker.connectors.keys import fetch_host_key, fingerprint, resolve
from assay_worker.connectors.ssh import SshConnection
from assay_worker.driver.trouble import blame
from assay_worker.errors import HostError, HostKeyChangedError, HostKeyUnapprovedError
from assay_worker.hosts import LOCAL, access, connect, install
from assay_worker.inventory import record
from assay_worker.loop import wait_for


def check_host(host_id: int, progress: Progress) -> dict[str, Any]:
    """Reach a host and take its inventory; raises HostError after writing it to the host.

    Raises StaleGenerationError when another worker has taken the check.
    """
    try:
        return _check(host_id, progress)
    except HostError as error:
        with progress.writing() as (session, _):
            blame(session, host_id, error)
            session.get_one(Host, host_id).last_checked_at = now(session)
        raise


def _check(host_id: int, progress: Progress) -> dict[str, Any]:
    with reading() as session:
        host = session.get_one(Host, host_id)
    if host.connection != LOCAL:
        progress.step("resolve")
        wait_for(resolve(host.address or "", host.port))
        progress.step("key")
        _check_key(host, progress)
    progress.step("login")
    with reading() as session:
        way = access(session, host)
    connection = wait_for(connect(way))
    try:
        if isinstance(connection, SshConnection):
            progress.step("sftp")
            wait_for(connection.check_sftp())
        progress.step("probe")
        probe = wait_for(install(way, connection))
        wait_for(probe.version())
        wait_for(probe.sweep())
        progress.step("inspect")
        found = wait_for(probe.inspect())
        return _store(host_id, found, probe.digest, progress)
    finally:
        wait_for(connection.close())


def _check_key(host: Host, progress: Progress) -> None:
    """Compare the key that the host shows with the approved one; raises HostError."""
    offered = wait_for(fetch_host_key(host.address or "", host.port, host.approved_key))
    if host.approved_key is None:
        with progress.writing() as (session, _):
            session.get_one(Host, host.id).offered_key = offered
        raise HostKeyUnapprovedError(f"{host.name} shows {fingerprint(offered)}")
    if offered != host.approved_key:
        raise HostKeyChangedError(
            f"approved is {fingerprint(host.approved_key)}, shown is {fingerprint(offered)}",
            offered,
        )


def _store(host_id: int, found: dict[str, Any], digest: str, progress: Progress) -> dict[str, Any]:
    with progress.writing() as (session, _):
        host = session.get_one(Host, host_id)
        inventory = record(session, host_id, found, digest)
        host.machine_id, host.boot_id = found.get("machine_id"), found.get("boot_id")
        host.last_checked_at = host.last_seen_at = now(session)
        if host.state != lifecycle.DELETING:
            host.state, host.state_reason, host.offered_key = lifecycle.READY, None, None
        return {"inventory_id": inventory.id}

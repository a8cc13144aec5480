"""Connections to hosts and their probes, from a host's row, and storage of inventories."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from assay.inventory.authorities.trust import Trust
from assay.inventory.credentials.sealing import SealError, unseal
from assay.inventory.hosts.schemas import MOST_JUMPS
from assay.tables.credentials import Credential
from assay.tables.database import reading
from assay.tables.hosts import Host, Inventory
from sqlalchemy.orm import Session

from assay_worker.connectors import ssh
from assay_worker.connectors.connection import Connection
from assay_worker.connectors.local import LocalConnection
from assay_worker.errors import (
    CredentialMissingError,
    HostError,
    HostKeyUnapprovedError,
    JumpHostError,
)
from assay_worker.install import local_probe, remote_probe
from assay_worker.probe import Probe

LOCAL, SSH = "local", "ssh"


@dataclass(frozen=True)
class Access:
    """Connection parameters of a host, loaded in one short session."""

    host_id: int
    name: str
    connection: str
    login: ssh.SshLogin | None
    folder: str | None


@dataclass(frozen=True)
class Connector:
    """One kind of connection: its login, how to open it, and how to install the probe."""

    login: Callable[[Session, Host], ssh.SshLogin | None]
    connect: Callable[[Access], Awaitable[Connection]]
    install: Callable[[Access, Connection], Awaitable[Probe]]


def access(session: Session, host: Host) -> Access:
    """Load the connection parameters of `host`, or raise a HostError.

    Raises HostKeyUnapprovedError or CredentialMissingError.
    """
    login = connectors[host.connection].login(session, host)
    return Access(host.id, host.name, host.connection, login, host.probe_dir)


def access_to(host_id: int) -> Access:
    """Load the connection parameters of a host id; raises as `access`."""
    with reading() as session:
        return access(session, session.get_one(Host, host_id))


def jump_login(session: Session, host: Host, passed: tuple[int, ...] = ()) -> ssh.SshLogin | None:
    """Load the login on the jump host of `host`, if it has one; raises JumpHostError."""
    if host.jump_host_id is None:
        return None
    jump = session.get_one(Host, host.jump_host_id)
    passed = (*passed, jump.id)
    if len(passed) > MOST_JUMPS:
        raise JumpHostError(f"jump host {jump.name}: more than {MOST_JUMPS} in a row")
    try:
        return _login(session, jump, passed)
    except HostError as error:
        raise JumpHostError.of(jump.name, error) from None


def jump_login_of(host_id: int) -> ssh.SshLogin | None:
    """Load the login on the jump host of a host id; raises JumpHostError."""
    with reading() as session:
        return jump_login(session, session.get_one(Host, host_id))


def is_trusted(host: Host) -> bool:
    """Return whether an authority is trusted for the host's address."""
    with reading() as session:
        return Trust(session).of(host.address or "", host.port) is not None


def _login(session: Session, host: Host, passed: tuple[int, ...] = ()) -> ssh.SshLogin:
    trust = Trust(session).of(host.address or "", host.port)
    if host.approved_key is None and (trust is None or host.expected_keys):
        raise HostKeyUnapprovedError(f"{host.name} has no approved key")
    credential = _credential(session, host)
    secret, is_password = _secret(credential), credential.kind == "password"
    return ssh.SshLogin(
        address=host.address or "",
        port=host.port,
        user=host.user or "",
        host_key=" ".join(host.approved_key.split()[:2]) if host.approved_key else None,
        trust=trust,
        private_key=None if is_password else secret,
        password=secret if is_password else None,
        certificate=credential.certificate,
        name=host.name,
        jump=jump_login(session, host, passed),
    )


def _credential(session: Session, host: Host) -> Credential:
    credential = session.get(Credential, host.credential_id or 0)
    if credential is None:
        raise CredentialMissingError(f"{host.name} has no credential")
    return credential


def _secret(credential: Credential) -> str:
    try:
        return unseal(credential.sealed)
    except SealError as error:
        raise CredentialMissingError(str(error)) from None


async def _by_ssh(way: Access) -> Connection:
    assert way.login  # noqa: S101 - this kind of connection always has one
    return await ssh.connect(way.login)


async def _locally(_way: Access) -> Connection:
    return LocalConnection()


connectors = {
    LOCAL: Connector(lambda _session, _host: None, _locally, lambda _way, by: local_probe(by)),
    SSH: Connector(_login, _by_ssh, lambda way, by: remote_probe(by, way.folder)),
}
"""Connectors by the connection kind of a host."""


async def connect(way: Access) -> Connection:
    """Open a connection to the host; raises HostError."""
    return await connectors[way.connection].connect(way)


async def install(way: Access, connection: Connection) -> Probe:
    """Install the probe if needed and verify it; raises HostError."""
    return await connectors[way.connection].install(way, connection)


@asynccontextmanager
async def probe_on(way: Access) -> AsyncGenerator[Probe]:
    """Connect to the host and provide its probe while the block runs; raises HostError."""
    connection = await connect(way)
    try:
        yield await install(way, connection)
    finally:
        await connection.close()


def record_inventory(
    session: Session, host_id: int, found: dict[str, Any], digest: str
) -> Inventory:
    """Store an inspection of the host, without the target that was inspected with it."""
    body = {name: value for name, value in found.items() if name != "target"}
    inventory = Inventory(host_id=host_id, probe=digest[:12], body=body)
    session.add(inventory)
    session.flush()
    return inventory

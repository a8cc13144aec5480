"""From a host's row to an open connection with a probe at its end."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from assay.credentials.models import Credential
from assay.credentials.sealing import SealError, unseal
from assay.hosts.models import Host
from sqlalchemy.orm import Session

from assay_worker.connectors import ssh
from assay_worker.connectors.connection import Connection
from assay_worker.connectors.local import LocalConnection
from assay_worker.errors import CredentialMissingError, HostKeyUnapprovedError
from assay_worker.install import local_probe, remote_probe
from assay_worker.loop import wait_for
from assay_worker.probe import Probe

LOCAL = "local"


@dataclass(frozen=True)
class Access:
    """All that is needed to reach a host, loaded in one short session."""

    host_id: int
    name: str
    login: ssh.Login | None
    folder: str | None


def access(session: Session, host: Host) -> Access:
    """How to reach `host`; raises HostKeyUnapprovedError or CredentialMissingError."""
    if host.connection == LOCAL:
        return Access(host.id, host.name, None, None)
    if host.approved_key is None:
        raise HostKeyUnapprovedError(f"no key of {host.name} has been approved")
    secret, is_password = _secret(session, host)
    login = ssh.Login(
        address=host.address or "",
        port=host.port,
        user=host.user or "",
        host_key=" ".join(host.approved_key.split()[:2]),
        private_key=None if is_password else secret,
        password=secret if is_password else None,
    )
    return Access(host.id, host.name, login, host.probe_dir)


def _secret(session: Session, host: Host) -> tuple[str, bool]:
    credential = session.get(Credential, host.credential_id or 0)
    if credential is None:
        raise CredentialMissingError(f"{host.name} has no credential")
    try:
        return unseal(credential.sealed), credential.kind == "password"
    except SealError as error:
        raise CredentialMissingError(str(error)) from None


async def connect(way: Access) -> Connection:
    """A connection to the host; raises HostError."""
    return await ssh.connect(way.login) if way.login else LocalConnection()


async def install(way: Access, connection: Connection) -> Probe:
    """The host's probe, checked; raises HostError."""
    if way.login is None:
        return await local_probe(connection)
    return await remote_probe(connection, way.folder)


@contextmanager
def probe_on(way: Access) -> Generator[Probe]:
    """The host's probe for as long as the block lasts; raises HostError."""
    connection = wait_for(connect(way))
    try:
        yield wait_for(install(way, connection))
    finally:
        wait_for(connection.close())

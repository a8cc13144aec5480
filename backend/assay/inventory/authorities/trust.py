"""Which authorities are trusted for a host's address."""

from dataclasses import dataclass

import asyncssh
from sqlalchemy import select
from sqlalchemy.orm import Session

from assay.tables.authorities import HostAuthority

SSH_PORT = 22


@dataclass(frozen=True)
class HostTrust:
    """Keys that may have signed a host's certificate, and keys of hosts that were revoked."""

    names: tuple[str, ...]
    authorities: tuple[str, ...]
    revoked: tuple[str, ...]


class Trust:
    """The trusted authorities, loaded once for any number of hosts."""

    def __init__(self, session: Session) -> None:
        """Load them."""
        rows = session.scalars(select(HostAuthority).order_by(HostAuthority.id))
        self._known = [(row, _lines(row)) for row in rows]

    def of(self, address: str, port: int) -> HostTrust | None:
        """Return which authorities are trusted for a host, or None if no pattern matches it."""
        wanted = address.lower(), "", None if port == SSH_PORT else port
        found = [row for row, known in self._known if known.match(*wanted)[1]]
        if not found:
            return None
        return HostTrust(
            tuple(row.name for row in found),
            tuple(row.public_key for row in found),
            tuple(key for row in found for key in row.revoked_keys),
        )


def _lines(row: HostAuthority) -> asyncssh.SSHKnownHosts:
    """Return the authority as known_hosts, whose rules decide which hosts match."""
    line = f"@cert-authority {','.join(row.patterns)} {row.public_key}"
    return asyncssh.import_known_hosts(line)

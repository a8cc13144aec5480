"""The path to a host's SSH server: a TCP connection, or a channel through a jump host."""

import asyncio
import socket
from dataclasses import dataclass
from typing import Any

import asyncssh

from assay_worker.errors import (
    HostError,
    JumpHostError,
    JumpHostUnreachableError,
    RefusedError,
    UnknownHostError,
    UnreachableError,
)

CONNECT_TIMEOUT_S = 10.0

_CONNECT_FAILED = 2
"""SSH_OPEN_CONNECT_FAILED of RFC 4254: the jump host tried; other codes mean that it refuses to."""

_UNRESOLVED = ("not known", "name resolution", "no address", "nodename nor servname")
"""Parts of the messages by which sshd reports that it cannot resolve a name."""


@dataclass(frozen=True)
class JumpHost:
    """A jump host to which a connection is open."""

    name: str
    connection: asyncssh.SSHClientConnection

    def failure(self, error: Exception, where: str) -> HostError | None:
        """Return why `where` was not reached through this host; None if it was reached."""
        if self.connection.is_closed():
            return JumpHostUnreachableError(f"jump host {self.name}: the connection was lost")
        if not isinstance(error, asyncssh.ChannelOpenError):
            return None
        reason = error.reason.lower()
        if error.code != _CONNECT_FAILED:
            return JumpHostError(
                f"jump host {self.name}: does not forward to {where}: {error.reason}"
            )
        if "refused" in reason:
            return RefusedError(f"{where} refuses connections from the jump host {self.name}")
        if any(part in reason for part in _UNRESOLVED):
            return UnknownHostError(f"the jump host {self.name} cannot resolve {where}")
        return UnreachableError(f"{where} through the jump host {self.name}: {error.reason}")


@dataclass(frozen=True)
class SshPath:
    """What asyncssh needs to connect: a connected socket, or the connection to a jump host."""

    channel: socket.socket | None
    jump: JumpHost | None

    @property
    def arguments(self) -> dict[str, Any]:
        """Named arguments of asyncssh's functions."""
        if self.jump is not None:
            return {"tunnel": self.jump.connection}
        return {"sock": self.channel}

    def failure(self, error: Exception, where: str) -> HostError | None:
        """Return the failure of the path, if `error` is one; None if it is the host's."""
        return None if self.jump is None else self.jump.failure(error, where)

    def close(self) -> None:
        """Close the socket; a jump host stays connected."""
        if self.channel is not None:
            self.channel.close()


async def open_path(address: str, port: int, jump: JumpHost | None) -> SshPath:
    """Connect to the first address that accepts it; a jump host connects by itself later.

    Raises UnknownHostError, RefusedError or UnreachableError.
    """
    return SshPath(None, jump) if jump is not None else SshPath(await dial(address, port), None)


def reason(error: Exception) -> str:
    """Return the message of an error, without its errno."""
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


async def resolve(address: str, port: int) -> list[tuple[socket.AddressFamily, tuple[str, int]]]:
    """Resolve the addresses of a host; raises UnknownHostError."""
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(address, port, type=socket.SOCK_STREAM)
    except UnicodeError:
        raise UnknownHostError(f"{address} is not a valid host name") from None
    except socket.gaierror as error:
        if error.errno == socket.EAI_NONAME:
            raise UnknownHostError(f"unknown host name {address}") from None
        why = f"the host name {address} could not be resolved: {reason(error)}"
        raise UnknownHostError(why) from None
    return [(family, sockaddr) for family, _, _, _, sockaddr in found]  # pyright: ignore


async def dial(address: str, port: int) -> socket.socket:
    """Open a TCP connection to the first address that accepts it.

    Raises UnknownHostError, RefusedError or UnreachableError.
    """
    failure: HostError = UnknownHostError(f"{address}: no address")
    for family, numeric in await resolve(address, port):
        channel = socket.socket(family, socket.SOCK_STREAM)
        channel.setblocking(False)
        try:
            async with asyncio.timeout(CONNECT_TIMEOUT_S):
                await asyncio.get_running_loop().sock_connect(channel, numeric)
        except TimeoutError:
            failure = UnreachableError(
                f"{numeric[0]} port {port}: no response within {CONNECT_TIMEOUT_S:g} s"
            )
        except ConnectionRefusedError:
            failure = RefusedError(f"{numeric[0]} port {port} refuses connections")
        except OSError as error:
            failure = UnreachableError(f"{numeric[0]} port {port}: {reason(error)}")
        else:
            return channel
        channel.close()
    raise failure

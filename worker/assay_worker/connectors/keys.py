"""Steps before a login: name resolution, TCP connection and host keys."""

import asyncio
import socket
from collections.abc import Sequence

import asyncssh

from assay_worker.errors import (
    ConnectionLostError,
    HostError,
    RefusedError,
    UnknownHostError,
    UnreachableError,
)

CONNECT_TIMEOUT_S = 10.0

FAILURES = (OSError, asyncssh.Error, ValueError)
"""Exceptions of a failed connection.

asyncssh raises ValueError for some malformed packets and for a version that is not text.
"""


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


def public_line(key: asyncssh.SSHKey) -> str:
    """Return a key in OpenSSH format: type and base64, without a comment."""
    return " ".join(key.export_public_key().decode().split()[:2])


def parse_line(line: str) -> asyncssh.SSHKey:
    """Parse a key that `public_line` returned."""
    return asyncssh.import_public_key(line)


def fingerprint(line: str) -> str:
    """Return the SHA-256 fingerprint of a public key, as shown by `ssh-keygen -l`."""
    return parse_line(line).get_fingerprint()


async def fetch_host_key(address: str, port: int, known: str | None) -> str:
    """Return the key that the host offers, without a login; raises HostError.

    A host has keys of several types: the type of the `known` key is requested first, so that a
    host with an additional key does not appear changed.
    """
    if known:
        try:
            return await _fetch(address, port, parse_line(known).sig_algorithms)
        except (asyncssh.KeyExchangeFailed, ConnectionLostError):
            pass  # it may no longer have a key of that type; some servers then close the connection
    try:
        return await _fetch(address, port, ())
    except asyncssh.KeyExchangeFailed as error:
        raise ConnectionLostError(f"{address} port {port}: {error.reason}") from None


async def _fetch(address: str, port: int, algorithms: Sequence[bytes]) -> str:
    channel = await dial(address, port)
    names = [name.decode() for name in algorithms]
    try:
        async with asyncio.timeout(CONNECT_TIMEOUT_S):
            key = await asyncssh.get_server_host_key(
                address, port, sock=channel, config=None, server_host_key_algs=names or ()
            )
    except asyncssh.KeyExchangeFailed:
        raise
    except TimeoutError:
        raise UnreachableError(
            f"{address} port {port} accepts connections, but is not an SSH server"
        ) from None
    except FAILURES as error:
        raise ConnectionLostError(f"{address} port {port}: {reason(error)}") from None
    finally:
        channel.close()
    if key is None:
        raise ConnectionLostError(f"{address} port {port} offered no host key")
    return public_line(key)

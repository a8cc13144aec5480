"""Host keys, and the way to a host's port: what happens before anyone logs in there."""

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
"""What a connection ends with, whoever is to blame.

asyncssh tells some nonsense in packets, and a version that is no text, by ValueError.
"""


def reason(error: Exception) -> str:
    """What an error says, without the number that the system has for it."""
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


async def resolve(address: str, port: int) -> list[tuple[socket.AddressFamily, tuple[str, int]]]:
    """The numeric addresses of a host; raises UnknownHostError."""
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(address, port, type=socket.SOCK_STREAM)
    except UnicodeError:
        raise UnknownHostError(f"{address} cannot be the name of a host") from None
    except socket.gaierror as error:
        if error.errno == socket.EAI_NONAME:
            raise UnknownHostError(f"the name {address} is not known") from None
        why = f"the name {address} could not be looked up: {reason(error)}"
        raise UnknownHostError(why) from None
    return [(family, sockaddr) for family, _, _, _, sockaddr in found]  # pyright: ignore


async def dial(address: str, port: int) -> socket.socket:
    """A TCP connection to the first address that answers.

    Raises UnknownHostError, RefusedError or UnreachableError.
    """
    trouble: HostError = UnknownHostError(f"{address}: no address")
    for family, numeric in await resolve(address, port):
        channel = socket.socket(family, socket.SOCK_STREAM)
        channel.setblocking(False)
        try:
            async with asyncio.timeout(CONNECT_TIMEOUT_S):
                await asyncio.get_running_loop().sock_connect(channel, numeric)
        except TimeoutError:
            trouble = UnreachableError(
                f"{numeric[0]} port {port}: no answer within {CONNECT_TIMEOUT_S:g} s"
            )
        except ConnectionRefusedError:
            trouble = RefusedError(f"{numeric[0]} port {port} refuses connections")
        except OSError as error:
            trouble = UnreachableError(f"{numeric[0]} port {port}: {reason(error)}")
        else:
            return channel
        channel.close()
    raise trouble


def public_line(key: asyncssh.SSHKey) -> str:
    """A key as OpenSSH writes it: type and base64, without a comment."""
    return " ".join(key.export_public_key().decode().split()[:2])


def parse_line(line: str) -> asyncssh.SSHKey:
    """The key that `public_line` wrote."""
    return asyncssh.import_public_key(line)


def fingerprint(line: str) -> str:
    """The SHA-256 fingerprint of a public key, as `ssh-keygen -l` shows it."""
    return parse_line(line).get_fingerprint()


async def fetch_host_key(address: str, port: int, known: str | None) -> str:
    """The key that the host shows, without logging in.

    A host has keys of several types: the type of the `known` one is asked for first, so that a
    host that gained another key does not look changed. Raises HostError.
    """
    if known:
        try:
            return await _fetch(address, port, parse_line(known).sig_algorithms)
        except (asyncssh.KeyExchangeFailed, ConnectionLostError):
            pass  # it may no longer have a key of that type, and some servers just hang up then
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
            f"{address} port {port} accepts connections, but speaks no SSH"
        ) from None
    except FAILURES as error:
        raise ConnectionLostError(f"{address} port {port}: {reason(error)}") from None
    finally:
        channel.close()
    if key is None:
        raise ConnectionLostError(f"{address} port {port} showed no host key")
    return public_line(key)

"""Host keys: fetched before any login, and compared."""

import asyncio
from collections.abc import Collection, Sequence

import asyncssh

from assay_worker.connectors.path import CONNECT_TIMEOUT_S, JumpHost, open_path, reason
from assay_worker.errors import ConnectionLostError, UnreachableError

FAILURES = (OSError, asyncssh.Error, ValueError)
"""Exceptions of a failed connection.

asyncssh raises ValueError for some malformed packets and for a version that is not text.
"""


def public_line(key: asyncssh.SSHKey) -> str:
    """Return a key in OpenSSH format: type and base64, without a comment."""
    return " ".join(key.export_public_key().decode().split()[:2])


def key_of(line: str) -> str:
    """Return type and base64 of a public key line, without its comment."""
    return " ".join(line.split()[:2])


def parse_line(line: str) -> asyncssh.SSHKey:
    """Parse a key that `public_line` returned."""
    return asyncssh.import_public_key(line)


def fingerprint(line: str) -> str:
    """Return the SHA-256 fingerprint of a public key, as shown by `ssh-keygen -l`."""
    return parse_line(line).get_fingerprint()


async def fetch_host_key(
    address: str, port: int, known: str | None, jump: JumpHost | None = None
) -> str:
    """Return the key that the host offers, without a login; raises HostError.

    A host has keys of several types: the type of the `known` key is requested first, so that a
    host with an additional key does not appear changed.
    """
    if known:
        try:
            return await _fetch(address, port, parse_line(known).sig_algorithms, jump)
        except (asyncssh.KeyExchangeFailed, ConnectionLostError):
            pass  # it may no longer have a key of that type; some servers then close the connection
    try:
        return await _fetch(address, port, (), jump)
    except asyncssh.KeyExchangeFailed as error:
        raise ConnectionLostError(f"{address} port {port}: {error.reason}") from None


KEY_TYPES = {
    "ssh-ed25519": (b"ssh-ed25519",),
    "ecdsa-sha2-nistp256": (b"ecdsa-sha2-nistp256",),
    "ecdsa-sha2-nistp384": (b"ecdsa-sha2-nistp384",),
    "ecdsa-sha2-nistp521": (b"ecdsa-sha2-nistp521",),
    "ssh-rsa": (b"rsa-sha2-512", b"rsa-sha2-256"),
}
"""Signature algorithms by key type, in the order in which a host's keys are compared."""


async def fetch_expected_key(
    address: str,
    port: int,
    expected: Collection[tuple[str | None, str]],
    jump: JumpHost | None = None,
) -> tuple[str | None, list[str]]:
    """Return the key that the host shows and `expected` has, by type and fingerprint, or None.

    Also returns all keys that were shown: a host has several, and one of another type is compared
    only if it may be the expected one. Raises HostError.
    """
    wanted = {fingerprint for _, fingerprint in expected}
    types = {kind for kind, _ in expected}
    shown: list[str] = []
    for kind, algorithms in KEY_TYPES.items():
        if None not in types and kind not in types:
            continue
        try:
            key = await _fetch(address, port, algorithms, jump)
        except (asyncssh.KeyExchangeFailed, ConnectionLostError):
            continue  # it has no key of this type; some servers then close the connection
        shown.append(key)
        if fingerprint(key) in wanted:
            return key, shown
    return None, shown or [await fetch_host_key(address, port, None, jump)]


async def _fetch(
    address: str, port: int, algorithms: Sequence[bytes], jump: JumpHost | None
) -> str:
    where = f"{address} port {port}"
    names = [name.decode() for name in algorithms]
    path = await open_path(address, port, jump)
    try:
        async with asyncio.timeout(CONNECT_TIMEOUT_S):
            key = await asyncssh.get_server_host_key(
                address, port, config=None, server_host_key_algs=names or (), **path.arguments
            )
    except asyncssh.KeyExchangeFailed:
        raise
    except TimeoutError:
        if jump is not None:
            raise UnreachableError(
                f"{where}: no SSH server within {CONNECT_TIMEOUT_S:g} s"
            ) from None
        raise UnreachableError(f"{where} accepts connections, but is not an SSH server") from None
    except FAILURES as error:
        lost = ConnectionLostError(f"{where}: {reason(error)}")
        raise (path.failure(error, where) or lost) from None
    finally:
        path.close()
    if key is None:
        raise ConnectionLostError(f"{where} offered no host key")
    return public_line(key)

"""Host keys: stored as OpenSSH public keys, shown as fingerprints.

A user approves a key by its fingerprint, and nothing logs in before that. It may also be known
before the host is contacted: as a fingerprint, or as lines of known_hosts.
"""

import base64
from collections.abc import Sequence

import asyncssh

from assay.base.errors import Conflict, Invalid
from assay.base.field_errors import FieldError
from assay.inventory.hosts import lifecycle
from assay.inventory.hosts.schemas import ExpectedKey, HostKey
from assay.tables.hosts import Host


def fingerprints(lines: str | None) -> list[HostKey]:
    """Return type and SHA-256 fingerprint of each stored public key line."""
    keys: list[HostKey] = []
    for line in (lines or "").splitlines():
        if line.strip():
            key = asyncssh.import_public_key(line)
            keys.append(HostKey(type=key.get_algorithm(), fingerprint=key.get_fingerprint()))
    return keys


def shown(lines: str | None) -> HostKey | None:
    """Return the pinned key, which is the first."""
    return next(iter(fingerprints(lines)), None)


SSH_PORT = 22

_REVOKED = "@revoked"
_AUTHORITY = "@cert-authority"

_ANY_KEY = base64.b64encode(b"\0\0\0\x0bssh-ed25519\0\0\0\x20" + bytes(32)).decode()
"""A stand-in for the key of a line whose names are compared."""


def expected_keys(
    address: str, port: int, fingerprint: str | None, known_hosts: str | None
) -> list[ExpectedKey]:
    """Return the keys of which the host must show one; raises Invalid."""
    if fingerprint is not None:
        return [ExpectedKey(type=None, fingerprint=fingerprint)]
    return [] if known_hosts is None else _keys_of(known_hosts, address, port)


def _keys_of(text: str, address: str, port: int) -> list[ExpectedKey]:
    """Return the keys that known_hosts lines have for an address; hashed names match, too."""
    found: list[ExpectedKey] = []
    unreadable: list[int] = []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        marker = words.pop(0) if words[0].startswith("@") else None
        if len(words) < 3 or marker not in (None, _REVOKED, _AUTHORITY):
            raise _mistake(
                f"is not valid in line {number}",
                "Write name, key type and key, as in ~/.ssh/known_hosts.",
            )
        if not _is_of(line.strip(), number, address, port):
            continue
        try:
            key = asyncssh.import_public_key(" ".join(words[1:3]))
        except asyncssh.KeyImportError:
            unreadable.append(number)
            continue
        if marker == _REVOKED:
            raise _mistake(
                f"marks the key {key.get_fingerprint()} as revoked in line {number}",
                "Give the host's present key.",
            )
        if marker is None:
            known = ExpectedKey(type=key.get_algorithm(), fingerprint=key.get_fingerprint())
            found += [known] if known not in found else []
    if not found:
        raise _no_key(address, port, unreadable)
    return found


def _is_of(line: str, number: int, address: str, port: int) -> bool:
    """Return whether a line's names include the address; a key of any type counts."""
    marked = line.startswith("@")
    names = line.split()[1 if marked else 0]
    stand_in = f"{names} ssh-ed25519 {_ANY_KEY}"  # the line's own key may be of an unknown type
    try:
        lines = asyncssh.import_known_hosts(stand_in)
    except ValueError:
        raise _mistake(
            f"has an invalid name in line {number}", "Copy the whole line from known_hosts."
        ) from None
    return bool(lines.match(address.lower(), "", None if port == SSH_PORT else port)[0])


def _mistake(message: str, remedy: str) -> Invalid:
    return Invalid([FieldError("known_hosts", message, remedy)])


def _no_key(address: str, port: int, unreadable: Sequence[int]) -> Invalid:
    name = address if port == SSH_PORT else f"[{address}]:{port}"
    if unreadable:
        lines = ", ".join(map(str, unreadable))
        return _mistake(
            f"has no readable key for {name} (line {lines})",
            "Give a whole line with a key of type ssh-ed25519, ecdsa-sha2-nistp256 or ssh-rsa.",
        )
    return _mistake(
        f"has no key for {name}",
        f"Give the line for {name} from the known_hosts file of a machine that trusts the host.",
    )


class NoKeyOffered(Conflict):
    """There is no key to approve."""

    code, title = "no_key_offered", "No new host key to approve"


class HostKeyMismatch(Conflict):
    """The offered key is not the one that the user verified."""

    code, title = "host_key_mismatch", "The fingerprint does not match"

    def __init__(self, given: str, offered: str) -> None:
        """Show both fingerprints."""
        super().__init__(
            f"The host offers {offered}, not {given}.",
            "Verify the fingerprint on the host again.",
            errors=[
                FieldError("fingerprint", "is not the offered key's", f"Verify {offered}.", given)
            ],
        )


def is_of(key: HostKey, fingerprint: str) -> bool:
    """Return whether this is the key's fingerprint, as a user typed it."""
    return fingerprint.strip() == key.fingerprint


def approve(host: Host, fingerprint: str) -> HostKey:
    """Pin the offered key and return it; raises NoKeyOffered or HostKeyMismatch."""
    offered = shown(host.offered_key)
    if offered is None:
        raise NoKeyOffered(remedy="Check the host first: the check fetches its key.")
    if not is_of(offered, fingerprint):
        raise HostKeyMismatch(fingerprint, offered.fingerprint)
    host.approved_key, host.offered_key, host.expected_keys = host.offered_key, None, []
    host.state, host.state_code = lifecycle.NEW, None
    host.state_reason = "The key is approved. Check the host."
    return offered

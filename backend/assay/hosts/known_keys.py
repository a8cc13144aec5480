"""Host keys that are known before a host is contacted: a fingerprint, or lines of known_hosts."""

import base64
from collections.abc import Sequence

import asyncssh

from assay.hosts.schemas import ExpectedKey
from assay.http.errors import Invalid
from assay.http.field_errors import FieldError

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

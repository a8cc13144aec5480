"""Host keys: stored as OpenSSH public keys, shown as fingerprints."""

import asyncssh

from assay.hosts.schemas import HostKey


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

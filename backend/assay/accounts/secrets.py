"""Passwords (Argon2id) and random tokens, of which the database keeps hashes alone."""

import base64
import hashlib
import secrets

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

TOKEN_PREFIX = "assay_"  # noqa: S105 (a mark that secret scanners can look for)
CODE_ALPHABET = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"  # without 0 O 1 I L, which people mix up

_hasher = PasswordHasher()


def hash_password(password: str) -> str:
    """An Argon2id hash with its salt and costs."""
    return _hasher.hash(password)


def password_matches(password: str, stored: str | None) -> bool:
    """Whether the password is the stored one; takes as long when there is no such user."""
    try:
        _hasher.verify(stored or _hash_of_nobody(), password)
    except (VerificationError, InvalidHashError):
        return False
    return stored is not None


def needs_rehash(stored: str) -> bool:
    """Return whether a hash was made at other costs than today's."""
    return _hasher.check_needs_rehash(stored)


def new_token() -> str:
    """A token of 256 random bits."""
    return TOKEN_PREFIX + secrets.token_urlsafe(32)


def new_code() -> str:
    """A set-up code that a person can read off a terminal: four groups of four."""
    return "-".join("".join(secrets.choice(CODE_ALPHABET) for _ in range(4)) for _ in range(4))


def fingerprint(token: str) -> str:
    """What the database keeps of a random token; nothing to guess, so a plain hash will do."""
    return hashlib.sha256(token.encode()).hexdigest()


def _hash_of_nobody() -> str:
    """What no password hashes to, at the same costs; a real hash would delay every start."""
    costs = f"m={_hasher.memory_cost},t={_hasher.time_cost},p={_hasher.parallelism}"
    salt, digest = (
        base64.b64encode(secrets.token_bytes(length)).decode().rstrip("=")
        for length in (_hasher.salt_len, _hasher.hash_len)
    )
    return f"$argon2id$v=19${costs}${salt}${digest}"

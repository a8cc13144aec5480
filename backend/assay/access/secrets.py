"""Passwords (Argon2id) and random tokens; the database stores only hashes."""

import base64
import hashlib
import secrets

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

TOKEN_PREFIX = "assay_"  # noqa: S105 (a prefix that secret scanners recognize)
CODE_ALPHABET = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"  # without the ambiguous characters 0 O 1 I L

_hasher = PasswordHasher()


def hash_password(password: str) -> str:
    """Return the Argon2id hash with its salt and parameters."""
    return _hasher.hash(password)


def password_matches(password: str, stored: str | None) -> bool:
    """Return whether the password matches; takes equally long if `stored` is None."""
    try:
        _hasher.verify(stored or _dummy_hash(), password)
    except (VerificationError, InvalidHashError):
        return False
    return stored is not None


def needs_rehash(stored: str) -> bool:
    """Return whether a hash was made at other costs than today's."""
    return _hasher.check_needs_rehash(stored)


def new_token() -> str:
    """Return a token of 256 random bits."""
    return TOKEN_PREFIX + secrets.token_urlsafe(32)


def new_code() -> str:
    """Return a setup code that is easy to type: four groups of four characters."""
    return in_groups("".join(secrets.choice(CODE_ALPHABET) for _ in range(16)))


def in_groups(code: str) -> str:
    """Return a setup code in its groups, however it was typed: in any case, dashes and spaces."""
    plain = "".join(one for one in code.upper() if one.isalnum())
    return "-".join(plain[start : start + 4] for start in range(0, len(plain), 4))


def fingerprint(token: str) -> str:
    """Return the stored hash of a random token; its entropy makes a slow hash unnecessary."""
    return hashlib.sha256(token.encode()).hexdigest()


def _dummy_hash() -> str:
    """Return a hash that no password matches, with the same cost parameters.

    It is random: computing a real one would delay every start.
    """
    costs = f"m={_hasher.memory_cost},t={_hasher.time_cost},p={_hasher.parallelism}"
    salt, digest = (
        base64.b64encode(secrets.token_bytes(length)).decode().rstrip("=")
        for length in (_hasher.salt_len, _hasher.hash_len)
    )
    return f"$argon2id$v=19${costs}${salt}${digest}"

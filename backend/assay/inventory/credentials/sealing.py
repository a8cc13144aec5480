"""Encryption of secrets (AES-256-GCM) with a key outside the database.

The key comes from `ASSAY_SECRET_KEY`, or from the file `secret.key` in `ASSAY_HOME` (mode 0600,
created at first use). A copy of the database alone gives no access to hosts.
"""

import os
import secrets
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from assay.base.settings import settings

KEY_FILE = "secret.key"
SHORTEST_SECRET = 32
VERSION = b"\x01"
NONCE_BYTES = 12
PURPOSE = b"assay credential"


class SealError(Exception):
    """A secret cannot be encrypted or decrypted."""


def seal(secret: str) -> bytes:
    """Encrypt a secret; raises SealError if there is no valid key."""
    nonce = secrets.token_bytes(NONCE_BYTES)
    return VERSION + nonce + AESGCM(_key()).encrypt(nonce, secret.encode(), PURPOSE)


def unseal(sealed: bytes) -> str:
    """Decrypt a secret; raises SealError if it was encrypted with another key."""
    start = len(VERSION)
    nonce, body = sealed[start : start + NONCE_BYTES], sealed[start + NONCE_BYTES :]
    if not sealed.startswith(VERSION):
        raise SealError("The stored secret has an unknown format.")
    try:
        return AESGCM(_key()).decrypt(nonce, body, PURPOSE).decode()
    except InvalidTag as error:
        raise SealError(
            "The stored secret was encrypted with another key. Restore ASSAY_SECRET_KEY or the "
            "file secret.key from that time, or create the credential again."
        ) from error


def derived(purpose: str) -> bytes:
    """Return 32 bytes that only this appliance's key and `purpose` give; raises SealError."""
    return HKDF(SHA256(), 32, salt=None, info=purpose.encode()).derive(_secret().encode())


def _key() -> bytes:
    return HKDF(SHA256(), 32, salt=None, info=PURPOSE).derive(_secret().encode())


def _secret() -> str:
    given = settings().secret_key
    if given is None:
        return _from_file(settings().home / KEY_FILE)
    if len(given) < SHORTEST_SECRET:
        raise SealError(f"ASSAY_SECRET_KEY must have at least {SHORTEST_SECRET} characters.")
    return given


def _from_file(path: Path) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f"{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    try:
        return path.read_text()
    except FileNotFoundError:
        pass
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(secrets.token_urlsafe(32))
        file.flush()
        os.fsync(file.fileno())
    try:
        os.link(fresh, path)  # atomic: the first process wins, and no process reads a partial key
    except FileExistsError:
        pass
    finally:
        fresh.unlink()
    return path.read_text()

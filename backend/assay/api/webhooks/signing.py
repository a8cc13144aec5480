"""Secrets and signatures of Standard Webhooks (standardwebhooks.com), scheme `v1`."""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Iterable

PREFIX = "whsec_"
SECRET_BYTES = 32


def new_secret() -> str:
    """Return a random secret: `whsec_` and base64."""
    return PREFIX + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()


def signature(keys: Iterable[str], message_id: str, timestamp: int, body: bytes) -> str:
    """Return the header `webhook-signature`: one signature for each secret.

    Each is `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`.
    """
    signed = f"{message_id}.{timestamp}.".encode() + body
    return " ".join(f"v1,{base64.b64encode(_mac(key, signed)).decode()}" for key in keys)


def _mac(key: str, signed: bytes) -> bytes:
    return hmac.digest(base64.b64decode(key.removeprefix(PREFIX)), signed, hashlib.sha256)

"""Types of the fields of a host in requests: address, user, paths, and the keys that it shows."""

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StringConstraints
from pydantic_core import PydanticCustomError

from assay.http.field_types import LARGEST_INTEGER, Storable

ConnectionKind = Literal["ssh", "local"]

LONGEST_PATH = 2048
"""Bytes; limited by the size of a PostgreSQL index row."""


def _one_word(text: str) -> str:
    if any(c.isspace() or not c.isprintable() for c in text) or text.startswith("-"):
        raise PydanticCustomError(
            "address",
            "must not contain spaces",
            {"remedy": "Enter a host name, an IPv4 or an IPv6 address."},
        )
    if "://" in text or "/" in text or "@" in text:
        raise PydanticCustomError(
            "address",
            "must be only a host name or an IP address",
            {"remedy": "Remove scheme, user and path; use the fields `user` and `port`."},
        )
    return text


def _absolute(path: str) -> str:
    if not path.startswith("/"):
        raise PydanticCustomError(
            "path", "must be an absolute path", {"remedy": "Start it with a slash."}
        )
    if len(path.encode()) > LONGEST_PATH:
        raise PydanticCustomError(
            "path",
            "must have at most {most} bytes",
            {"most": LONGEST_PATH, "remedy": "Use a shorter path."},
        )
    return path.rstrip("/") or "/"


Address = Annotated[str, StringConstraints(min_length=1, max_length=255), AfterValidator(_one_word)]

AbsolutePath = Annotated[
    str,
    StringConstraints(min_length=1, max_length=LONGEST_PATH),
    Storable,
    AfterValidator(_absolute),
]
"""A path on a host; quotes, spaces, newlines and non-ASCII characters are allowed."""

UserName = Annotated[str, StringConstraints(min_length=1, max_length=100), Storable]

Port = Annotated[int, Field(ge=1, le=65535)]

Bytes = Annotated[int, Field(ge=0, le=LARGEST_INTEGER)]

_FINGERPRINT = re.compile(r"(?<!\S)(SHA256:[A-Za-z0-9+/]{43})=?(?!\S)")


def _fingerprint(text: str) -> str:
    found = _FINGERPRINT.findall(text)
    if len(found) != 1:
        raise PydanticCustomError(
            "fingerprint",
            "must be one SHA-256 fingerprint of a host key",
            {"remedy": "Give SHA256: and 43 characters, as `ssh-keygen -lf` prints them."},
        )
    return found[0]


Fingerprint = Annotated[
    str,
    StringConstraints(max_length=1000),
    AfterValidator(_fingerprint),
    Field(
        description="SHA-256 fingerprint of the host's key, as `ssh-keygen -lf` prints it: a key "
        "that matches it is approved at the first check, another one is rejected"
    ),
]

KnownHosts = Annotated[
    str,
    StringConstraints(min_length=1, max_length=500_000),
    Storable,
    Field(
        description="Lines of a known_hosts file, in place of `fingerprint`; names may be hashed. "
        "Each key of the address is one that the host may show"
    ),
]

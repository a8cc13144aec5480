"""API types of host authorities."""

import re
from datetime import datetime
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints
from pydantic.config import JsonDict
from pydantic_core import PydanticCustomError

from assay.base.field_types import EntityTag, Name, OneLine, RequestBody

MOST_PATTERNS = 100
MOST_REVOKED = 1000

_PATTERN = re.compile(r"!?(\[[A-Za-z0-9.*?:_-]+\]:[0-9]+|[A-Za-z0-9.*?:_-]+)")

_KEY: JsonDict = {
    "name": "fleet",
    "public_key": "ssh-ed25519 "
    "AAAAC3NzaC1lZDI1NTE5AAAAIGbw29uLsDMsccMCoWx+ThD5z7MDWlZtLitsrNH4cd6W",
}
_EXAMPLE: JsonDict = {
    **_KEY,
    "id": 1,
    "fingerprint": "SHA256:pccWDxB0…",
    "patterns": ["*.storage.example"],
    "revoked_keys": [],
    "created_at": "2026-11-21T01:00:00Z",
    "etag": '"5d0a11…"',
}


def _public_key(text: str) -> str:
    import asyncssh  # imported late: the client reads authorities without it

    words = text.split()
    try:
        asyncssh.import_public_key(" ".join(words[:2]))
    except asyncssh.KeyImportError:
        raise PydanticCustomError(
            "public_key",
            "is not a public key in OpenSSH format",
            {"remedy": "Give the line of a file that ends in .pub."},
        ) from None
    return " ".join(words)


def _pattern(text: str) -> str:
    if not _PATTERN.fullmatch(text):
        raise PydanticCustomError(
            "pattern",
            "is not a host pattern",
            {"remedy": "Write names like *.storage.example or [10.0.0.7]:2222; ! excludes one."},
        )
    return text


PublicKey = Annotated[
    str, StringConstraints(min_length=1, max_length=4000), AfterValidator(_public_key), OneLine
]

HostPattern = Annotated[
    str, StringConstraints(min_length=1, max_length=255), AfterValidator(_pattern)
]

HostPatterns = Annotated[
    list[HostPattern],
    Field(
        min_length=1,
        max_length=MOST_PATTERNS,
        description="Addresses of its hosts, as in known_hosts: `*` and `?` match any characters, "
        "`!` excludes",
    ),
]

RevokedKeys = Annotated[
    list[PublicKey],
    Field(
        max_length=MOST_REVOKED,
        description="Public keys of hosts that are rejected in spite of a certificate",
    ),
]


class HostAuthorityIn(RequestBody):
    """A key whose certificates identify hosts."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{**_KEY, "patterns": ["*.storage.example"]}]}
    )

    name: Name
    public_key: PublicKey
    patterns: HostPatterns
    revoked_keys: RevokedKeys = Field(default_factory=list[str])


class HostAuthorityChange(RequestBody):
    """Changes to a host authority; each list replaces the whole one."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"patterns": ["*.example"]}]})

    name: Name | None = None
    patterns: HostPatterns | None = None
    revoked_keys: RevokedKeys | None = None


EDITABLE = ("name", "patterns", "revoked_keys")


class HostAuthorityOut(BaseModel):
    """A host authority."""

    model_config = ConfigDict(title="HostAuthority", json_schema_extra={"examples": [_EXAMPLE]})

    id: int
    name: str
    public_key: str
    fingerprint: str
    patterns: list[str]
    revoked_keys: list[str]
    created_at: datetime
    etag: EntityTag

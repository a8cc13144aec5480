"""Types of the fields of a host in requests: address, user, paths, and the keys that it shows."""

import re
from ipaddress import IPv6Address
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StringConstraints
from pydantic_core import PydanticCustomError

from assay.base.field_types import LARGEST_INTEGER, Storable

ConnectionKind = Literal["ssh", "local"]

LONGEST_PATH = 2048
"""Bytes; limited by the size of a PostgreSQL index row."""


_USER_NAME = re.compile(r"[A-Za-z0-9_.][A-Za-z0-9_.-]*([@\\][A-Za-z0-9_.-]+)*")
"""ASCII only: programs differ in the encoding of other letters, and two may look the same."""

LONGEST_USER_NAME = 256


def is_user_name(text: str) -> bool:
    """Return whether a text is the name of a user, perhaps with that of a directory."""
    return len(text) <= LONGEST_USER_NAME and _USER_NAME.fullmatch(text) is not None


_HOST_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
_ZONE = re.compile(r"[A-Za-z0-9_.-]+")


def is_address(text: str) -> bool:
    """Return whether a text is a host name in ASCII, an IPv4 or an IPv6 address, maybe with a zone.

    Python's parser alone accepts any character in a zone.
    """
    if _HOST_NAME.fullmatch(text):
        return True
    address, zoned, zone = text.partition("%")
    try:
        IPv6Address(address)
    except ValueError:
        return False
    return not zoned or _ZONE.fullmatch(zone) is not None


def _address(text: str) -> str:
    if "://" in text or "/" in text or "@" in text:
        raise PydanticCustomError(
            "address",
            "must be only a host name or an IP address",
            {"remedy": "Remove scheme, user and path; use the fields `user` and `port`."},
        )
    if text.startswith("[") and text.endswith("]") and ":" in text:
        text = text[1:-1]  # as in a URL or in known_hosts
    if not is_address(text):
        raise PydanticCustomError(
            "address",
            "must be an IP address, or a host name of ASCII letters, digits, `.`, `-` and `_`",
            {
                "remedy": "Enter a host name, an IPv4 or an IPv6 address. Write a name with other "
                "letters in its form that begins with xn--."
            },
        )
    return text


def _user_name(text: str) -> str:
    if not is_user_name(text):
        raise PydanticCustomError(
            "user_name",
            "may contain only ASCII letters, digits, `_`, `.` and `-`, and between them `@` and "
            "`\\`, and must not begin with `-`",
            {
                "remedy": "Use a name such as assay, svc@corp or CORP\\svc. Other letters are not "
                "accepted, because ssh programs differ in how they read them."
            },
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


Address = Annotated[str, StringConstraints(min_length=1, max_length=255), AfterValidator(_address)]

AbsolutePath = Annotated[
    str,
    StringConstraints(min_length=1, max_length=LONGEST_PATH),
    Storable,
    AfterValidator(_absolute),
]
"""A path on a host; quotes, spaces, newlines and non-ASCII characters are allowed."""

UserName = Annotated[
    str,
    StringConstraints(min_length=1, max_length=LONGEST_USER_NAME),
    AfterValidator(_user_name),
    Field(json_schema_extra={"pattern": f"^{_USER_NAME.pattern}$"}),
]

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

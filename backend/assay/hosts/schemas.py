"""What the API says and hears about hosts, their keys, checks and inventories."""

from datetime import datetime
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints
from pydantic.config import JsonDict
from pydantic_core import PydanticCustomError

from assay.codes import FailureCode, listed
from assay.http.field_types import LARGEST_INTEGER, Name, RequestBody, ShortText, Storable

Connection = Literal["ssh", "local"]

LONGEST_PATH = 2048
"""Bytes; a row of PostgreSQL's index takes little more, and Linux not much more than that."""

HostState = Literal[
    "new", "key_unapproved", "key_changed", "ready", "unreachable", "error", "deleting"
]


def _one_word(text: str) -> str:
    if any(c.isspace() or not c.isprintable() for c in text) or text.startswith("-"):
        raise PydanticCustomError(
            "address",
            "must be a name or address without blanks",
            {"remedy": "Give a host name, an IPv4 or an IPv6 address."},
        )
    if "://" in text or "/" in text or "@" in text:
        raise PydanticCustomError(
            "address",
            "must be a host name or an IP address alone",
            {"remedy": "Leave out scheme, user and path; `user` and `port` have their own fields."},
        )
    return text


def _absolute(path: str) -> str:
    if not path.startswith("/"):
        raise PydanticCustomError(
            "path", "must be an absolute path", {"remedy": "Begin it with a slash."}
        )
    if len(path.encode()) > LONGEST_PATH:
        raise PydanticCustomError(
            "path",
            "must have {most} or fewer bytes",
            {"most": LONGEST_PATH, "remedy": "Give a shorter path."},
        )
    return path.rstrip("/") or "/"


Address = Annotated[str, StringConstraints(min_length=1, max_length=255), AfterValidator(_one_word)]

AbsolutePath = Annotated[
    str,
    StringConstraints(min_length=1, max_length=LONGEST_PATH),
    Storable,
    AfterValidator(_absolute),
]
"""A path on a host; quotes, blanks, newlines and other scripts are all right."""

UserName = Annotated[str, StringConstraints(min_length=1, max_length=100), Storable]

Port = Annotated[int, Field(ge=1, le=65535)]

_SUMMARY: JsonDict = {
    "os": "Debian GNU/Linux 13",
    "kernel": "6.12.9",
    "cpus": 16,
    "cpu_model": "EPYC 7343",
    "mem_total_bytes": 67_000_000_000,
    "nic_bits_per_s": 10_000_000_000,
}

_EXAMPLE: JsonDict = {
    "id": 5,
    "name": "web-1",
    "connection": "ssh",
    "address": "10.0.0.7",
    "port": 22,
    "user": "assay",
    "credential_id": 1,
    "probe_dir": None,
    "state": "ready",
    "state_reason": None,
    "host_key": {"type": "ssh-ed25519", "fingerprint": "SHA256:pccWDxB0…"},
    "offered_key": None,
    "machine_id": "4f3c…",
    "last_checked_at": "2026-11-21T01:00:00Z",
    "last_seen_at": "2026-11-21T01:00:00Z",
    "check": None,
    "summary": _SUMMARY,
    "busy_run_id": None,
    "targets": [{"id": 3, "path": "/mnt/a", "name": "a", "free_bytes": 900_000_000_000}],
    "warnings": [],
}


class HostIn(RequestBody):
    """A machine to reach: by SSH, or, for the one that Assay runs on, directly."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "name": "web-1",
                    "connection": "ssh",
                    "address": "10.0.0.7",
                    "port": 22,
                    "user": "assay",
                    "credential_id": 1,
                }
            ]
        }
    )

    name: Name
    connection: Connection = "ssh"
    address: Address | None = None
    port: Port = 22
    user: UserName | None = None
    credential_id: Annotated[int, Field(ge=1, le=LARGEST_INTEGER)] | None = None
    probe_dir: AbsolutePath | None = None


class HostChange(RequestBody):
    """What is to change of a host; a new address or port takes its key's approval away."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"port": 2222}]})

    name: Name | None = None
    address: Address | None = None
    port: Port | None = None
    user: UserName | None = None
    credential_id: Annotated[int, Field(ge=1, le=LARGEST_INTEGER)] | None = None
    probe_dir: AbsolutePath | None = None


class HostKey(BaseModel):
    """A host's public key, as a person compares it."""

    type: str
    fingerprint: str


class HostKeys(BaseModel):
    """The key that was approved, and the one that the host offered last, if it is another."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "approved": None,
                    "offered": {"type": "ssh-ed25519", "fingerprint": "SHA256:pccWDxB0…"},
                }
            ]
        }
    )

    approved: HostKey | None
    offered: HostKey | None


class KeyApproval(RequestBody):
    """The fingerprint that a person compared with the host's own."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"fingerprint": "SHA256:pccWDxB0…"}]})

    fingerprint: ShortText


class Failure(BaseModel):
    """Why a check or a run failed, and what to do."""

    code: Annotated[str, listed(FailureCode)]
    title: str
    detail: str
    remedy: str | None = None


class CheckOut(BaseModel):
    """The newest check of a host."""

    model_config = ConfigDict(title="Check")

    id: int
    state: Literal["queued", "running", "ok", "failed"]
    step: str | None
    error: Failure | None
    started_at: datetime | None
    ended_at: datetime | None


class HostSummary(BaseModel):
    """What a host is, from its newest inventory."""

    os: str | None
    kernel: str | None
    cpus: int | None
    cpu_model: str | None
    mem_total_bytes: int | None
    nic_bits_per_s: int | None

    @classmethod
    def of(cls, inventory: dict[str, Any]) -> Self:
        """From the probe's inventory document."""
        cpus: dict[str, Any] = inventory.get("cpus") or {}
        nics: list[dict[str, Any]] = inventory.get("nics") or []
        speeds: list[int] = [nic.get("speed_bits_per_s") or 0 for nic in nics]
        return cls(
            os=inventory.get("os"),
            kernel=inventory.get("kernel"),
            cpus=cpus.get("count"),
            cpu_model=cpus.get("model"),
            mem_total_bytes=inventory.get("mem_total_bytes"),
            nic_bits_per_s=max(speeds, default=0) or None,
        )


class HostTarget(BaseModel):
    """A target of a host, in short."""

    id: int
    path: str
    name: str
    free_bytes: int | None


class HostOut(BaseModel):
    """A host, its state and what is on it."""

    model_config = ConfigDict(title="Host", json_schema_extra={"examples": [_EXAMPLE]})

    id: int
    name: str
    connection: Connection
    address: str | None
    port: int
    user: str | None
    credential_id: int | None
    probe_dir: str | None
    state: HostState
    state_reason: str | None
    host_key: HostKey | None
    offered_key: HostKey | None
    machine_id: str | None
    last_checked_at: datetime | None
    last_seen_at: datetime | None
    check: CheckOut | None
    summary: HostSummary | None
    busy_run_id: int | None
    targets: list[HostTarget]
    warnings: list[str]


class InventoryHead(BaseModel):
    """When a host was looked at, and by which probe."""

    model_config = ConfigDict(
        from_attributes=True,
        json_schema_extra={
            "examples": [{"id": 8, "taken_at": "2026-11-21T01:00:00Z", "probe": "0.1.0"}]
        },
    )

    id: int
    taken_at: datetime
    probe: str


class InventoryOut(InventoryHead):
    """What a host was made of at one time: the probe's own document."""

    model_config = ConfigDict(
        title="Inventory",
        json_schema_extra={
            "examples": [
                {
                    "id": 8,
                    "taken_at": "2026-11-21T01:00:00Z",
                    "probe": "0.1.0",
                    "body": {"hostname": "web-1", "kernel": "6.12.9", "filesystems": []},
                }
            ]
        },
    )

    body: dict[str, Any]

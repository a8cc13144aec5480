"""API types of hosts, host keys, checks and inventories."""

from datetime import datetime
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field
from pydantic.config import JsonDict

from assay.base.field_types import (
    LARGEST_INTEGER,
    EntityTag,
    ManagingFile,
    Name,
    NameOf,
    Reference,
    RequestBody,
    ShortText,
    not_both,
)
from assay.base.host_field_types import (
    AbsolutePath,
    Address,
    ConnectionKind,
    Fingerprint,
    KnownHosts,
    Port,
    UserName,
)
from assay.base.labels import EXAMPLE, ExternalReference, Labels
from assay.inventory.codes import FailureCode, listed
from assay.inventory.credentials.schemas import CredentialIn, HostName
from assay.inventory.targets.reserve import Reserve

EXAMPLE_FINGERPRINT = "SHA256:pccWDxB0Wb1sBNSGkr8hv3gkO0SlF4o2A0nDTcEl0eA"


HostState = Literal[
    "new", "key_unapproved", "key_changed", "ready", "unreachable", "error", "deleting"
]


MOST_JUMPS = 3
"""Jump hosts between Assay and a host."""

JUMP_HOST = (
    f"Another host, through whose SSH server this one is reached; at most {MOST_JUMPS} in a row"
)

MOST_TARGETS = 50
"""Targets that are registered with their host."""


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
    "jump_host_id": 2,
    "jump_host": {"id": 2, "name": "bastion"},
    "probe_dir": None,
    "state": "ready",
    "state_reason": None,
    "host_key": {"type": "ssh-ed25519", "fingerprint": "SHA256:pccWDxB0…"},
    "offered_key": None,
    "expected_keys": [],
    "host_authority": None,
    "machine_id": "4f3c…",
    "last_checked_at": "2026-11-21T01:00:00Z",
    "last_seen_at": "2026-11-21T01:00:00Z",
    "check": None,
    "summary": _SUMMARY,
    "busy_run_id": None,
    "targets": [{"id": 3, "path": "/mnt/a", "name": "a", "free_bytes": 900_000_000_000}],
    "warnings": [],
    "labels": EXAMPLE,
    "reference": "CMDB-1045",
    "managed_by": None,
    "etag": '"3f0c9a…"',
}


class NewTarget(RequestBody):
    """A directory in which tests may write."""

    path: AbsolutePath
    name: Name | None = None
    array_id: Reference | None = None
    array: NameOf = None
    reserve_bytes: Reserve = None
    root_consent: bool = False
    labels: Labels = Field(default_factory=dict[str, str])
    reference: ExternalReference | None = None

    _names_once = not_both("array_id", "array")


class HostIn(RequestBody):
    """A machine that Assay reaches by SSH, or directly if Assay runs on it.

    The host's key can be given as `fingerprint` or `known_hosts`, and its credential as
    `new_credential`, which requires the role admin. `targets` are registered when the first check
    ends; if one is rejected, nothing is created.
    """

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
                },
                {
                    "name": "web-1",
                    "address": "10.0.0.7",
                    "user": "assay",
                    "credential": "lab key",
                    "fingerprint": EXAMPLE_FINGERPRINT,
                    "targets": [{"path": "/mnt/a", "array": "vault"}],
                    "labels": EXAMPLE,
                },
            ]
        }
    )

    name: Name
    connection: ConnectionKind = "ssh"
    address: Address | None = None
    port: Port = 22
    user: UserName | None = None
    credential_id: Annotated[int, Field(ge=1, le=LARGEST_INTEGER)] | None = None
    credential: NameOf = None
    new_credential: CredentialIn | None = None
    fingerprint: Fingerprint | None = None
    known_hosts: KnownHosts | None = None
    targets: Annotated[
        list[NewTarget], Field(max_length=MOST_TARGETS, description="Directories to register")
    ] = Field(default_factory=list[NewTarget])
    jump_host_id: Annotated[Reference | None, Field(description=JUMP_HOST)] = None
    jump_host: NameOf = None
    probe_dir: AbsolutePath | None = None
    labels: Labels = Field(default_factory=dict[str, str])
    reference: ExternalReference | None = None

    _names_once = not_both("credential_id", "credential")
    _old_or_new = not_both("credential_id", "new_credential")
    _by_name_or_new = not_both("credential", "new_credential")
    _one_source_of_keys = not_both("fingerprint", "known_hosts")
    _jump_host_once = not_both("jump_host_id", "jump_host")


class HostChange(RequestBody):
    """Changes to a host; a new address or port revokes the approval of its key.

    `labels` replaces all labels.
    """

    model_config = ConfigDict(json_schema_extra={"examples": [{"port": 2222, "labels": EXAMPLE}]})

    name: Name | None = None
    address: Address | None = None
    port: Port | None = None
    user: UserName | None = None
    credential_id: Annotated[int, Field(ge=1, le=LARGEST_INTEGER)] | None = None
    credential: NameOf = None
    jump_host_id: Annotated[Reference | None, Field(description=JUMP_HOST)] = None
    jump_host: NameOf = None
    probe_dir: AbsolutePath | None = None
    labels: Labels = Field(default_factory=dict[str, str])
    reference: ExternalReference | None = None

    _names_once = not_both("credential_id", "credential")
    _jump_host_once = not_both("jump_host_id", "jump_host")


EDITABLE = (
    *("name", "address", "port", "user", "credential_id", "jump_host_id", "probe_dir"),
    *("labels", "reference"),
)
"""The fields that a change may have, as columns."""


class HostKey(BaseModel):
    """Type and fingerprint of a host's public key."""

    type: str
    fingerprint: str


class ExpectedKey(BaseModel):
    """A key that the host may show, as its registration gave it; `type` is null if unknown."""

    type: str | None
    fingerprint: str


class HostKeys(BaseModel):
    """The approved key, and the key that the host offered last if it is different."""

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
    """The fingerprint that a user verified on the host."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"fingerprint": "SHA256:pccWDxB0…"}]})

    fingerprint: ShortText


class Failure(BaseModel):
    """Why a check or a run failed, and what to do."""

    code: Annotated[str, listed(FailureCode)]
    title: str
    detail: str
    remedy: str | None = None

    @property
    def cause(self) -> str:
        """What failed and why, as one sentence."""
        return f"{self.title}: {self.detail}"


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
    """Hardware and operating system, from the newest inventory."""

    os: str | None
    kernel: str | None
    cpus: int | None
    cpu_model: str | None
    mem_total_bytes: int | None
    nic_bits_per_s: int | None

    @classmethod
    def of(cls, inventory: dict[str, Any]) -> Self:
        """Create the summary from the probe's inventory document."""
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
    """A target of a host, in brief."""

    id: int
    path: str
    name: str
    free_bytes: int | None


class HostOut(BaseModel):
    """A host with its state and targets."""

    model_config = ConfigDict(title="Host", json_schema_extra={"examples": [_EXAMPLE]})

    id: int
    name: str
    connection: ConnectionKind
    address: str | None
    port: int
    user: str | None
    credential_id: int | None
    jump_host_id: int | None
    jump_host: HostName | None
    probe_dir: str | None
    state: HostState
    state_reason: str | None
    host_key: HostKey | None
    offered_key: HostKey | None
    expected_keys: Annotated[
        list[ExpectedKey],
        Field(description="Given at registration; until a key of the host is approved"),
    ]
    host_authority: Annotated[
        str | None,
        Field(description="Authority whose certificates are accepted while no key is approved"),
    ]
    machine_id: str | None
    last_checked_at: datetime | None
    last_seen_at: datetime | None
    check: CheckOut | None
    summary: HostSummary | None
    busy_run_id: int | None
    targets: list[HostTarget]
    warnings: list[str]
    labels: dict[str, str]
    reference: str | None
    managed_by: ManagingFile
    etag: EntityTag


class InventoryHead(BaseModel):
    """Time and probe version of an inventory."""

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
    """An inventory: the probe's document."""

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

"""API types of targets."""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.config import JsonDict

from assay.base.field_types import (
    EntityTag,
    ManagingFile,
    Name,
    NameOf,
    Reference,
    RequestBody,
    not_both,
)
from assay.base.labels import EXAMPLE, ExternalReference, Labels
from assay.inventory.hosts.schemas import NewTarget
from assay.inventory.targets.reserve import Reserve

Direct = Literal["real", "buffered", "refused", "unprovable"]

_EXAMPLE: JsonDict = {
    "id": 3,
    "host_id": 5,
    "host_name": "web-1",
    "path": "/mnt/a",
    "name": "a",
    "array": {"id": 2, "name": "vault", "cache_bytes": 64_000_000_000},
    "mount": "/mnt/a",
    "fs_type": "ext4",
    "fs_source": "/dev/nvme0n1",
    "fs_uuid": "6f1d…",
    "fs_options": "rw,relatime",
    "kind": "local",
    "device": "nvme0n1",
    "device_info": {
        "model": "Acme P5",
        "rotational": False,
        "size_bytes": 1_024_000_000_000,
        "scheduler": "none",
        "read_ahead_bytes": 131_072,
        "write_cache": "write through",
    },
    "direct": "real",
    "alignment_bytes": 512,
    "free_bytes": 900_000_000_000,
    "size_bytes": 1_000_000_000_000,
    "free_at": "2026-11-21T01:00:00Z",
    "free_inodes": 60_000_000,
    "is_root_fs": False,
    "reserve_bytes": 50_000_000_000,
    "checked_at": "2026-11-21T01:00:00Z",
    "notes": [],
    "labels": EXAMPLE,
    "reference": None,
    "managed_by": None,
    "etag": '"91b7d2…"',
}


class TargetIn(NewTarget):
    """A directory on a checked host, in which tests may write."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"host_id": 5, "path": "/mnt/a", "array_id": 2}]}
    )

    host_id: Reference | None = None
    host: NameOf = None

    _on_a_host = not_both("host_id", "host", required=True)


class TargetChange(RequestBody):
    """Changes to a target; null clears the array, the configured reserve or the reference.

    `labels` replaces all labels.
    """

    model_config = ConfigDict(json_schema_extra={"examples": [{"array_id": 2}]})

    name: Name | None = None
    array_id: Reference | None = None
    array: NameOf = None
    reserve_bytes: Reserve = None
    labels: Labels = Field(default_factory=dict[str, str])
    reference: ExternalReference | None = None

    _names_once = not_both("array_id", "array")


EDITABLE = ("name", "array_id", "reserve_bytes", "labels", "reference")
"""The fields that a change may have, as columns."""


class ArrayOfTarget(BaseModel):
    """The array that a target belongs to."""

    id: int
    name: str
    cache_bytes: int | None


class DeviceInfo(BaseModel):
    """The block device under the file system, if any; `size_bytes` is the disk's."""

    model: str | None
    rotational: bool | None
    size_bytes: int | None
    scheduler: str | None
    read_ahead_bytes: int | None
    write_cache: str | None


class TargetOut(BaseModel):
    """A directory in which tests may write, with its file system and device.

    `free_at` is the time of the newest free-space observation, which may be later than
    `checked_at`. `free_inodes` are those at `checked_at`; null if the file system has no fixed
    number of them, or it is unknown.
    """

    model_config = ConfigDict(title="Target", json_schema_extra={"examples": [_EXAMPLE]})

    id: int
    host_id: int
    host_name: str
    path: str
    name: str
    array: ArrayOfTarget | None
    mount: str | None
    fs_type: str
    fs_source: str
    fs_uuid: str | None
    fs_options: str | None
    kind: str | None
    device: str | None
    device_info: DeviceInfo
    direct: Direct
    alignment_bytes: int | None
    free_bytes: int
    size_bytes: int
    free_at: datetime
    free_inodes: int | None
    is_root_fs: bool | None = Field(
        description="Writes reach the root file system; null where that cannot be determined"
    )
    reserve_bytes: int
    checked_at: datetime
    notes: list[str]
    labels: dict[str, str]
    reference: str | None
    managed_by: ManagingFile
    etag: EntityTag

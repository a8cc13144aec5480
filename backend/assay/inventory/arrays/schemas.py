"""API types of arrays."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field
from pydantic.config import JsonDict

from assay.base.field_types import (
    LARGEST_INTEGER,
    EntityTag,
    ManagingFile,
    Name,
    RequestBody,
    ShortText,
)
from assay.base.labels import EXAMPLE, ExternalReference, Labels

CacheBytes = Annotated[int, Field(ge=0, le=LARGEST_INTEGER)]

_EXAMPLE: JsonDict = {
    "name": "vault",
    "vendor": "Acme",
    "model": "S24",
    "serial": "AC-20471",
    "firmware": "7.1",
    "raid": "RAID 6, 10+2",
    "cache_bytes": 64_000_000_000,
    "shared": True,
    "labels": EXAMPLE,
    "reference": "PO-20471",
}


class ArrayFields(RequestBody):
    """What a body says of an array, of which only the name is required."""

    name: Name
    vendor: ShortText | None = None
    model: ShortText | None = None
    serial: ShortText | None = None
    firmware: ShortText | None = None
    raid: ShortText | None = None
    cache_bytes: CacheBytes | None = None
    shared: bool = False
    labels: Labels = Field(default_factory=dict[str, str])
    reference: ExternalReference | None = None


class ArrayIn(ArrayFields):
    """A storage system; `cache_bytes` is the size from its data sheet.

    A `shared` array serves one run at a time, across all hosts.
    """

    model_config = ConfigDict(json_schema_extra={"examples": [_EXAMPLE]})


class ArrayChange(RequestBody):
    """Changes to an array; null clears a field, and `labels` replaces all labels."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"firmware": "7.2"}]})

    name: Name | None = None
    vendor: ShortText | None = None
    model: ShortText | None = None
    serial: ShortText | None = None
    firmware: ShortText | None = None
    raid: ShortText | None = None
    cache_bytes: CacheBytes | None = None
    shared: bool | None = None
    labels: Labels = Field(default_factory=dict[str, str])
    reference: ExternalReference | None = None


EDITABLE = (
    "name",
    "vendor",
    "model",
    "serial",
    "firmware",
    "raid",
    "cache_bytes",
    "shared",
    "labels",
    "reference",
)
"""The fields that a change may have, as columns."""


class ArrayOut(BaseModel):
    """A storage system and the number of its targets."""

    model_config = ConfigDict(
        title="Array",
        json_schema_extra={
            "examples": [
                {"id": 2, **_EXAMPLE, "targets": 3, "managed_by": "lab", "etag": '"c04e…"'}
            ]
        },
    )

    id: int
    name: str
    vendor: str | None
    model: str | None
    serial: str | None
    firmware: str | None
    raid: str | None
    cache_bytes: int | None
    shared: bool
    targets: int
    labels: dict[str, str]
    reference: str | None
    managed_by: ManagingFile
    etag: EntityTag

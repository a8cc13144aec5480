"""Strict validation of probe responses: bytes in, a document that can be stored and shown out.

A host may report false values, but a response must match the contract, so that later readers can
rely on its structure.
"""

from collections.abc import Iterator
from typing import Annotated, Any, Literal, cast

from assay.base.field_types import LARGEST_INTEGER
from assay.inventory.targets.acceptance import DirectoryFacts
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import from_json

from assay_worker.errors import ProbeFailedError

Number = Annotated[int, Field(ge=0, le=LARGEST_INTEGER)]
LONGEST_REPORT = 2000
"""Bytes of a report on files that were read back."""

FileSystemKind = Literal["local", "network", "parallel", "zfs", "memory", "overlay"]


class _Section(BaseModel):
    model_config = ConfigDict(strict=True, extra="allow")


class _Processors(_Section):
    count: Number
    model: str | None


class _FileSystem(_Section):
    mount: str
    source: str
    type: str
    options: str
    kind: FileSystemKind
    uuid: str | None
    device: str | None
    model: str | None
    rotational: bool | None
    size_bytes: Number | None
    free_bytes: Number | None


class _Device(_Section):
    name: str
    model: str | None
    rotational: bool | None
    scheduler: str | None
    write_cache: str | None
    size_bytes: Number | None
    read_ahead_bytes: Number | None


class _NetworkCard(_Section):
    name: str
    mac: str | None
    state: str | None
    speed_bits_per_s: Number | None


class _Problem(_Section):
    code: str
    message: str


class _Disk(_Section):
    name: str
    wwid: str | None


class _Target(_Section):
    path: str
    exists: bool
    is_directory: bool
    writable: bool
    is_root_fs: bool | None
    root_fs_through: str | None = None
    mount: str | None
    source: str | None
    type: str | None
    options: str | None
    kind: FileSystemKind | None
    uuid: str | None
    device: str | None
    scheduler: str | None = None
    write_cache: str | None = None
    direct: str | None
    size_bytes: Number | None
    free_bytes: Number | None
    free_inodes: Number | None = None
    alignment_bytes: Number | None
    read_ahead_bytes: Number | None = None
    disks: list[_Disk] = Field(default_factory=list[_Disk])
    problem: _Problem | None


class _IoUring(_Section):
    available: bool
    reason: str | None


class _Inspection(_Section):
    hostname: str
    kernel: str
    arch: str
    os: str | None
    machine_id: Annotated[str, Field(max_length=64)] | None
    boot_id: Annotated[str, Field(max_length=64)] | None
    cpus: _Processors
    mem_total_bytes: Number
    mem_limit_bytes: Number
    filesystems: list[_FileSystem]
    devices: list[_Device]
    nics: list[_NetworkCard]
    io_uring: _IoUring | None = None
    target: _Target | None = None


class Stopped(_Section):
    """State of a run after a stop request; `call` is the pending system call of its probe."""

    state: Literal["stopped", "stopping", "stuck", "done", "dead", "absent"]
    call: Annotated[str, Field(min_length=1, max_length=32)] | None


def document(verb: str, data: bytes) -> dict[str, Any]:
    """Parse the JSON object that a verb printed; raises ProbeFailedError."""
    try:
        answer: object = from_json(data, allow_inf_nan=False)
    except ValueError as error:
        raise ProbeFailedError(f"`{verb}` printed invalid JSON: {error}: {data[:200]!r}") from None
    if not isinstance(answer, dict):
        raise ProbeFailedError(f"`{verb}` did not print a JSON object: {data[:200]!r}")
    found = cast(dict[str, Any], answer)
    for value in _inside(found):
        if isinstance(value, str) and "\x00" in value:
            raise ProbeFailedError(f"`{verb}` printed a NUL character: {value[:200]!r}")
        if isinstance(value, int) and abs(value) > LARGEST_INTEGER:
            raise ProbeFailedError(f"`{verb}` printed a number of more than 63 bits")
    return found


def verified_bytes(lines: bytes) -> int:
    """Return the bytes in the last complete line of `verify`, 0 if it has none.

    Raises ProbeFailedError.
    """
    *complete, _ = lines.split(b"\n")
    found = document("verify", complete[-1]).get("bytes") if complete else None
    return found if isinstance(found, int) else 0


def report(lines: bytes) -> str:
    """Return the report in the last line that `verify` printed; raises ProbeFailedError."""
    *_, last = lines.strip().split(b"\n")
    found = document("verify", last).get("report")
    if not isinstance(found, str) or not found.isascii() or len(found) > LONGEST_REPORT:
        raise ProbeFailedError(f"`verify` did not print a report: {last[:200]!r}")
    return found


def inspection(data: dict[str, Any]) -> dict[str, Any]:
    """Validate the response of `inspect`; raises ProbeFailedError."""
    _has_shape(_Inspection, data)
    target = data.get("target")
    if target is not None and target["problem"] is None:
        _has_shape(DirectoryFacts, target, "target")
    return data


def stopped(data: dict[str, Any]) -> Stopped:
    """Validate the response of `stop`; raises ProbeFailedError."""
    _has_shape(Stopped, data, verb="stop")
    return Stopped.model_validate(data)


def _has_shape(
    shape: type[BaseModel], data: dict[str, Any], *parents: str, verb: str = "inspect"
) -> None:
    try:
        shape.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, (*parents, *first["loc"])))
        why = f"the response of `{verb}` violates its contract: {where}: {first['msg']}"
        raise ProbeFailedError(why) from None


def _inside(value: object) -> Iterator[object]:
    """Iterate over all nested keys and values; the parser has limited the depth."""
    if isinstance(value, dict):
        for key, item in cast(dict[str, object], value).items():
            yield key
            yield from _inside(item)
    elif isinstance(value, list):
        for item in cast(list[object], value):
            yield from _inside(item)
    else:
        yield value

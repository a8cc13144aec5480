"""Conditions of a participant's host that may change during a run, as its probe read them.

They are read at the start and at the end of the run. Only what is readable without root is known;
everything else is in `unreadable` with its reason.
"""

from collections.abc import Iterable, Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from assay.base import words
from assay.kinds.event_types import Count, NonEmptyText, Positive
from assay.runs import csv_text

When = Literal["start", "end"]


class _Part(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")


class Governor(_Part):
    """A CPU frequency governor, and the number of CPUs that it controls."""

    name: NonEmptyText
    cpus: Positive


class Writeback(_Part):
    """The kernel's `vm.dirty_*`; null if unreadable. Of a ratio and its bytes, one is 0: unused."""

    dirty_ratio: Count | None
    dirty_bytes: Count | None
    dirty_background_ratio: Count | None
    dirty_background_bytes: Count | None
    dirty_expire_centisecs: Count | None
    dirty_writeback_centisecs: Count | None


class Temperature(_Part):
    """A sensor of a disk below the target, or a thermal zone of the host if no disk has one."""

    source: Literal["device", "thermal_zone"]
    device: NonEmptyText | None
    sensor: NonEmptyText
    millidegrees_c: Annotated[int, Field(ge=-(2**31), lt=2**31)]


class DeviceHealth(_Part):
    """What the kernel reports of a device below the target without root.

    `state` is that of a SCSI or NVMe device, `io_errors` the failed commands of a SCSI device since
    it was attached, `members_missing` those of an MD RAID.
    """

    device: NonEmptyText
    state: NonEmptyText | None
    io_errors: Count | None
    members_missing: Count | None


class Unreadable(_Part):
    """A condition that could not be read, and why."""

    what: NonEmptyText
    reason: NonEmptyText


class HostConditions(_Part):
    """The conditions of a participant's host at one time."""

    governors: Annotated[list[Governor], Field(max_length=8)]
    vm: Writeback
    temperatures: Annotated[list[Temperature], Field(max_length=8192)]
    health: Annotated[list[DeviceHealth], Field(max_length=256)]
    unreadable: Annotated[list[Unreadable], Field(max_length=512)]


class ConditionsOverRun(BaseModel):
    """The host's conditions at the start and the end of a run; null if not recorded."""

    start: HostConditions | None
    end: HostConditions | None


def noted(known: dict[str, Any] | None, when: When, found: HostConditions) -> dict[str, Any]:
    """Return the stored conditions of a participant with a reading of its probe.

    The start is that of the first segment. A new segment makes an earlier end obsolete.
    """
    start = (known or {}).get("start")
    read = found.model_dump(mode="json", include=set(HostConditions.model_fields))
    if when == "start":
        return {"start": start or read}
    return {"start": start, "end": read}


LABELS: dict[str, str] = {
    "governor": "CPU governor",
    "dirty_limit": "Dirty memory limit",
    "dirty_background": "Background writeback from",
    "dirty_expire": "Dirty data expires after",
    "dirty_writeback": "Writeback interval",
}
"""Those conditions that an administrator sets, with their labels: they may explain a difference."""


def settings(at: HostConditions | None) -> dict[str, str | None]:
    """Return the conditions of `LABELS` as text; null if unknown."""
    if at is None:
        return dict.fromkeys(LABELS)
    vm = at.vm
    return {
        "governor": _governor(at.governors),
        "dirty_limit": _limit("dirty", vm.dirty_ratio, vm.dirty_bytes),
        "dirty_background": _limit(
            "dirty_background", vm.dirty_background_ratio, vm.dirty_background_bytes
        ),
        "dirty_expire": _time("dirty_expire_centisecs", vm.dirty_expire_centisecs),
        "dirty_writeback": _time("dirty_writeback_centisecs", vm.dirty_writeback_centisecs),
    }


def over_run(start: HostConditions | None, end: HostConditions | None) -> dict[str, str | None]:
    """Return the settings at the start, or both where the end differs."""
    before, after = settings(start), settings(end)
    return {
        name: value
        if value is None or after[name] in (None, value)
        else f"{value} at the start, {after[name]} at the end"
        for name, value in before.items()
    }


def _governor(governors: Sequence[Governor]) -> str | None:
    if len(governors) == 1:
        return governors[0].name
    ordered = sorted(governors, key=lambda one: (-one.cpus, one.name))
    named = (f"{one.name} ({words.count(one.cpus, 'CPU')})" for one in ordered)
    return ", ".join(named) or None


def _limit(name: str, ratio: int | None, count: int | None) -> str | None:
    """Return the one that applies: the kernel sets the other to 0."""
    if count:
        return f"{words.grouped(count)} bytes (vm.{name}_bytes)"
    return None if ratio is None else f"{ratio} % of available memory (vm.{name}_ratio)"


def _time(name: str, centiseconds: int | None) -> str | None:
    if centiseconds is None:
        return None
    return f"{centiseconds / 100:g} s (vm.{name} = {centiseconds})"


_COLUMNS = ("host", "path", "condition", "unit", "start", "end", "not_readable_because")


def conditions_csv(parts: Iterable[tuple[str, str | None, ConditionsOverRun]]) -> str:
    """Return a row per condition of each participant, given as (host, path, conditions).

    A value that was not read is empty.
    """
    rows: list[tuple[object, ...]] = []
    for host, path, over in parts:
        start, end = (_figures(at) for at in (over.start, over.end))
        for name, unit in dict.fromkeys([*start, *end]):
            why = {
                one.what: one.reason for at in (over.end, over.start) if at for one in at.unreadable
            }.pop(name, None)
            values = (found.get((name, unit)) for found in (start, end))
            rows.append((host, path, name, unit, *values, why))
    return csv_text.table(_COLUMNS, rows)


def _figures(at: HostConditions | None) -> dict[tuple[str, str], str | int | float | None]:
    """Return each condition as (name, unit) with its value; null if unreadable."""
    if at is None:
        return {}
    found: dict[tuple[str, str], str | int | float | None] = {
        ("governor", ""): _governor(at.governors),
        **{(f"vm.{name}", _unit(name)): value for name, value in at.vm.model_dump().items()},
    }
    for one in at.temperatures:
        of = one.device if one.source == "device" else "thermal zone"
        found[f"temperature of {of} ({one.sensor})", "degrees_c"] = one.millidegrees_c / 1000
    for disk in at.health:
        found[f"state of {disk.device}", ""] = disk.state
        found[f"I/O errors of {disk.device}", "count"] = disk.io_errors
        found[f"missing members of {disk.device}", "count"] = disk.members_missing
    return {(one.what, ""): None for one in at.unreadable if not one.what.startswith("vm.")} | found


def _unit(name: str) -> str:
    return {"ratio": "percent", "bytes": "bytes", "centisecs": "centiseconds"}[
        name.rsplit("_", maxsplit=1)[-1]
    ]

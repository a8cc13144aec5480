"""The conditions under which a run measured, for comparison with other runs."""

import re
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath
from typing import Any, cast

from assay.kinds.registry import KINDS
from assay.runs import host_conditions
from assay.runs.host_conditions import ConditionsOverRun
from assay.tables.arrays import IDENTITY
from assay.tables.runs import Participant, Run

LABELS: dict[str, str] = {
    "host": "Host",
    "path": "Path",
    "kernel": "Kernel",
    "cpu_model": "CPU",
    "cpus": "CPUs",
    "clocksource": "Clock source",
    "mem_total_bytes": "Memory",
    "mem_limit_bytes": "Cacheable memory",
    "fs_type": "File system",
    "fs_source": "File system source",
    "fs_options": "Mount options",
    "device": "Device",
    "device_model": "Device model",
    "scheduler": "I/O scheduler",
    "write_cache": "Write cache",
    "read_ahead_bytes": "Read-ahead",
    "alignment_bytes": "Direct I/O alignment",
    **host_conditions.LABELS,
    "array": "Array",
    "array_vendor": "Array vendor",
    "array_model": "Array model",
    "array_serial": "Array serial number",
    "array_firmware": "Array firmware",
    "array_raid": "Array RAID layout",
    "array_cache_bytes": "Declared array cache",
    "probe": "Probe",
    "kind": "Kind",
}
"""Conditions of every kind, in the order of display."""


def labels(kinds: Iterable[str]) -> dict[str, str]:
    """Return every condition of runs of these kinds with its label."""
    return LABELS | {name: label for kind in kinds for name, label in KINDS[kind].labels.items()}


WORDS = frozenset({"cache", "priority", "io_priority"})
"""The parameters that are a word in some kinds and runs, and a list of words in others."""


def conditions(
    run: Run, participants: Sequence[Participant], inventories: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    """Return the conditions by the names of `labels`; null if unknown.

    If participants differ, the value is a list with that of each. The conditions are those at the
    start of the run (from its launch, the inventories and the probes' `hello`), even if a target or
    array has changed since; a setting of the host that changed during the run has both values.
    """
    of_each = [_at(one, found) for one, found in zip(participants, inventories, strict=True)]
    found: dict[str, Any] = {}
    for name in of_each[0]:
        values = [one[name] for one in of_each]
        same = all(value == values[0] for value in values)
        found[name] = values[0] if same else values
    parameters = {name: _given(name, run.parameters.get(name)) for name in KINDS[run.kind].labels}
    return found | {"kind": run.kind} | parameters


def _given(name: str, value: Any) -> Any:
    """Return a parameter's value; a word that another kind has without a list."""
    if name not in WORDS or not isinstance(value, list):
        return value
    words = cast(list[str], value)
    return words[0] if len(words) == 1 else words


def _at(participant: Participant, inventory: dict[str, Any]) -> dict[str, Any]:
    hello: dict[str, Any] = participant.hello or {}
    array: dict[str, Any] = participant.array_identity or {}
    target = participant.target
    mounted = _mounted(inventory, target.path) if target else {}
    device = hello.get("device") or mounted.get("device")
    disk = _disk(inventory, device) if device else {}
    cpus: dict[str, Any] = inventory.get("cpus") or {}
    over = over_run(participant)
    return {
        "host": participant.host.name,
        "path": target.path if target else None,
        "kernel": hello.get("kernel") or inventory.get("kernel"),
        "cpu_model": cpus.get("model"),
        "cpus": hello.get("ncpu") or cpus.get("count"),
        "clocksource": hello.get("clocksource"),
        "mem_total_bytes": hello.get("mem_total_bytes") or inventory.get("mem_total_bytes"),
        "mem_limit_bytes": hello.get("mem_limit_bytes") or inventory.get("mem_limit_bytes"),
        "fs_type": hello.get("fs_type") or mounted.get("type"),
        "fs_source": hello.get("fs_source") or mounted.get("source"),
        "fs_options": mounted.get("options"),
        "device": device,
        "device_model": disk.get("model"),
        "scheduler": disk.get("scheduler"),
        "write_cache": disk.get("write_cache"),
        "read_ahead_bytes": disk.get("read_ahead_bytes"),
        "alignment_bytes": hello.get("alignment_bytes"),
        **host_conditions.over_run(over.start, over.end),
        "array": participant.array_name,
        **{f"array_{name}": array.get(name) for name in IDENTITY},
        "array_cache_bytes": participant.array_cache_bytes,
        "probe": _probe(hello.get("probe"), inventory.get("probe")),
    }


def over_run(participant: Participant) -> ConditionsOverRun:
    """Return the conditions of a participant's host at the start and the end of its run."""
    return ConditionsOverRun.model_validate(
        {"start": None, "end": None} | (participant.conditions or {})
    )


def _probe(version: str | None, build: str | None) -> str | None:
    """Return version and build, as in "0.1.0 (487718da2f9f)"; before the start neither is known."""
    if version is None or build is None:
        return version
    return f"{version} ({build})"


def _mounted(inventory: dict[str, Any], path: str) -> dict[str, Any]:
    """Return the file system that contains `path`: that of the deepest mount point above it."""
    mounts: list[dict[str, Any]] = inventory.get("filesystems") or []
    above = [one for one in mounts if PurePosixPath(path).is_relative_to(one["mount"])]
    return max(above, key=lambda one: len(one["mount"])) if above else {}


def _disk(inventory: dict[str, Any], device: str) -> dict[str, Any]:
    """Return the disk of that name, or the one of that partition: sda of sda1, md0 of md0p1."""
    devices: list[dict[str, Any]] = inventory.get("devices") or []
    disks = {disk["name"]: disk for disk in devices}
    whole = re.sub(r"(?<=\d)p\d+$|(?<=[a-z])\d+$", "", device)
    return disks.get(device) or disks.get(whole) or {}

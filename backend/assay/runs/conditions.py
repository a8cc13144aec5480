"""Under which conditions a run measured: what a comparison has to hold against another's."""

from typing import Any

from assay.runs.models import Participant, Run

LABELS: dict[str, str] = {
    "host": "Host",
    "path": "Path",
    "kernel": "Kernel",
    "cpu_model": "Processor",
    "cpus": "Processors",
    "mem_total": "Memory",
    "mem_limit": "Memory that may cache",
    "fs_type": "File system",
    "fs_source": "File system's source",
    "fs_options": "Mount options",
    "device": "Device",
    "device_model": "Device model",
    "scheduler": "I/O scheduler",
    "write_cache": "Write cache",
    "read_ahead_bytes": "Read-ahead",
    "alignment": "Direct I/O alignment",
    "array": "Array",
    "array_cache_bytes": "Array's declared cache",
    "probe": "Probe",
    "kind": "Kind",
    "block": "Block sizes",
    "threads": "Threads",
    "files": "Files",
    "file_size": "File size",
    "layout": "Layout",
    "cache": "Cache mode",
    "open_mode": "Open mode",
    "timeout_ms": "Timeout",
    "sync_timeout_ms": "Limit of the final sync",
    "repeats": "Repeats",
    "sample_ms": "Sampling interval",
    "order": "Order",
}
"""Every condition, in the order in which a reader asks for them."""

SIZES = frozenset(
    {"mem_total", "mem_limit", "read_ahead_bytes", "array_cache_bytes", "file_size", "alignment"}
)
"""Conditions in bytes."""

_PARAMETERS = tuple(LABELS)[tuple(LABELS).index("kind") :]


def conditions(
    run: Run, participant: Participant | None, inventory: dict[str, Any]
) -> dict[str, Any]:
    """What is known, by the names of `LABELS`; null where it is not."""
    hello: dict[str, Any] = (participant and participant.hello) or {}
    target = participant.target if participant else None
    facts: dict[str, Any] = target.facts if target else {}
    array = target.array if target else None
    device = _device(inventory, hello.get("device") or facts.get("device"))
    cpus: dict[str, Any] = inventory.get("cpus") or {}
    known = {
        "host": participant.host.name if participant else None,
        "path": target.path if target else None,
        "kernel": hello.get("kernel") or inventory.get("kernel"),
        "cpu_model": cpus.get("model"),
        "cpus": hello.get("ncpu") or cpus.get("count"),
        "mem_total": hello.get("mem_total") or inventory.get("mem_total"),
        "mem_limit": hello.get("mem_limit") or inventory.get("mem_limit"),
        "fs_type": hello.get("fs_type") or (target.fs_type if target else None),
        "fs_source": hello.get("fs_source") or (target.fs_source if target else None),
        "fs_options": facts.get("options"),
        "device": hello.get("device") or facts.get("device"),
        "device_model": device.get("model"),
        "scheduler": facts.get("scheduler") or device.get("scheduler"),
        "write_cache": facts.get("write_cache") or device.get("write_cache"),
        "read_ahead_bytes": facts.get("read_ahead_bytes") or device.get("read_ahead_bytes"),
        "alignment": hello.get("alignment") or facts.get("alignment"),
        "array": array.name if array else None,
        "array_cache_bytes": array.cache_bytes if array else None,
        "probe": hello.get("probe"),
    }
    return known | {name: run.parameters.get(name) for name in _PARAMETERS}


def _device(inventory: dict[str, Any], name: str | None) -> dict[str, Any]:
    devices: list[dict[str, Any]] = inventory.get("devices") or []
    for device in devices:
        if device.get("name") == name:
            return device
    return {}

"""Runs of tools as the probes of both ends would report them."""

from collections.abc import Mapping, Sequence
from typing import Any

from assay.kinds.programs import ToolDefinition
from assay.kinds.run_record import AttemptRecord, HostLoad, RunRecord, Site, TrialRecord
from assay.kinds.tool.result import ToolResult
from assay.kinds.tool.tool import ToolKind
from testing.spools import contention

KIND = ToolKind()
MB = 10**6
SECOND = 10**9
LOAD = HostLoad(0.4, 0.1, 0.2, 0.05, 0.05, 0, 3 * SECOND)
QUIET = contention()


def definition(name: str, moved: str = "files", **fields: Any) -> ToolDefinition:
    given = {"name": name, "title": name.upper(), "input": moved, "source_command": "true"}
    return ToolDefinition.model_validate(given | fields)


def attempt(
    side: str,
    length: int,
    seconds: float,
    *,
    status: str = "complete",
    reason: str | None = None,
    sync_s: float = 0.0,
    arrived: Mapping[str, Any] | None = None,
    exit_code: int = 0,
    output: str = "",
    busy_s: float = 0.0,
    idle: float = 0.0,
    others: int = 0,
    device: int | None = None,
    told_s: float | None = None,
    disturbance: Mapping[str, int] | None = None,
    elsewhere: int = 0,
    log: int = 0,
) -> AttemptRecord:
    """Return an end's attempt: its command, or the last growth at the sink, after `seconds`.

    `idle` is how many cores the host uses anyway, `others` are bytes that others read, `log` those
    that the tool writes beside its data.
    """
    ns = round(seconds * SECOND)
    source = side == "source"
    on_disk = length if device is None else device
    moved = 0 if source else length
    read, written = (length + others, 0) if source else (others, length + log)
    seen = QUIET | {
        "dev_read_bytes": read,
        "dev_write_bytes": written,
        "others_read_bytes": read,
        "others_write_bytes": written,
    }
    found = {"intact": 4, "intact_bytes": length, "missing": 0, "incomplete": 0, "wrong": 0}
    found |= {"duplicate": 0, "unexpected": 0, "unexpected_name": None}
    command = {"exit_code": exit_code, "signal": None, "ns": ns, "cpu_ns": SECOND}
    detail = {
        "side": side,
        "input_bytes": length,
        "command": command | {"output": output, "errors": ""} if source else None,
        "arrived_ns": None if source else ns,
        "told_ns": None if source else round((told_s or seconds + 0.1) * SECOND),
        "sync_ns": None if source else round(sync_s * SECOND),
        "arrived": None if source or not length else found | dict(arrived or {}),
        "elsewhere_bytes": None if source else elsewhere,
        "cpus": 4,
        "idle_busy_ns": round(idle * SECOND),
        "idle_window_ns": SECOND,
        "busy_ns": round(busy_s * SECOND),
        "busy_window_ns": ns,
        "card": {"name": "eth0", "speed_mbps": 10_000, "mtu_bytes": 1500, "numa_node": None},
        "card_rx_bytes": length,
        "card_tx_bytes": 0,
    }
    result = {
        "sync": "none" if source else "complete",
        "dev_app_bytes": on_disk,
        "dev_durable_bytes": on_disk,
        "working_set_bytes": max(1, length),
        "mem_limit_bytes": 10**9,
        "resident_checked": 100,
        "resident_pages": 0,
        "resident_after_checked": 0,
        "resident_after_pages": 0,
        "first_read_bytes": length if source else None,
        "counter": {
            "source": "device",
            "names": [f"sd-{side}"],
            "disks": [],
            "copies": 1,
            "reason": None,
        },
        "contention": seen,
        "detail": detail,
    }
    return AttemptRecord(
        status=status,
        reason=reason,
        bytes=moved,
        ops=0 if source else 10,
        app_ns=ns,
        durable_ns=None if source else ns + round(sync_s * SECOND),
        result=result,
        disturbance=disturbance or {},
        latency=None,
        course=None,
        load=LOAD,
    )


def run(
    definitions: Sequence[ToolDefinition],
    trials: Sequence[tuple[str, AttemptRecord | None, AttemptRecord | None]],
    *,
    length: int = 400 * MB,
    boots: tuple[str | None, str | None] = ("a", "b"),
    cut_short: Any = None,
) -> ToolResult:
    """Return the result of trials, each a tool with the attempts of its source and sink."""
    records: list[TrialRecord] = []
    repeats: dict[str, int] = {}
    inputs = {one.name: one.input for one in definitions}
    for number, (tool, source, sink) in enumerate(trials, start=1):
        repeats[tool] = repeats.get(tool, 0) + 1
        moved = inputs[tool]
        parameters = {
            "tool": tool,
            "input": moved,
            "length_bytes": 0 if moved == "memory" else length,
            "files": 4 if moved == "files" else 0,
            "file_bytes": length // 4 if moved == "files" else 0,
            "records": length // 100 if moved == "records" else 0,
            "record_bytes": 100 if moved == "records" else 0,
            "duration_ms": 10_000 if moved == "memory" else 0,
        }
        records.append(
            TrialRecord(
                id=number,
                repeat=repeats[tool],
                cell=tool,
                parameters=parameters,
                attempts=1,
                again=False,
                deciding=[source, sink],
            )
        )
    sites = [
        Site(number, name, f"/mnt/{name}", boot, "ext4", None, None, role=role)
        for number, (name, boot, role) in enumerate(
            (("one", boots[0], "sender"), ("other", boots[1], "receiver"))
        )
    ]
    parameters = {"definitions": [one.model_dump(mode="json") for one in definitions]}
    return KIND.judge(RunRecord(7, parameters, records, sites, cut_short))

"""A tool test as CSV."""

import csv
import io
from typing import Any

from assay.kinds.tool.result import ToolResult
from assay.kinds.tool.trials import Arrived, CommandEnd, ToolEnd

_CELL = ("tool", "input", "files", "records", "record_bytes", "length_bytes")
_TRIAL = (
    *("repeat", "status", "reason", "bytes", "application_bytes_per_s", "durable_bytes_per_s"),
    *("transfer_ns", "sync_ns", "handover_ns", "cpu_s_per_gb"),
)
_ARRIVED = (
    *("intact", "intact_bytes", "missing", "incomplete", "wrong", "duplicate", "unexpected"),
    "elsewhere_bytes",
)
_LOAD = ("busiest_core", "user", "system", "softirq", "iowait", "dirty_growth_bytes")
_END = (
    "cpus",
    "busy_s",
    "idle_s",
    "idle_cores",
    "own_s",
    "device_bytes",
    "card_rx_bytes",
    "card_tx_bytes",
)
_ENDS = ("source", "sink")


def tool_csv(result: ToolResult) -> str:
    """Return a row per trial: rates in bytes per second, CPU times in s, other times in ns."""
    columns = [
        *_CELL,
        *("leading_rate", *_TRIAL, "flags", "served_by", "exit_code", "signal"),
        *_ARRIVED,
        *(f"{end}_{name}" for end in _ENDS for name in (*_LOAD, *_END, "card")),
    ]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(columns)
    for cell in result.cells:
        for trial in cell.trials:
            row: list[object] = [getattr(cell, name) for name in _CELL]
            row += [cell.rate, *(getattr(trial, name) for name in _TRIAL)]
            row += [
                " ".join(flag.code for flag in trial.flags),
                trial.served_by.source if trial.served_by else None,
            ]
            row += [*_ending(trial.command), *_found(trial.arrived)]
            row += [*_side(trial.source), *_side(trial.sink)]
            writer.writerow(row)
    return out.getvalue()


def _ending(command: CommandEnd | None) -> list[Any]:
    return [command.exit_code, command.signal] if command else [None, None]


def _found(arrived: Arrived | None) -> list[Any]:
    return [getattr(arrived, name) if arrived else None for name in _ARRIVED]


def _side(end: ToolEnd | None) -> list[Any]:
    load = end.load if end else None
    found = [getattr(load, name) if load else None for name in _LOAD]
    own = [getattr(end, name) if end else None for name in _END]
    return [*found, *own, end.card.name if end and end.card else None]

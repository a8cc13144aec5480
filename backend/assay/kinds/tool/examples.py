"""Examples of a tool test, for the API's documentation; a test validates them."""

from typing import Any

from pydantic.config import JsonDict

from assay.analysis.edition import EDITION

TEST: JsonDict = {
    "kind": "tool",
    "title": "rsync and scp",
    "tools": ["rsync-ssh", "scp"],
    "length": "min(2 * ram, free / 4)",
    "files": [1000],
    "record_bytes": 1024,
    "duration_ms": 10_000,
    "family": "any",
    "port": 0,
    "source_address": None,
    "sink_address": None,
    "timeout_ms": 3_600_000,
    "sync_timeout_ms": 600_000,
    "repeats": 3,
    "sample_ms": 1000,
    "order": "shuffled",
}

_LENGTH = 20_000_000_000


def _definition(name: str, title: str, command: str) -> dict[str, Any]:
    return {
        "name": name,
        "title": title,
        "description": "",
        "input": "files",
        "needs_at_source": f"{title}, and a key that logs in at the sink",
        "needs_at_sink": title,
        "source_check": "ssh -F {ssh_config} sink true",
        "source_command": command,
        "source_cleanup": "",
        "sink_check": "",
        "sink_command": "",
        "sink_cleanup": "",
        "ready": "none",
        "ready_line": "",
        "quiet_ms": 0,
        "reported_bytes": "",
    }


PARAMETERS: dict[str, Any] = {
    **TEST,
    "length": _LENGTH,
    "length_asked": "min(2 * ram, free / 4)",
    "definitions": [
        _definition(
            "rsync-ssh",
            "rsync over ssh",
            "rsync -s --whole-file -r -e {{ssh -F {ssh_config}}} {source_directory}/ "
            "sink:{sink_directory}/",
        ),
        _definition(
            "scp", "scp", "scp -F {ssh_config} -r {source_directory}/. sink:{sink_directory}"
        ),
    ],
}

OVERRIDES: JsonDict = {"tools": ["rsync-daemon"], "length": 10_000_000_000, "repeats": 2}

CELL = "rsync-ssh-1000"

TRIAL: dict[str, Any] = {
    "kind": "tool",
    "tool": "rsync-ssh",
    "input": "files",
    "length_bytes": _LENGTH,
    "files": 1000,
    "file_bytes": _LENGTH // 1000,
    "records": 0,
    "record_bytes": 0,
    "duration_ms": 0,
}

HEADLINE: dict[str, Any] = {
    "kind": "tool",
    "tool": "rsync-ssh",
    "title": "rsync over ssh",
    "input": "files",
    "files": 1000,
    "rate": "durable",
    "bytes_per_s": 412_000_000.0,
    "cpu_s_per_gb": 4.6,
    "of_tools": 2,
    "no_result": None,
}

OUTCOME: dict[str, Any] = {
    "headline": HEADLINE,
    "headline_levels": None,
    "best_bytes_per_s": 412_000_000.0,
}


def _stat(rate: float) -> dict[str, Any]:
    return {"n": 1, "mean": rate, "median": rate, "worst": rate, "cv": None, "interval": None}


def _end(busy_s: float, own_s: float) -> dict[str, Any]:
    return {
        "load": {
            "busiest_core": 0.97,
            "user": 0.11,
            "system": 0.05,
            "softirq": 0.01,
            "iowait": 0.04,
            "dirty_growth_bytes": 0,
        },
        "card": {
            "name": "eth0",
            "speed_bits_per_s": 10_000_000_000,
            "mtu_bytes": 9000,
            "numa_node": 0,
        },
        "card_rx_bytes": 20_400_000_000,
        "card_tx_bytes": 61_000_000,
        "cpus": 16,
        "busy_s": busy_s,
        "idle_s": 1.2,
        "idle_cores": 0.02,
        "own_s": own_s,
        "device_bytes": 20_010_000_000,
    }


def _cell(number: int, tool: str, title: str, durable: float, cpu: float) -> dict[str, Any]:
    transfer_ns = round(_LENGTH / durable * 0.94 * 1e9)
    return {
        "tool": tool,
        "title": title,
        "input": "files",
        "unit": "file",
        "checked": True,
        "files": 1000,
        "length_bytes": _LENGTH,
        "records": 0,
        "record_bytes": 0,
        "state": "done",
        "repeats_done": 1,
        "repeats_total": 1,
        "rate": "durable",
        "bytes_per_s": _stat(durable),
        "application": _stat(durable / 0.94),
        "durable": _stat(durable),
        "sync_share": 0.06,
        "cpu_s_per_gb": cpu,
        "lost": 0,
        "wrong": 0,
        "duplicate": 0,
        "unexpected": 0,
        "reliable": True,
        "trials": [
            {
                "id": number,
                "repeat": 1,
                "status": "complete",
                "reason": None,
                "attempts": 1,
                "again": False,
                "length_bytes": _LENGTH,
                "bytes": _LENGTH,
                "transfer_ns": transfer_ns,
                "sync_ns": round(transfer_ns * 0.06 / 0.94),
                "handover_ns": 140_000_000,
                "application_bytes_per_s": durable / 0.94,
                "durable_bytes_per_s": durable,
                "cpu_s_per_gb": cpu,
                "arrived": {
                    "intact": 1000,
                    "intact_bytes": _LENGTH,
                    "missing": 0,
                    "incomplete": 0,
                    "wrong": 0,
                    "duplicate": 0,
                    "unexpected": 0,
                    "unexpected_name": None,
                    "elsewhere_bytes": 0,
                },
                "served_by": {
                    "source": "device",
                    "reason": "device_bytes",
                    "evidence": "After the sync, 100 % of the data had reached the device.",
                },
                "flags": [],
                "source": _end(48.2, 45.0),
                "sink": _end(46.2, 0.0),
                "command": {
                    "exit_code": 0,
                    "signal": None,
                    "ns": transfer_ns,
                    "output": "",
                    "errors": "",
                },
            }
        ],
    }


def _participant(number: int, host: str, role: str) -> dict[str, Any]:
    return {
        "id": number,
        "host": host,
        "path": "/mnt/raid",
        "role": role,
        "clock_uncertainty_ns": 180_000,
    }


RESULT: dict[str, Any] = {
    "kind": "tool",
    "run_id": 43,
    "edition": EDITION,
    "participants": [_participant(85, "cern-1", "sender"), _participant(86, "cit-1", "receiver")],
    "cells": [
        _cell(11, "rsync-ssh", "rsync over ssh", 412_000_000.0, 4.6),
        _cell(12, "scp", "scp", 398_000_000.0, 5.1),
    ],
    "best": 0,
    "headline": HEADLINE,
    "same_host": False,
    "warnings": [],
}


def _side(run_id: int, kind: str, name: str, rate: float, cpu: float) -> dict[str, Any]:
    return {
        "run_id": run_id,
        "kind": kind,
        "name": name,
        "length_bytes": _LENGTH,
        "bytes_per_s": rate,
        "cpu_s_per_gb": cpu,
        "lost": 0,
    }


COMPARISON: dict[str, Any] = {
    "kind": "tool",
    "a": 42,
    "b": 43,
    "answer": "a_faster",
    "ratio": 1.32,
    "p": 0.0008,
    "same_input": True,
    "sides": [
        _side(42, "path", "Disk to disk, 1 MiB, four streams", 545_000_000.0, 1.1),
        _side(43, "tool", "rsync over ssh", 412_000_000.0, 4.6),
    ],
    "ratios": [
        {
            "a_name": "Disk to disk, 1 MiB, four streams",
            "b_name": "rsync over ssh",
            "ratio": 1.32,
            "p": 0.0008,
            "answer": "a_faster",
        }
    ],
}

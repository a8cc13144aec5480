"""Examples of answers about runs, for the API's documentation; a test holds them to the schemas."""

from typing import Any

SUMMARY: dict[str, Any] = {
    "id": 42,
    "campaign_id": 7,
    "number": 1,
    "title": "Write",
    "kind": "write",
    "state": "done",
    "condition": None,
    "unreachable_since": None,
    "state_reason": None,
    "activity": None,
    "waits_for": None,
    "host": {"id": 5, "name": "web-1"},
    "target": {"id": 9, "path": "/mnt/a", "name": "scratch"},
    "trials_total": 2,
    "trials_done": 2,
    "current": None,
    "eta_s": None,
    "created_at": "2026-11-21T01:17:00Z",
    "started_at": "2026-11-21T01:17:01Z",
    "ended_at": "2026-11-21T01:17:59Z",
    "error": None,
    "headline": "1.39 GB/s durable with one writer and 256 KiB blocks; more threads don't help",
    "headline_levels": None,
    "best_bytes_per_s": 1_400_000_000.0,
}

PARAMETERS: dict[str, Any] = {
    "kind": "write",
    "title": "Write",
    "block": [262144],
    "threads": [1, 2],
    "files": 1,
    "file_size": 60_000_000_000,
    "layout": "fresh",
    "cache": "direct",
    "open_mode": "rw",
    "timeout_ms": 60000,
    "sync_timeout_ms": 600000,
    "repeats": 1,
    "sample_ms": 1000,
    "order": "shuffled",
}

RUN: dict[str, Any] = SUMMARY | {
    "parameters": PARAMETERS,
    "inventory_id": 12,
    "probe": "0.1.0",
    "participants": [
        {
            "id": 42,
            "role": "writer",
            "host": {"id": 5, "name": "web-1"},
            "target": {"id": 9, "path": "/mnt/a", "name": "scratch"},
            "inventory_id": 12,
            "probe": "0.1.0",
            "hello": {"segment": 1, "boot_id": "4f3a9860-ec5d-4e03-8ba5-f7ad783cb006"},
            "bytes_read": 48211,
        }
    ],
    "notices": [
        {
            "at": "2026-11-21T01:17:30Z",
            "level": "info",
            "code": "sync_bounded",
            "message": "the final sync took longer than its limit: the durable rate is a bound",
            "detail": {"trial": 101},
        }
    ],
    "conditions": {"host": "web-1", "kernel": "6.12.9", "fs_type": "ext4", "cache": "direct"},
}

_DEVICE = {
    "source": "device",
    "reason": "device_bytes",
    "evidence": "After the sync, the device had taken 100 % of the bytes claimed.",
}

_TRIAL: dict[str, Any] = {
    "id": 101,
    "repeat": 1,
    "status": "complete",
    "application_bytes_per_s": 1_402_000_000.0,
    "durable_bytes_per_s": 1_390_000_000.0,
    "lat_max_ns": 48_120_331,
    "bytes": 60_000_000_000,
    "bounded": False,
    "reason": None,
    "flags": [],
}


def _stat(rate: float) -> dict[str, Any]:
    return {
        "mean_bytes_per_s": rate,
        "median_bytes_per_s": rate,
        "worst_bytes_per_s": rate,
        "sd_bytes_per_s": None,
        "n": 1,
        "bounded": False,
        "best": True,
        "within_noise": False,
        "too_few_repeats": False,
        "p": None,
    }


_SETTING = {"block": 262144, "threads": 1}
_ADVICE: dict[str, Any] = _SETTING | {
    "settings": {"numBlockWriters": 1, "writeBufferSizeKB": 256, "writeFileMode": "rw"},
    "sentence": "One writer with 256 KiB blocks reaches 1.39 GB/s, the highest measured.",
}

MATRIX: dict[str, Any] = {
    "run_id": 42,
    "kind": "write",
    "axes": {"block": [262144], "threads": [1]},
    "rates": ["durable", "application"],
    "cells": [
        _SETTING
        | {
            "files": 1,
            "state": "done",
            "repeats_done": 1,
            "repeats_total": 1,
            "durable": _stat(1_390_000_000.0),
            "application": _stat(1_402_000_000.0),
            "latency": {
                "p50_ns": 181_000,
                "p90_ns": 204_000,
                "p99_ns": 690_000,
                "p999_ns": 9_100_000,
                "max_ns": 48_120_331,
                "mean_ns": 186_400,
                "stall_ns": None,
            },
            "served_by": {"application": _DEVICE, "durable": _DEVICE},
            "flags": [],
            "trials": [_TRIAL],
        }
    ],
    "best": {"durable": _SETTING, "application": _SETTING},
    "advice": {"durable": _ADVICE, "application": _ADVICE},
    "headline": "1.39 GB/s durable with one writer and 256 KiB blocks",
    "headline_bytes_per_s": 1_390_000_000.0,
    "headline_levels": None,
    "best_bytes_per_s": 1_390_000_000.0,
    "warnings": [
        {
            "code": "no_repeats",
            "message": "Single repeat: the headline is the highest of single measurements, which "
            "is partly luck, and differences under 3 % count as noise.",
        }
    ],
    "edition": "4",
}

TRIAL_ROW: dict[str, Any] = {
    "id": 101,
    "position": 0,
    "repeat": 1,
    "block": 262144,
    "threads": 1,
    "files": 1,
    "file_size": 60_000_000_000,
    "status": "complete",
    "attempts": 1,
}

TRIAL: dict[str, Any] = {
    "id": 101,
    "run_id": 42,
    "position": 0,
    "repeat": 1,
    "parameters": PARAMETERS | {"block": 262144, "threads": 1},
    "attempts": [
        {
            "number": 1,
            "status": "complete",
            "reason": None,
            "started_at": "2026-11-21T01:17:02Z",
            "app_ns": 42_796_000_000,
            "durable_ns": 43_165_000_000,
            "application_bytes_per_s": 1_402_000_000.0,
            "durable_bytes_per_s": 1_390_000_000.0,
            "bytes": 60_000_000_000,
            "ops": 228_882,
            "sample_count": 44,
            "lat_max_ns": 48_120_331,
            "percentiles": {"p50_ns": 181_000, "p99_ns": 690_000, "max_ns": 48_120_331},
            "histogram": [[180_224, 120_311], [182_272, 108_571]],
            "result": {"sync": "complete", "dev_durable_bytes": 60_000_100_352},
        }
    ],
}

EVENT = (
    '{"v":2,"seq":11,"t":240749185,"ev":"notice","code":"preparing",'
    '"message":"test files are written before the trials that use them; this is not measured",'
    '"bytes":41943040,"files":2}\n'
)

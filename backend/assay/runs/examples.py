"""Examples of responses about runs, for the API's documentation; a test validates them."""

from typing import Any

from assay.kinds.registry import EXAMPLES
from assay.verdicts import examples as verdicts

_PARTICIPANT: dict[str, Any] = {
    "id": 42,
    "role": "writer",
    "host": {"id": 5, "name": "web-1"},
    "target": {"id": 9, "path": "/mnt/a", "name": "scratch"},
    "activity": None,
}

_AT_START: dict[str, Any] = {
    "governors": [{"name": "performance", "cpus": 16}],
    "vm": {
        "dirty_ratio": 20,
        "dirty_bytes": 0,
        "dirty_background_ratio": 10,
        "dirty_background_bytes": 0,
        "dirty_expire_centisecs": 3000,
        "dirty_writeback_centisecs": 500,
    },
    "temperatures": [
        {
            "source": "device",
            "device": "nvme0n1",
            "sensor": "nvme Composite",
            "millidegrees_c": 38_850,
        }
    ],
    "health": [{"device": "nvme0n1", "state": "live", "io_errors": None, "members_missing": None}],
    "unreadable": [],
}

SUMMARY: dict[str, Any] = {
    "id": 42,
    "campaign_id": 7,
    "number": 1,
    "title": "Write",
    "kind": EXAMPLES.result["kind"],
    "participants": [_PARTICIPANT],
    "state": "done",
    "condition": None,
    "unreachable_since": None,
    "state_reason": None,
    "waits_for": None,
    "trials_total": 2,
    "trials_done": 2,
    "current": None,
    "eta_s": None,
    "created_at": "2026-11-21T01:17:00Z",
    "started_at": "2026-11-21T01:17:01Z",
    "ended_at": "2026-11-21T01:17:59Z",
    "error": None,
    "verdict": verdicts.SUMMARY,
} | EXAMPLES.outcome

RUN: dict[str, Any] = SUMMARY | {
    "parameters": EXAMPLES.parameters,
    "watch_ms": 600_000,
    "raw_removed_at": None,
    "samples_removed_at": None,
    "participants": [
        _PARTICIPANT
        | {
            "inventory_id": 12,
            "probe": "0.1.0",
            "hello": {"segment": 1, "boot_id": "4f3a9860-ec5d-4e03-8ba5-f7ad783cb006"},
            "conditions": {"start": _AT_START, "end": _AT_START},
            "bytes_read": 48211,
            "labels": {"host": {"rack": "b7"}},
            "references": {"array": "PO-20471"},
        }
    ],
    "read_back_by": None,
    "notices": [
        {
            "at": "2026-11-21T01:17:30Z",
            "participant_id": 42,
            "level": "info",
            "code": "sync_bounded",
            "message": "the final sync took longer than its limit: "
            "the durable rate is an upper bound",
            "detail": {"trial": 101},
        }
    ],
    "conditions": {"host": "web-1", "kernel": "6.12.9", "fs_type": "ext4", "cache": "direct"},
}

TRIAL_ROW: dict[str, Any] = {
    "id": 101,
    "position": 0,
    "repeat": 1,
    "cell": EXAMPLES.cell,
    "parameters": EXAMPLES.trial,
    "status": "complete",
    "attempts": 1,
}

TRIAL: dict[str, Any] = {
    "id": 101,
    "run_id": 42,
    "position": 0,
    "repeat": 1,
    "cell": EXAMPLES.cell,
    "parameters": EXAMPLES.trial,
    "attempts": [
        {
            "participant_id": 42,
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

CONDITIONS = (
    "host,path,condition,unit,start,end,not_readable_because\r\n"
    "web-1,/mnt/a,vm.dirty_ratio,percent,20,20,\r\n"
    "web-1,/mnt/a,temperature of nvme0n1 (nvme Composite),degrees_c,38.85,61.85,\r\n"
)

EVENT = (
    '{"v":2,"seq":11,"t":240749185,"ev":"notice","code":"preparing",'
    '"message":"test files are written before the trials that use them; this is not measured",'
    '"bytes":41943040,"files":2}\n'
)

"""Examples of responses about runs, for the API's documentation; a test validates them."""

from typing import Any

from assay.kinds.registry import SHOWN
from assay.runs.verdicts import examples as verdicts

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


def figure() -> dict[str, Any]:
    """Return the headline's figure of a run."""
    return {
        "metric": "durable.mean",
        "dimension": "rate",
        "cell": {},
        "shown_cell": "1 MiB, 1 thread",
        "value": SHOWN.examples.outcome["best_bytes_per_s"],
        "repeats": 3,
        "spread": 0.528,
        "doubts": [{"code": "array_cache", "bound": "upper"}],
        "trial_id": 3,
        "leading": True,
        "headline": True,
        "edition": "9",
    }


def summary() -> dict[str, Any]:
    """Return a run in a list."""
    return {
        "id": 42,
        "campaign_id": 7,
        "campaign_name": "vault after the firmware update",
        "number": 1,
        "title": "Write",
        "kind": SHOWN.name,
        "participants": [_PARTICIPANT],
        "state": "done",
        "condition": None,
        "unreachable_since": None,
        "state_code": None,
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
    } | SHOWN.examples.outcome


def run() -> dict[str, Any]:
    """Return a run."""
    return summary() | {
        "parameters": SHOWN.examples.parameters,
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


def trial_row() -> dict[str, Any]:
    """Return a trial in a list."""
    return {
        "id": 101,
        "position": 0,
        "repeat": 1,
        "cell": SHOWN.examples.cell,
        "parameters": SHOWN.examples.trial,
        "status": "complete",
        "attempts": 1,
    }


def trial() -> dict[str, Any]:
    """Return a trial."""
    return {
        "id": 101,
        "run_id": 42,
        "position": 0,
        "repeat": 1,
        "cell": SHOWN.examples.cell,
        "parameters": SHOWN.examples.trial,
        "attempts": [
            {
                "participant_id": 42,
                "number": 1,
                "status": "complete",
                "reason": None,
                "started_at": "2026-11-21T01:17:02Z",
                "app_ns": 9_792_000_000,
                "durable_ns": 9_804_000_000,
                "application_bytes_per_s": 102_159_000.0,
                "durable_bytes_per_s": 102_034_000.0,
                "bytes": 1_000_341_504,
                "ops": 954,
                "sample_count": 10,
                "lat_max_ns": 31_454_784,
                "percentiles": {"p50_ns": 10_289_152, "p99_ns": 10_420_224, "max_ns": 31_454_784},
                "histogram": [[10_223_616, 612], [10_354_688, 342]],
                "result": {"sync": "complete", "dev_durable_bytes": 1_000_341_504},
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

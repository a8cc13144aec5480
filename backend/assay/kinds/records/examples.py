"""Examples of a records test, for the API's documentation; a test validates them."""

from typing import Any

from pydantic.config import JsonDict

from assay.analysis.edition import EDITION

TEST: JsonDict = {
    "kind": "records",
    "title": "Records to a file",
    "record_bytes": [10, 1024, 4096],
    "sink": "as_chosen",
    "format": "raw",
    "batch_records": 10_000,
    "batch_ms": 10_000,
    "acknowledge": "written",
    "in_flight_batches": 16,
    "sync_ms": 0,
    "sync_bytes": 0,
    "rate_records_per_s": 0,
    "warm_up_ms": 20_000,
    "window_ms": 100_000,
    "socket_buffer_bytes": 0,
    "congestion_control": None,
    "family": "any",
    "port": 0,
    "last_port": 0,
    "sink_address": None,
    "sync_timeout_ms": 600_000,
    "repeats": 3,
    "sample_ms": 1000,
    "order": "shuffled",
}

PARAMETERS: dict[str, Any] = {
    **TEST,
    "senders": 3,
    "medium": "disk",
}

OVERRIDES: JsonDict = {"record_bytes": [4096], "window_ms": 30_000, "repeats": 1}

CELL = "4096"

TRIAL: dict[str, Any] = {
    "kind": "records",
    "record_bytes": 4096,
    "duration_ms": 120_000,
    "file_bytes": 0,
}

_RECORDS_PER_S, _WINDOW_NS, _WARM_UP_NS = 64_944.0, 100_000_000_000, 20_000_000_000
_BYTES_PER_S = _RECORDS_PER_S * 4096

_LEVELS: list[dict[str, Any]] = [
    {
        "bytes_per_s": 410_000_000.0,
        "duration_ns": 41_200_000_000,
        "bytes": 16_892_000_000,
        "from_ns": 0,
        "to_ns": 41_200_000_000,
        "from_bytes": 0,
        "to_bytes": 16_892_000_000,
    },
    {
        "bytes_per_s": 186_000_000.0,
        "duration_ns": 78_800_000_000,
        "bytes": 14_656_800_000,
        "from_ns": 41_200_000_000,
        "to_ns": 120_000_000_000,
        "from_bytes": 16_892_000_000,
        "to_bytes": 31_548_800_000,
    },
]

_CLIFF_MESSAGE = (
    "The rate changed for good: 410 MB/s for 41.2 s (16.9 GB), then 186 MB/s. The cache of the "
    "sink was exhausted, with 8.21 GB of unwritten data in memory."
)

HEADLINE: dict[str, Any] = {
    "kind": "records",
    "senders": 3,
    "sink": "disk",
    "format": "raw",
    "record_bytes": 4096,
    "records_per_s": None,
    "bytes_per_s": None,
    "levels": _LEVELS,
    "served_by": "page_cache",
    "limit": "sink_disk",
    "lost": 0,
    "lengths": [
        {"record_bytes": 4096, "records_per_s": None, "bytes_per_s": None, "levels": _LEVELS}
    ],
    "no_result": None,
}

OUTCOME: dict[str, Any] = {
    "headline": HEADLINE,
    "headline_levels": _LEVELS,
    "best_bytes_per_s": _BYTES_PER_S,
}


def _stat(value: float) -> dict[str, Any]:
    return {"n": 1, "mean": value, "median": value, "worst": value, "cv": None, "interval": None}


_CARD = {"name": "eth0", "speed_bits_per_s": 10_000_000_000, "mtu_bytes": 1500, "numa_node": 0}


def _end(*stages: tuple[str, float, float, float], busiest: float) -> dict[str, Any]:
    return {
        "load": {
            "busiest_core": busiest,
            "user": 0.05,
            "system": 0.11,
            "softirq": 0.04,
            "iowait": 0.18,
            "dirty_growth_bytes": 8_100_000_000,
        },
        "stages": [
            {"name": name, "threads": 1, "busy": busy, "full": full, "empty": empty}
            for name, busy, full, empty in stages
        ],
        "card": _CARD,
        "cpu_ns": 62_000_000_000,
        "own_cores": 0.52,
    }


_LINK = {
    "streams": 1,
    "congestion_control": "cubic",
    "mss_bytes": 1448,
    "send_buffer_bytes": 2_626_560,
    "receive_buffer_bytes": None,
    "rtt_idle_ns": 180_000,
    "rtt_load_ns": 410_000,
    "retransmits": 0,
    "retransmitted": 0.0,
    "receive_window_limited": 0.72,
    "send_buffer_limited": 0.0,
    "rejected": 0,
}


def _counts(number: int) -> dict[str, int]:
    return {
        "sent": number,
        "acknowledged": number,
        "intact": number,
        "wrong": 0,
        "duplicate": 0,
        "missing": 0,
        "out_of_order": 0,
        "stored": number,
        "lost": 0,
    }


_TOTAL = 7_793_280


def _sender(number: int, share: float) -> dict[str, Any]:
    return {
        "participant_id": number,
        "status": "complete",
        "reason": None,
        "records_per_s": _RECORDS_PER_S * share,
        "bytes_per_s": _BYTES_PER_S * share,
        "share": share,
        "start_delay_ns": 40_000,
        "digest_agrees": True,
        "counts": _counts(_TOTAL // 3),
        "end": _end(("fill", 0.05, 0.0, 0.95), ("send", 0.31, 0.69, 0.0), busiest=0.35),
        "link": _LINK,
    }


_TRIAL_FIGURES: dict[str, Any] = {
    "id": 1,
    "repeat": 1,
    "status": "complete",
    "reason": None,
    "attempts": 1,
    "again": False,
    "records": 6_494_400,
    "warm_up_ns": _WARM_UP_NS,
    "window_ns": _WINDOW_NS,
    "records_per_s": _RECORDS_PER_S,
    "bytes_per_s": _BYTES_PER_S,
    "stored_bytes_per_s": _BYTES_PER_S,
    "durable_bytes_per_s": 188_000_000.0,
    "expansion": 1.0,
    "bounded": False,
    "counts": _counts(_TOTAL),
    "file_wrong": 0,
    "read_back_error": None,
    "fairness": 0.9994,
    "slowest_participant_id": 85,
    "senders": [_sender(83, 0.34), _sender(84, 0.335), _sender(85, 0.325)],
    "receiver": _end(("receive", 1, 0, 0), ("check", 1, 0, 0), ("write", 1, 0, 0), busiest=0.61),
    "receiver_time": {"receiving": 0.21, "checking": 0.06, "storing": 0.72, "blocked": 0.55},
    "receiver_ns_per_record": 7956.0,
    "latency": [],
    "due_unfinished": 0,
    "batch_latency": [{"share": 0.5, "ns": 410_000_000}, {"share": 1.0, "ns": 2_120_000_000}],
    "syncs": 0,
    "longest_sync_ns": None,
    "cliff": {
        "levels": _LEVELS,
        "at_ns": 41_200_000_000,
        "at_records": 4_124_023,
        "at_bytes": 16_892_000_000,
        "cause": "cache_exhausted",
        "dirty_bytes": 8_210_000_000,
        "available_bytes": 22_400_000_000,
        "message": _CLIFF_MESSAGE,
    },
    "no_cliff_within_bytes": None,
    "levels": _LEVELS,
    "memory": {
        "most_dirty_bytes": 8_400_000_000,
        "least_available_bytes": 21_900_000_000,
        "dirty_growth_bytes": 8_100_000_000,
    },
    "left": [],
    "served_by": {
        "source": "page_cache",
        "reason": "device_bytes",
        "evidence": "At the last write, 74 % of the data had reached the device.",
    },
    "durable_served_by": {
        "source": "device",
        "reason": "device_bytes",
        "evidence": "After the sync, 100 % of the data had reached the device.",
    },
    "flags": [
        {
            "code": "cliff",
            "evidence": _CLIFF_MESSAGE,
            "figures": {"changed_ns": 41_200_000_000.0},
            "rates": ["application"],
            "levels": _LEVELS,
        }
    ],
}


def _participant(number: int, host: str, role: str, path: str | None) -> dict[str, Any]:
    return {
        "id": number,
        "host": host,
        "path": path,
        "role": role,
        "clock_uncertainty_ns": 180_000,
    }


RESULT: dict[str, Any] = {
    "kind": "records",
    "run_id": 42,
    "edition": EDITION,
    "participants": [
        _participant(83, "web-1", "sender", None),
        _participant(84, "web-2", "sender", None),
        _participant(85, "web-3", "sender", None),
        _participant(86, "log-1", "receiver", "/mnt/log"),
    ],
    "senders": 3,
    "sink": "disk",
    "format": "raw",
    "rate_records_per_s": None,
    "cells": [
        {
            "record_bytes": 4096,
            "state": "done",
            "repeats_done": 1,
            "repeats_total": 1,
            "records_per_s": _stat(_RECORDS_PER_S),
            "bytes_per_s": _stat(_BYTES_PER_S),
            "stored_bytes_per_s": _stat(_BYTES_PER_S),
            "durable_bytes_per_s": _stat(188_000_000.0),
            "expansion": 1.0,
            "receiver_ns_per_record": 7956.0,
            "fairness": 0.9994,
            "counts": _counts(_TOTAL),
            "lost": 0,
            "latency": [],
            "reliable": True,
            "bottleneck": {
                "limit": "sink_disk",
                "others": [],
                "rule": "own_evidence",
                "sentence": "The sink's disk limits the records once its cache is exhausted.",
                "evidence": [
                    {
                        "code": "cache_exhausted",
                        "message": _CLIFF_MESSAGE,
                        "figures": {"at_ns": 41_200_000_000.0},
                    }
                ],
                "expected_bytes_per_s": None,
                "efficiency": None,
            },
            "flags": [],
            "trial_id": 1,
            "trials": [_TRIAL_FIGURES],
        }
    ],
    "best": 0,
    "headline": HEADLINE,
    "warnings": [],
}

COMPARISON: dict[str, Any] = {
    "kind": "records",
    "a": 42,
    "b": 51,
    "answer": "b_faster",
    "ratio": 0.25,
    "p": 0.0002,
    "a_limit": "sink_disk",
    "b_limit": "link",
    "differs": ["sink"],
    "cells": [
        {
            "record_bytes": 4096,
            "a_records_per_s": _RECORDS_PER_S,
            "b_records_per_s": 260_000.0,
            "ratio": 0.25,
            "p": 0.0002,
            "answer": "b_faster",
        }
    ],
}

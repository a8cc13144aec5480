"""Examples of a sustained test, for the API's documentation; a test validates them."""

from typing import Any

from pydantic.config import JsonDict

TEST: JsonDict = {
    "kind": "sustained",
    "operation": "write",
    "access": "sequential",
    "read_percent": 70,
    "seed": 0,
    "title": "Sustained write",
    "length": "2 * ram",
    "ramp_ms": 0,
    "block": [800_000],
    "streams": 1,
    "file_mode": "one",
    "file_size": 10_000_000_000,
    "ring_files": 2,
    "cache": ["direct_if_real"],
    "engine": "threads",
    "queue_depth": [1],
    "pace": "none",
    "rate_bytes_per_s": [125_000_000],
    "burst_blocks": [1],
    "gap_ns": 40_000_000,
    "quantum_ns": 0,
    "read_pace": "same",
    "read_rate_bytes_per_s": 125_000_000,
    "mark_bytes": 100_000_000,
    "sync_bytes": 0,
    "sync_ms": 0,
    "fill_percent": 0,
    "purge": "none",
    "precondition_passes": 0,
    "idle_ms": [0],
    "prepare_timeout_ms": 86_400_000,
    "priority": ["normal"],
    "io_priority": ["default"],
    "read_back": "none",
    "peak_limit_ns": 100_000_000,
    "timeout_ms": 172_800_000,
    "sync_timeout_ms": 3_600_000,
    "repeats": 1,
    "sample_ms": 1000,
    "order": "shuffled",
}

PARAMETERS: dict[str, Any] = {
    **TEST,
    "length": 60_000_000_000,
    "length_asked": "2 * ram",
    "block": [802_816],
    "block_asked": [800_000],
    "file_size": 60_000_000_000,
    "cache": ["direct"],
    "cache_asked": ["direct_if_real"],
}

OVERRIDES: JsonDict = {"length": "10 min", "repeats": 2}

CELL = "802816"

TRIAL: dict[str, Any] = {
    "kind": "sustained",
    "block": 802_816,
    "streams": 1,
    "length_bytes": 60_000_000_000,
    "duration_ms": 0,
    "file_bytes": 0,
    "files": 0,
    "rate_bytes_per_s": 0,
    "burst_blocks": 0,
    "offered_bytes_per_s": None,
    "mark_bytes": 100_352_000,
    "footprint_bytes": 60_000_251_904,
    "idle_ms": 0,
    "queue_depth": 1,
    "cache": None,
    "priority": None,
    "io_priority": None,
}

_CARRIED: dict[str, Any] = {
    "label": "10 Gb/s",
    "bytes_per_s": 1_250_000_000,
    "buffer_bytes": 61_000_000,
}

_FIGURE: dict[str, Any] = {
    "rate": "durable",
    "bytes_per_s": 1_390_000_000.0,
    "levels": None,
    "bytes": 60_000_251_904,
    "block": 802_816,
    "offered_bytes_per_s": None,
    "served_by": "device",
    "no_cliff_within_bytes": 60_000_251_904,
    "shape": None,
    "carried": _CARRIED,
}

HEADLINE: dict[str, Any] = {
    "kind": "sustained",
    "operation": "write",
    "participants": 1,
    "figure": _FIGURE,
    "reads": None,
    "sweet_spot": None,
    "no_result": None,
}

OUTCOME: dict[str, Any] = {
    "headline": HEADLINE,
    "headline_levels": None,
    "best_bytes_per_s": 1_390_000_000.0,
}

_DEVICE = {
    "source": "device",
    "reason": "device_bytes",
    "evidence": "After the sync, 100 % of the data had reached the device.",
}


def _stat(rate: float) -> dict[str, Any]:
    return {"n": 1, "mean": rate, "median": rate, "worst": rate, "cv": None, "interval": None}


RESULT: dict[str, Any] = {
    "kind": "sustained",
    "run_id": 42,
    "edition": "9",
    "participants": [
        {
            "id": 42,
            "host": "web-1",
            "path": "/mnt/a",
            "role": "writer",
            "clock_uncertainty_ns": None,
        }
    ],
    "operation": "write",
    "access": "sequential",
    "read_percent": None,
    "engine": "threads",
    "pace": "none",
    "cache": ["direct"],
    "priority": ["normal"],
    "io_priority": ["default"],
    "cells": [
        {
            "key": CELL,
            "operation": "write",
            "block": 802_816,
            "streams": 1,
            "rate_bytes_per_s": None,
            "burst_blocks": None,
            "idle_ms": 0,
            "offered_bytes_per_s": None,
            "state": "done",
            "repeats_done": 1,
            "repeats_total": 1,
            "durable": _stat(1_390_000_000.0),
            "application": _stat(1_402_000_000.0),
            "served_by": {"application": _DEVICE, "durable": _DEVICE},
            "flags": [],
            "peak_ns": 48_120_331,
            "latency": [{"share": 0.5, "ns": 572_000}, {"share": 1.0, "ns": 48_120_331}],
            "due_latency": [],
            "carry": [
                {
                    "key": "10g",
                    "label": "10 Gb/s",
                    "basis": "line",
                    "bytes_per_s": 1_250_000_000,
                    "carried": "buffered",
                    "reason": None,
                    "margin": 0.12,
                    "aggregate_margin": None,
                    "buffer_least_bytes": 61_000_000,
                    "buffer_most_bytes": 61_000_000,
                    "exact": True,
                    "by_peak_bytes": 60_150_414,
                    "decides": {
                        "trial_id": 101,
                        "participant_id": None,
                        "begin_ns": 20_100_000_000,
                        "end_ns": 20_200_000_000,
                        "begin_bytes": 28_000_000_000,
                        "end_bytes": 28_100_352_000,
                        "capacity_bytes_per_s": 1_003_520_000.0,
                    },
                }
            ],
            "backlogs": [
                {
                    "bytes_per_s": 1_250_000_000,
                    "most_bytes": 61_000_000,
                    "end_bytes": 0,
                    "most_at_ns": 20_160_000_000,
                }
            ],
            "slowest": [
                {
                    "ns": 48_120_331,
                    "end_ns": 20_160_000_000,
                    "offset": 28_058_419_200,
                    "stream": 0,
                    "trial_id": 101,
                    "participant_id": 42,
                }
            ],
            "shown_trial_id": 101,
            "trials": [
                {
                    "id": 101,
                    "repeat": 1,
                    "status": "complete",
                    "attempts": 1,
                    "application_bytes_per_s": 1_402_000_000.0,
                    "durable_bytes_per_s": 1_390_000_000.0,
                    "bytes": 60_000_251_904,
                    "duration_ns": 42_800_000_000,
                    "footprint_bytes": 60_000_251_904,
                    "mark_bytes": 100_352_000,
                    "peak_ns": 48_120_331,
                    "p99_ns": 690_000,
                    "no_cliff_within_bytes": 60_000_251_904,
                }
            ],
        }
    ],
    "leading_cell": CELL,
    "sweet_spot": None,
    "recovery": None,
    "peak_limit_ns": 100_000_000,
    "headline": HEADLINE,
    "headline_levels": None,
    "best_bytes_per_s": 1_390_000_000.0,
    "warnings": [],
}


def _compared(run_id: int, ratio: float | None) -> dict[str, Any]:
    return {
        "run_id": run_id,
        "operation": "write",
        "rate": "durable",
        "served_by": "device",
        "cell": CELL,
        "shown_trial_id": 101,
        "bytes_per_s": 1_390_000_000.0,
        "offered_bytes_per_s": None,
        "levels": None,
        "no_cliff_within_bytes": 1_000_000_000_000,
        "peak_ns": 48_120_331,
        "shape": None,
        "slow_down": 0.01,
        "carried": _CARRIED,
        "ratio": ratio,
        "p": None,
        "significant": False,
        "too_few_repeats": False,
    }


COMPARISON: dict[str, Any] = {
    "kind": "sustained",
    "runs": [_compared(42, None), _compared(43, 1.0)],
}

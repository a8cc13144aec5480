"""Examples of a matrix, for the API's documentation; a test validates them."""

from typing import Any

from pydantic.config import JsonDict

TEST: JsonDict = {
    "kind": "matrix",
    "operation": "write",
    "title": "Write",
    "block": [65536, 262144],
    "threads": [1, 2],
    "files": 1,
    "file_size": "min(1 GB, free / 10)",
    "layout": "fresh",
    "cache": "direct_if_real",
    "open_mode": "rw",
    "timeout_ms": 60000,
    "sync_timeout_ms": 600000,
    "repeats": 3,
    "sample_ms": 1000,
    "order": "shuffled",
}

PARAMETERS: dict[str, Any] = {
    "kind": "matrix",
    "operation": "write",
    "title": "Write",
    "block": [262144],
    "threads": [1, 2],
    "files": 1,
    "file_size": 60_000_000_000,
    "file_size_asked": "2 * ram",
    "layout": "fresh",
    "cache": "direct",
    "cache_asked": "direct_if_real",
    "open_mode": "rw",
    "timeout_ms": 60000,
    "sync_timeout_ms": 600000,
    "repeats": 1,
    "sample_ms": 1000,
    "order": "shuffled",
}

CELL = "262144x1"

TRIAL: dict[str, Any] = {
    "kind": "matrix",
    "block": 262144,
    "threads": 1,
    "files": 1,
    "file_size": 60_000_000_000,
}

HEADLINE: dict[str, Any] = {
    "kind": "matrix",
    "operation": "write",
    "participants": 1,
    "figure": {
        "rate": "durable",
        "bytes_per_s": 1_390_000_000.0,
        "levels": None,
        "block": 262144,
        "threads": 1,
        "served_by": "device",
        "left_out_faster": 0,
        "threads_effect": {
            "code": "more_equal",
            "threads": 2,
            "bytes_per_s": 1_388_000_000.0,
            "mean_over_cliff": False,
        },
    },
    "no_result": None,
    "selected": None,
}

OUTCOME: dict[str, Any] = {
    "headline": HEADLINE,
    "headline_levels": None,
    "best_bytes_per_s": 1_390_000_000.0,
}

OVERRIDES: JsonDict = {"file_size": 20_000_000, "repeats": 3}

_DEVICE = {
    "source": "device",
    "reason": "device_bytes",
    "evidence": "After the sync, 100 % of the data had reached the device.",
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
    "window_ns": None,
    "participants": [],
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
    "bytes_per_s": 1_390_000_000.0,
    "levels": None,
    "reason": {
        "code": "best",
        "best": _SETTING,
        "best_bytes_per_s": 1_390_000_000.0,
        "means_over_cliffs": False,
    },
}

RESULT: dict[str, Any] = {
    "run_id": 42,
    "kind": "matrix",
    "operation": "write",
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
                "p9999_ns": 31_000_000,
                "p99999_ns": 47_000_000,
                "operations": 228_882,
            },
            "served_by": {"application": _DEVICE, "durable": _DEVICE},
            "flags": [],
            "trials": [_TRIAL],
        }
    ],
    "best": {"durable": _SETTING, "application": _SETTING},
    "advice": {"durable": _ADVICE, "application": _ADVICE},
    "headline": HEADLINE,
    "headline_levels": None,
    "best_bytes_per_s": 1_390_000_000.0,
    "warnings": [
        {
            "code": "no_repeats",
            "message": "Single repeat: the headline is the highest of single measurements, which "
            "is partly luck, and differences under 3 % count as noise.",
            "figures": {"cells": 1, "noise_share": 0.03},
            "rate": None,
        }
    ],
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
}

_BEST: dict[str, Any] = _SETTING | {
    "bytes_per_s": 1_390_000_000.0,
    "levels": None,
    "served_by": "device",
    "flags": [],
    "left_out_faster": 0,
}

COMPARISON: dict[str, Any] = {
    "kind": "matrix",
    "answer": {
        "rate": "durable",
        "a": {"run_id": 42, "measured": True, "best": _BEST},
        "b": {"run_id": 43, "measured": True, "best": _BEST},
        "best": {"code": "no_difference", "ratio": 1.0, "p": None},
        "cells": {
            "common": 1,
            "faster": 0,
            "slower": 0,
            "within_noise": 1,
            "too_few_repeats": 0,
            "cliff": 0,
            "unreliable": 0,
        },
    },
    "ratio": {
        "a": 42,
        "b": 43,
        "rate": "durable",
        "cells": [
            _SETTING
            | {
                "durable": 1.0,
                "application": 1.0,
                "significant": False,
                "durable_p": None,
                "application_p": None,
                "durable_too_few_repeats": False,
                "application_too_few_repeats": False,
            }
        ],
    },
    "scale": {"min_bytes_per_s": 1_390_000_000.0, "max_bytes_per_s": 1_390_000_000.0},
    "scales": {
        "durable": {"min_bytes_per_s": 1_390_000_000.0, "max_bytes_per_s": 1_390_000_000.0},
        "application": {"min_bytes_per_s": 1_402_000_000.0, "max_bytes_per_s": 1_402_000_000.0},
    },
}

"""Examples of a path test, for the API's documentation; a test validates them."""

from typing import Any

from pydantic.config import JsonDict

from assay.analysis.edition import EDITION

TEST: JsonDict = {
    "kind": "path",
    "title": "Path to the archive",
    "legs": ["read", "memory", "write", "disk"],
    "length": "min(2 * ram, free / 4)",
    "small_files": 0,
    "small_file_bytes": 4096,
    "duration_ms": 10_000,
    "ramp_ms": 0,
    "block": [1_048_576],
    "streams": [4],
    "threads_per_device": 1,
    "ring_bytes": 0,
    "socket_buffer_bytes": 0,
    "congestion_control": None,
    "pacing_bytes_per_s": 0,
    "family": "any",
    "listener": "receiver",
    "port": 0,
    "last_port": 0,
    "source_address": None,
    "sink_address": None,
    "source_cache": "direct_if_real",
    "sink_cache": "direct_if_real",
    "source_cpus": None,
    "sink_cpus": None,
    "full_duplex": False,
    "integrity": "crc32c",
    "timeout_ms": 3_600_000,
    "sync_timeout_ms": 600_000,
    "repeats": 3,
    "sample_ms": 1000,
    "order": "shuffled",
}

_LENGTH = 60_000_000_000

PARAMETERS: dict[str, Any] = {
    **TEST,
    "length": _LENGTH,
    "length_asked": "min(2 * ram, free / 4)",
    "source_cache": "direct",
    "source_cache_asked": "direct_if_real",
    "sink_cache": "direct",
    "sink_cache_asked": "direct_if_real",
}

OVERRIDES: JsonDict = {"length": 20_000_000_000, "streams": [8], "repeats": 2}

CELL = "disk-1048576x4"

TRIAL: dict[str, Any] = {
    "kind": "path",
    "leg": "disk",
    "block": 1_048_576,
    "streams": 4,
    "length_bytes": _LENGTH,
    "duration_ms": 0,
    "small_files": 0,
    "small_file_bytes": 4096,
}

HEADLINE: dict[str, Any] = {
    "kind": "path",
    "leg": "disk",
    "rate": "durable",
    "bytes_per_s": 545_000_000.0,
    "tb_per_hour": 1.962,
    "block": 1_048_576,
    "streams": 4,
    "efficiency": 0.982,
    "limit": "sink_disk",
    "others": [],
    "no_result": None,
    "pairs": 1,
    "limit_names": [],
    "full_duplex": False,
}

OUTCOME: dict[str, Any] = {
    "headline": HEADLINE,
    "headline_levels": None,
    "best_bytes_per_s": 545_000_000.0,
}


def _stat(rate: float | None) -> dict[str, Any] | None:
    if rate is None:
        return None
    return {"n": 1, "mean": rate, "median": rate, "worst": rate, "cv": None, "interval": None}


_DEVICE = {
    "source": "device",
    "reason": "device_bytes",
    "evidence": "After the sync, 100 % of the data had reached the device.",
}

_CARD = {
    "name": "eth0",
    "speed_bits_per_s": 10_000_000_000,
    "mtu_bytes": 9000,
    "numa_node": 0,
}

_LINK = {
    "streams": 4,
    "congestion_control": "cubic",
    "mss_bytes": 8948,
    "send_buffer_bytes": 4_194_304,
    "receive_buffer_bytes": 6_291_456,
    "rtt_idle_ns": 170_100_000,
    "rtt_load_ns": 171_300_000,
    "retransmits": 12,
    "retransmitted": 0.0000018,
    "receive_window_limited": 0.81,
    "send_buffer_limited": 0.02,
    "rejected": 0,
}


_PLACEMENT = {
    "cpus_asked": None,
    "cpus_allowed": "0-31",
    "cpus_used": "2,5,9,11",
    "numa_nodes_used": [0],
    "disk_numa_nodes": [0],
    "card": {
        "driver": "mlx5_core",
        "local_cpus": "0-15",
        "rx_queues": 16,
        "tx_queues": 16,
        "rps_cpus": "",
        "xps_cpus": "0-15",
        "irqs": 16,
        "irq_cpus": "0-15",
        "changed": False,
    },
    "interrupts": 1_800_000,
    "interrupt_cpus": "0-3",
    "busiest_interrupt_cpu": 2,
    "busiest_interrupt_share": 0.31,
    "far": False,
}


def _end(*stages: tuple[str, float, float, float], busiest: float) -> dict[str, Any]:
    return {
        "load": {
            "busiest_core": busiest,
            "user": 0.03,
            "system": 0.24,
            "softirq": 0.08,
            "iowait": 0.11,
            "dirty_growth_bytes": 0,
        },
        "stages": [
            {"name": name, "threads": 4, "busy": busy, "full": full, "empty": empty}
            for name, busy, full, empty in stages
        ],
        "card": _CARD,
        "cpu_ns": 61_000_000_000,
        "own_cores": 0.55,
        "withheld": 0.0,
        "waiting": 0.02,
        "others_bytes": 1_200_000,
        "placement": _PLACEMENT,
        "files": None,
    }


def _leg(number: int, leg: str, application: float, durable: float | None) -> dict[str, Any]:
    moves, sends, receives = leg in ("memory", "disk"), leg != "write", leg != "read"
    disk_reader = ("read", 0.45, 0.55, 0.0) if leg != "memory" else ("fill", 0.2, 0.8, 0.0)
    return {
        "leg": leg,
        "block": 1_048_576,
        "streams": 4 if moves else None,
        "state": "done",
        "repeats_done": 1,
        "repeats_total": 1,
        "rate": "durable" if durable else "application",
        "bytes_per_s": _stat(durable or application),
        "application": _stat(application),
        "durable": _stat(durable),
        "inflated": False,
        "reliable": True,
        "directions": [],
        "slower_direction": None,
        "files_per_s": None,
        "trials": [
            {
                "id": number,
                "repeat": 1,
                "status": "complete",
                "reason": None,
                "attempts": 1,
                "again": False,
                "bytes": _LENGTH,
                "application_bytes_per_s": application,
                "durable_bytes_per_s": durable,
                "bounded": False,
                "served_by": None if leg == "memory" else _DEVICE,
                "flags": [],
                "inflated": None,
                "sender": _end(disk_reader, ("send", 0.97, 0.0, 0.03), busiest=0.44)
                if sends
                else None,
                "receiver": _end(
                    ("receive", 0.36, 0.64, 0.0), ("write", 0.98, 0.0, 0.02), busiest=0.58
                )
                if receives
                else None,
                "link": _LINK if moves else None,
                "wrong_blocks": 0,
                "rejected_connections": 0,
                "sent_bytes_per_s": application if moves else None,
                "starved_roles": [],
                "pairs": [],
                "window_ns": None,
                "fairness": None,
                "slowest_pair": None,
                "files": None,
                "files_per_s": None,
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
        "devices": ["sda", "sdb", "sdc", "sdd"],
    }


_EXPECTED = {
    "code": "expected",
    "message": "The transfer reaches 545 MB/s, 98 % of the slowest part by itself (the sink's "
    "disk: 555 MB/s).",
    "figures": {
        "transfer_bytes_per_s": 545_000_000.0,
        "expected_bytes_per_s": 555_000_000.0,
        "efficiency": 0.982,
    },
}

RESULT: dict[str, Any] = {
    "kind": "path",
    "run_id": 42,
    "edition": EDITION,
    "participants": [_participant(83, "cern-1", "sender"), _participant(84, "cit-1", "receiver")],
    "legs": [
        _leg(1, "read", 810_000_000.0, None),
        _leg(2, "memory", 1_180_000_000.0, None),
        _leg(3, "write", 560_000_000.0, 555_000_000.0),
        _leg(4, "disk", 548_000_000.0, 545_000_000.0),
    ],
    "settings": [
        {
            "block": 1_048_576,
            "streams": 4,
            "transfer": "disk",
            "transfer_bytes_per_s": 545_000_000.0,
            "tb_per_hour": 1.962,
            "read_bytes_per_s": 810_000_000.0,
            "memory_bytes_per_s": 1_180_000_000.0,
            "write_bytes_per_s": 555_000_000.0,
            "expected_bytes_per_s": 555_000_000.0,
            "efficiency": 0.982,
            "bottleneck": {
                "limit": "sink_disk",
                "others": [],
                "rule": "slowest_part",
                "sentence": "The sink's disk limits the transfer.",
                "evidence": [_EXPECTED],
                "expected_bytes_per_s": 555_000_000.0,
                "efficiency": 0.982,
                "names": [],
                "disks": [],
            },
        }
    ],
    "best": 0,
    "headline": HEADLINE,
    "scorecard": {
        "link_bits_per_s": 10_000_000_000,
        "required_tb_per_hour": 1.0,
        "tb_per_hour": 1.962,
        "meets": True,
    },
    "same_host": False,
    "shared_device": False,
    "warnings": [],
    "full_duplex": False,
}

COMPARISON: dict[str, Any] = {
    "kind": "path",
    "a": 42,
    "b": 51,
    "answer": "a_faster",
    "ratio": 1.68,
    "p": 0.0004,
    "a_limit": "sink_disk",
    "b_limit": "sink_disk",
    "legs": [
        {
            "leg": "disk",
            "block": 1_048_576,
            "streams": 4,
            "a_bytes_per_s": 545_000_000.0,
            "b_bytes_per_s": 325_000_000.0,
            "a_files_per_s": None,
            "b_files_per_s": None,
            "ratio": 1.68,
            "p": 0.0004,
            "answer": "a_faster",
            "one_way": [],
        }
    ],
}

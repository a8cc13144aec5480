"""A participant's spool as a probe would write it, built line by line."""

import json
from typing import Any

from assay.runs.samples.columns import COLUMNS, MARK_COLUMNS, NAMES

SECOND = 10**9
COUNTER: dict[str, Any] = {
    "source": "device",
    "names": ["vda"],
    "disks": [],
    "copies": 1,
    "reason": None,
}
NOBODY_ELSE: dict[str, int | None] = {
    "neighbor_read_bytes": None,
    "neighbor_write_bytes": None,
    "appliance_read_bytes": 0,
    "appliance_write_bytes": 0,
}
"""Of a trial's contention: unknown neighbors on its disks, and no other processes of Assay."""


def contention(
    read: int = 0, written: int = 0, *, others_read: int = 0, others_written: int = 0
) -> dict[str, Any]:
    """Return what the host's counters say of a trial that moved these bytes, and others theirs."""
    return {
        "own_read_bytes": read,
        "own_write_bytes": written,
        "dev_read_bytes": read + others_read,
        "dev_write_bytes": written + others_written,
        "quiet_ns": SECOND,
        "quiet_read_bytes": 0,
        "quiet_write_bytes": 0,
        "others_read_bytes": others_read,
        "others_write_bytes": others_written,
        **NOBODY_ELSE,
        "sees_all": True,
        "busiest": "dd" if others_read or others_written else None,
    }


def sample_values(**values: int | None) -> list[int | None]:
    """Return a sample's values; unspecified ones are 0, null, or 1 ns."""
    defaults = {column.name: None if column.nullable else 0 for column in COLUMNS}
    return [(defaults | {"dt_ns": 1} | values)[name] for name in NAMES]


def mark_values(**values: int | None) -> list[int | None]:
    """Return a mark's values; unspecified ones are 1 or null."""
    defaults = {column.name: None if column.nullable else 1 for column in MARK_COLUMNS}
    return list((defaults | values).values())


class Spool:
    """Event lines with a continuous `seq`."""

    def __init__(self) -> None:
        self.lines: list[bytes] = []
        self.t = 0

    @property
    def data(self) -> bytes:
        return b"".join(self.lines)

    def add(self, ev: str, **fields: Any) -> "Spool":
        self.t += 1000
        event = {"v": 2, "seq": len(self.lines), "t": self.t, "ev": ev, **fields}
        self.lines.append(json.dumps(event, separators=(",", ":")).encode() + b"\n")
        return self

    def hello(self, segment: int = 1, **fields: Any) -> "Spool":
        return self.add(
            "hello",
            **{
                "segment": segment,
                "generation": 1,
                "job": "matrix",
                "run": "r1-p1",
                "probe": "0.1.0",
                "contract": 2,
                "pid": 4711,
                "wall_ns": 1_790_000_000 * SECOND,
                "mono_ns": 5 * SECOND,
                "boot_id": "b00t",
                "hostname": "host",
                "kernel": "6.12",
                "arch": "x86_64",
                "ncpu": 2,
                "cpu_tick_ns": SECOND // 100,
                "clocksource": "tsc",
                "mem_total_bytes": 8 * 10**9,
                "mem_limit_bytes": 8 * 10**9,
                "target": "/mnt/a",
                "role": None,
                "fs_type": "ext4",
                "fs_source": "/dev/vda",
                "fs_uuid": "u-1",
                "device": "vda",
                "counter": COUNTER,
                "alignment_bytes": 512,
                "workdir": "assay-r1-p1",
                "files": "unnamed",
                "columns": list(NAMES),
                **fields,
            },
        )

    def conditions(self, when: str, **fields: Any) -> "Spool":
        vm = {
            "dirty_ratio": 20,
            "dirty_bytes": 0,
            "dirty_background_ratio": 10,
            "dirty_background_bytes": 0,
            "dirty_expire_centisecs": 3000,
            "dirty_writeback_centisecs": 500,
        }
        read = {
            "governors": [{"name": "performance", "cpus": 2}],
            "vm": vm | fields.pop("vm", {}),
            "temperatures": [],
            "health": [],
            "unreadable": [],
        }
        return self.add("conditions", when=when, **read | fields)

    def trial(self, trial: int, attempt: int = 1, total_bytes: int = 10**7) -> "Spool":
        return self.add(
            "trial",
            trial=trial,
            attempt=attempt,
            total_bytes=total_bytes,
            parameters={"operation": "write", "file_size": total_bytes, "block": 65536},
        )

    def sample(self, trial: int, attempt: int = 1, **values: int | None) -> "Spool":
        return self.add("sample", trial=trial, attempt=attempt, s=sample_values(**values))

    def mark(self, trial: int, attempt: int = 1, **values: int | None) -> "Spool":
        return self.add("mark", trial=trial, attempt=attempt, m=mark_values(**values))

    def result(self, trial: int, attempt: int = 1, **fields: Any) -> "Spool":
        return self.add(
            "result",
            **{
                "trial": trial,
                "attempt": attempt,
                "status": "complete",
                "reason": None,
                "ops": 10,
                "bytes": 10**7,
                "app_ns": SECOND,
                "durable_ns": 2 * SECOND,
                "sync": "none" if fields.get("durable_ns", 0) is None else "complete",
                "lat_min_ns": 1000,
                "lat_max_ns": 9000,
                "lat_sum_ns": 50_000,
                "hist": [[700, ops]] if (ops := fields.get("ops", 10)) else [],
                "started_ns": self.t,
                "start_delay_ns": None,
                "first_done_ns": SECOND,
                "last_done_ns": SECOND,
                "counter": COUNTER,
                "dev_app_bytes": 10**7,
                "dev_durable_bytes": 10**7,
                "resident_checked": 0,
                "resident_pages": 0,
                "resident_after_checked": 0,
                "resident_after_pages": 0,
                "unwritten": "none",
                "data_ns": 0,
                "disturbance": {
                    "late_ns": 100_000,
                    "cpu_wait_ns": 90_000,
                    "paused_ns": 10_000,
                    "slept_ns": 0,
                    "wall_jump_ns": 0,
                    "cpu_lost_ns": 0,
                    "throttled_ns": None,
                },
                "verify_errors": 0,
                "first_read_bytes": None,
                "contention": None,
                "working_set_bytes": 10**7,
                "mem_limit_bytes": 8 * 10**9,
                "detail": None,
                **fields,
            },
        )

    def whole_trial(self, trial: int, attempt: int = 1, samples: int = 10) -> "Spool":
        """Add a trial of 10 MB in `samples` even samples of 100 ms."""
        self.trial(trial, attempt)
        for number in range(samples):
            self.sample(
                trial,
                attempt,
                end_ns=(number + 1) * SECOND // 10,
                dt_ns=SECOND // 10,
                ops=10 // samples,
                bytes=10**7 // samples,
                lat_sum_ns=1000,
                lat_max_ns=2000 + number,
            )
        return self.result(trial, attempt, ops=10 // samples * samples)

    def end(self, status: str = "done") -> "Spool":
        return self.add("end", status=status, reason=None, cleaned=True, trials_complete=1)

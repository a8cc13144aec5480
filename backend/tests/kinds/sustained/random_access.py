"""Random tests and mixtures of reads and writes, simulated."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from assay.kinds.metrics import Measurement, Metric
from assay.kinds.run_record import AttemptRecord, RunRecord
from assay.kinds.sustained.estimate import PlannedSustained
from assay.kinds.sustained.metrics import METRICS
from assay.kinds.sustained.result import SustainedResult
from testing.spools import NOBODY_ELSE

from .simulated import attempt, planned, run_of, sustained, trial_parameters

BLOCK = 4096
SET = 20_000 * BLOCK
RANDOM: dict[str, Any] = {
    "access": "random",
    "length": "10 s",
    "block": [BLOCK],
    "file_size": SET,
    "mark_bytes": 100 * BLOCK,
}
MIXED = RANDOM | {"operation": "mixed", "read_percent": 70}


def metric(name: str) -> Metric:
    return next(one for one in METRICS if one.name == name)


def measured(result: SustainedResult, name: str, **arguments: float) -> Measurement:
    return metric(name).read(result, arguments)


def directions(reads: Sequence[int], writes: Sequence[int]) -> dict[str, Any]:
    """Return what the probe tells of both directions; each has the times of its operations."""

    def told(service: Sequence[int]) -> dict[str, Any]:
        one = attempt({"block": BLOCK, "mark_bytes": 100 * BLOCK}, service)
        assert one.result
        assert one.latency
        return {
            "ops": len(service),
            "bytes": len(service) * BLOCK,
            "lat_sum_ns": sum(service),
            "lat_min_ns": min(service),
            "lat_max_ns": max(service),
            "hist": one.result["detail"]["hist"],
            "due_hist": None,
            "due_max_ns": None,
        }

    return {"directions": {"read": told(reads), "write": told(writes)}}


def _mixture(reads: Sequence[int], writes: Sequence[int]) -> list[int]:
    """Return the operations of both directions, each spread evenly over the trial."""
    places = [(n / len(each), ns) for each in (reads, writes) for n, ns in enumerate(each)]
    return [ns for _, ns in sorted(places)]


def mixed_attempt(
    test: PlannedSustained,
    reads: int = 7000,
    writes: int = 3000,
    told: Mapping[str, Any] | None = None,
    **more: Any,
) -> AttemptRecord:
    """Return an attempt of one stream: reads of 0.5 ms and writes of 2 ms."""
    quick, slow = [500_000] * reads, [2_000_000] * writes
    own = trial_parameters(test.planned_cells[0])
    detail = {"footprint_bytes": SET} | directions(quick, slow) | dict(told or {})
    done = attempt(own, _mixture(quick, slow), detail=detail, **more)
    assert done.result
    moved = {"dev_app_bytes": done.bytes, "dev_durable_bytes": done.bytes}
    moved |= {"working_set_bytes": SET, "contention": counters(reads * BLOCK, writes * BLOCK)}
    counter = {"source": "device", "names": ["sda"], "disks": [], "copies": 1, "reason": None}
    return replace(done, result={**done.result, **moved, "counter": counter})


def counters(read: int, written: int, others: int = 0) -> dict[str, Any]:
    return {
        "own_read_bytes": read,
        "own_write_bytes": written,
        "dev_read_bytes": read + others,
        "dev_write_bytes": written,
        "quiet_ns": 0,
        "quiet_read_bytes": 0,
        "quiet_write_bytes": 0,
        "others_read_bytes": others,
        "others_write_bytes": 0,
        **NOBODY_ELSE,
        "sees_all": True,
        "busiest": None,
    }


def mixed_run(**more: Any) -> RunRecord:
    test = planned(sustained(**MIXED))
    return run_of(test, {test.planned_cells[0].key: [[mixed_attempt(test, **more)]]})

"""Trials of each kind whose rate goes through several lasting levels, from synthetic samples."""

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any

from assay.analysis.throughput import Intervals
from assay.kinds.matrix.matrix import MatrixKind
from assay.kinds.matrix.result import MatrixResult
from assay.kinds.records.result import RecordsResult
from assay.kinds.run_record import AttemptRecord, RunRecord, Site, TrialRecord
from assay.kinds.sustained.presets import PRESETS
from assay.kinds.sustained.result import SustainedResult
from kinds.records import simulated as records
from kinds.sustained import simulated as sustained
from testing.spools import COUNTER

SECOND = 10**9
MB, MIB = 10**6, 2**20
MATRIX = MatrixKind()

Steps = Sequence[tuple[float, float]]
"""Rates in bytes per second, each with the bytes that it moves."""


def of_seconds(*levels: tuple[float, float]) -> Steps:
    """Return steps of these rates, each for so many seconds."""
    return [(rate, rate * seconds) for rate, seconds in levels]


def samples(steps: Steps, *, device: bool = True, cv: float = 0, seed: int = 1) -> Intervals:
    """Return samples of a tenth of a second, which share the bytes where a level ends in one."""
    chance = random.Random(seed)
    edges = [0.0, *accumulate(moved / rate for rate, moved in steps)]
    count = round(10 * edges[-1])
    moved: list[int] = []
    for number in range(count):
        begin, end = number / 10, (number + 1) / 10
        size = sum(
            rate * max(0.0, min(end, until) - max(begin, since))
            for (rate, _), since, until in zip(steps, edges, edges[1:], strict=False)
        )
        moved.append(round(size * (max(0.1, chance.gauss(1, cv)) if cv else 1)))
    ends = [SECOND // 10 * (number + 1) for number in range(count)]
    taken = list(moved) if device else [None] * count
    return Intervals(ends, [SECOND // 10] * count, moved, taken)


def of_matrix(steps: Steps, **noise: Any) -> MatrixResult:
    """Return the result of a direct write matrix with one cell and one trial."""
    course = samples(steps, **noise)
    size, app_ns = sum(course.bytes), course.end_ns[-1]
    result = {
        "counter": COUNTER | {"names": []},
        "dev_app_bytes": size,
        "dev_durable_bytes": size,
        "working_set_bytes": size,
        "mem_limit_bytes": 64 * 10**9,
        "resident_checked": None,
        "resident_pages": None,
        "sync": "complete",
        "verify_errors": 0,
    }
    done = AttemptRecord(
        "complete", None, size, size // MIB, app_ns, app_ns + 10**7, result, {}, None, course
    )
    own = {"block": MIB, "threads": 2, "files": 2, "file_size": size // 2}
    trial = TrialRecord(1, 1, f"{MIB}x2", own, 1, again=False, deciding=[done])
    site = Site(1, "web-1", "/mnt/a", "boot-1", "xfs", None, None)
    parameters = {"operation": "write", "cache": "direct", "open_mode": "rw"}
    return MATRIX.judge(RunRecord(7, parameters, [trial], [site], None))


def of_sustained(steps: Steps, *, cv: float = 0, seed: int = 1) -> SustainedResult:
    """Return the result of a direct unpaced write with one trial, over marks of 10 MB."""
    chance = random.Random(seed)
    block = MB
    test = sustained.planned(
        sustained.sustained(block=[block], length=10**10, mark_bytes=10 * MB, cache="direct")
    )
    service = [
        round(block * SECOND / rate / (max(0.3, chance.gauss(1, cv)) if cv else 1))
        for rate, moved in steps
        for _ in range(round(moved / block))
    ]
    (cell,) = test.planned_cells
    rates = [preset.bytes_per_s for preset in PRESETS]
    done = sustained.attempt(sustained.trial_parameters(cell), service, rates=rates)
    return sustained.KIND.judge(sustained.run_of(test, {cell.key: [[done]]}))


def of_records(
    steps: Steps, *, warm_up_s: int = 0, window_s: int | None = None, **noise: Any
) -> RecordsResult:
    """Return the result of three senders of records of 1 KiB to a file, with one trial."""
    course = samples(steps, **noise)
    length, seconds = 1024, course.end_ns[-1] / SECOND
    window = (seconds - warm_up_s if window_s is None else window_s) * SECOND
    each = sum(course.bytes) // length // 3
    inside = sum(
        size
        for end, size in zip(course.end_ns, course.bytes, strict=True)
        if end > warm_up_s * SECOND
    )
    rows = {place: {"window_records": inside // length // 3} for place in range(3)}
    made = records.trial(
        length,
        (each, each, each),
        rows=rows,
        receiver={"window_ns": round(window)},
        ends={"course": course, "app_ns": course.end_ns[-1]},
    )
    senders = [replace(one, app_ns=course.end_ns[-1]) for one in made.deciding[:-1] if one]
    made = replace(made, deciding=[*senders, made.deciding[-1]])
    given = {"warm_up_ms": warm_up_s * 1000, "window_ms": round(window / 10**6)}
    return records.judged(made, **given)


Result = MatrixResult | SustainedResult | RecordsResult

MADE: dict[str, Callable[..., Result]] = {
    "matrix": of_matrix,
    "sustained": of_sustained,
    "records": of_records,
}
"""A result of each kind that searches levels, by the kind's name."""

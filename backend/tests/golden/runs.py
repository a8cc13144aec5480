"""Runs of each kind whose results and texts are stored, to be compared after each change.

They are made from what probes would report, so that a change of their evaluation shows, too.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from assay.analysis.excess import DeviceReadings
from assay.analysis.histogram import index, of_steps
from assay.analysis.throughput import Intervals
from assay.kinds.matrix.matrix import MatrixKind
from assay.kinds.path.fields import Leg
from assay.kinds.result import BaseResult
from assay.kinds.run_record import (
    AttemptRecord,
    CutShort,
    Gap,
    RunRecord,
    Site,
    TrialRecord,
)
from assay.kinds.sustained.presets import PRESETS
from assay.runs.tools import builtin
from kinds import staircases
from kinds.path import simulated as path
from kinds.records import simulated as records
from kinds.sustained import random_access
from kinds.sustained import simulated as sustained
from kinds.tool import simulated as tool
from testing.spools import contention

SECOND = 10**9
MB, KIB, MIB = 10**6, 2**10, 2**20
MATRIX = MatrixKind()
RATES = [preset.bytes_per_s for preset in PRESETS]
DEFINITIONS = {one.name: one for one in (builtin.RSYNC, builtin.SCP)}


def matrix(
    cells: Mapping[tuple[int, int], Sequence[float]],
    *,
    operation: str = "write",
    cache: str = "direct",
    sites: int = 1,
    others: int = 0,
    device: float = 1.0,
    statuses: Sequence[str] = ("complete",),
    cut_short: CutShort | None = None,
) -> BaseResult:
    """Return a matrix of blocks and threads with the rates of their repeats, in bytes per second.

    `others` are bytes of other I/O in each trial, `device` the part of its bytes that the device
    moved, and `statuses` take turns. A run that was `cut_short` has not begun its last trial.
    """
    trials: list[TrialRecord] = []
    for (block, threads), rates in cells.items():
        for repeat, rate in enumerate(rates, 1):
            number = len(trials)
            status = statuses[number % len(statuses)]
            own = {"block": block, "threads": threads, "files": 1, "file_size": round(8 * rate)}
            ends = [
                _matrix_attempt(rate / (1 + place / 9), block, operation, status, others, device)
                for place in range(sites)
            ]
            key = f"{block}x{threads}"
            trials.append(TrialRecord(number + 1, repeat, key, own, 1, again=False, deciding=ends))
    if cut_short:
        trials[-1] = replace(trials[-1], attempts=0, deciding=[None] * sites)
    places = [
        Site(one, f"web-{one}", "/mnt/a", f"boot-{one}", "xfs", None, None)
        for one in range(1, sites + 1)
    ]
    parameters = {"operation": operation, "cache": cache, "open_mode": "rw"}
    return MATRIX.judge(RunRecord(7, parameters, trials, places, cut_short))


def _matrix_attempt(
    rate: float, block: int, operation: str, status: str, others: int, device: float
) -> AttemptRecord:
    size, writes = round(8 * rate), operation == "write"
    step, count = SECOND // 10, 80
    each = size // count
    course = Intervals(
        [step * (number + 1) for number in range(count)],
        [step] * count,
        [each] * count,
        [round(device * each) + others // count] * count,
    )
    moved = round(device * size)
    result = {
        "dev_app_bytes": moved,
        "dev_durable_bytes": moved if writes else None,
        "working_set_bytes": size,
        "mem_limit_bytes": 64 * 10**9,
        "resident_checked": 100,
        "resident_pages": 0,
        "resident_after_checked": 0,
        "resident_after_pages": 0,
        "first_read_bytes": None if writes else size,
        "sync": "complete" if writes else "none",
        "verify_errors": 0,
        "counter": {"source": "device", "names": ["sda"], "disks": [], "copies": 1, "reason": None},
        "contention": {
            **contention(0 if writes else size, size if writes else 0, others_written=others),
            "dev_read_bytes": 0 if writes else moved,
            "dev_write_bytes": (moved if writes else 0) + others,
        },
    }
    operations = size // block
    service = round(8 * SECOND / max(1, operations))
    steps = [[index(service), operations]]
    return AttemptRecord(
        status,
        "no_space" if status == "failed" else None,
        size,
        operations,
        8 * SECOND,
        8 * SECOND + 10**7 if writes else None,
        result,
        {},
        of_steps(steps, service, 3 * service, service * operations),
        course,
    )


def around(mean: float, *, repeats: int = 3, cv: float = 0.02, seed: int = 1) -> list[float]:
    """Return the rates of some repeats, which vary by chance."""
    chance = random.Random(seed)
    return [mean * chance.gauss(1, cv) for _ in range(repeats)]


def _grid(scale: float = 1.0) -> dict[tuple[int, int], Sequence[float]]:
    """Return four blocks and three numbers of threads; larger blocks and more threads help."""
    peak = 400 * MB * scale
    return {
        (block, threads): around(peak * share * help_, seed=block + threads)
        for block, share in ((4 * KIB, 0.2), (64 * KIB, 0.6), (MIB, 0.97), (4 * MIB, 1.0))
        for threads, help_ in ((1, 0.8), (2, 1.0), (8, 0.9))
    }


def _sustained(
    service: Sequence[int],
    *,
    sites: int = 1,
    changed: Callable[[AttemptRecord], AttemptRecord] = lambda one: one,
    detail: Mapping[str, Any] | None = None,
    **given: Any,
) -> BaseResult:
    test = sustained.planned(
        sustained.sustained(block=[MIB], length=10**10, mark_bytes=10 * MIB, **given)
    )
    (cell,) = test.planned_cells
    own = sustained.trial_parameters(cell)
    done = [
        changed(
            sustained.attempt(
                own,
                [one + place * 10**5 for one in service],
                rates=RATES,
                sync_ns=SECOND,
                detail=detail,
            )
        )
        for place in range(sites)
    ]
    places = [sustained.site(one) for one in range(1, sites + 1)]
    return sustained.KIND.judge(sustained.run_of(test, {cell.key: [done]}, places))


def _service(count: int, mean_ns: int, seed: int = 1) -> list[int]:
    chance = random.Random(seed)
    return [max(10**5, round(chance.gauss(mean_ns, 0.05 * mean_ns))) for _ in range(count)]


def _stood_still(one: AttemptRecord) -> AttemptRecord:
    gap = Gap(4 * SECOND, 6 * SECOND, "suspended", delayed=False)
    return replace(one, gaps=[gap])


def _writes_late(one: AttemptRecord) -> AttemptRecord:
    """Let the device rest for two seconds, and then write all until the sync ends."""
    assert one.durable_ns
    count = one.durable_ns // SECOND
    each = one.bytes // (count - 2)
    none, written = [0] * count, [0, 0, *[each] * (count - 2)]
    ends = [SECOND * (at + 1) for at in range(count)]
    return replace(one, device=DeviceReadings(ends, [SECOND] * count, none, none, written, none))


def _legs(
    *, disk: float = 90, sink: float = 100, seed: int = 3, **given: Any
) -> dict[Leg, list[path.Ends]]:
    """Return three repeats of each leg: the sink's disk is the slowest part."""
    means: dict[Leg, float] = {"read": 300, "memory": 1100, "write": sink, "disk": disk}
    return {
        leg: [path.both(leg, rate, **given) for rate in around(mean * MB, seed=seed)]
        for leg, mean in means.items()
    }


def _pairs(*rates: float) -> path.Ends:
    course = [[rate * MB] * 10 for rate in rates]
    return path.together(
        *(path.both("disk", rate * MB, course=one) for rate, one in zip(rates, course, strict=True))
    )


def _tools() -> BaseResult:
    length = 400 * MB
    trials = [
        (name, tool.attempt("source", length, took), tool.attempt("sink", length, took, sync_s=one))
        for name, took, one in (
            ("rsync-ssh", 4.0, 1.0),
            ("scp", 5.1, 0.5),
            ("rsync-ssh", 4.1, 1.1),
            ("scp", 5.0, 0.6),
        )
    ]
    return tool.run([*DEFINITIONS.values()], trials, length=length)


def _broken_tool() -> BaseResult:
    length = 400 * MB
    arrived = {"intact": 3, "wrong": 1}
    ends = (
        tool.attempt("source", length, 4.0, output="sent 4 files"),
        tool.attempt("sink", length, 4.2, arrived=arrived),
    )
    gone = tool.attempt("source", length, 2.0, status="failed", reason="command", exit_code=23)
    return tool.run([tool.definition("copy")], [("copy", *ends), ("copy", gone, None)])


RUNS: Mapping[str, Callable[[], BaseResult]] = {
    "matrix-write": lambda: matrix(_grid()),
    "matrix-read": lambda: matrix(_grid(2.0), operation="read"),
    "matrix-page-cache": lambda: matrix(_grid(5.0), cache="page", device=0.0),
    "matrix-contended": lambda: matrix({(MIB, 2): around(100 * MB)}, others=500 * MB),
    "matrix-levels": lambda: staircases.of_matrix([(315 * MB, 10**9), (32 * MB, 10**9)]),
    "matrix-two-hosts": lambda: matrix(_grid(), sites=2),
    "matrix-failures": lambda: matrix(
        {(MIB, 1): around(100 * MB), (MIB, 2): around(120 * MB)}, statuses=("complete", "failed")
    ),
    "matrix-cut-short": lambda: matrix({(MIB, 1): around(100 * MB)}, cut_short="cancelled"),
    "matrix-far-below": lambda: matrix({(MIB, 1): [30 * MB, 100 * MB, 101 * MB]}),
    "sustained-write": lambda: _sustained(_service(4000, 5 * 10**6)),
    "sustained-stall": lambda: _sustained(
        [*_service(2000, 5 * 10**6), 3 * SECOND, *_service(2000, 5 * 10**6, 2)]
    ),
    "sustained-levels": lambda: staircases.of_sustained(
        [(315 * MB, 10**9), (105 * MB, 7 * 10**8), (32 * MB, 3 * 10**8)]
    ),
    "sustained-paced": lambda: _sustained(
        _service(2000, 5 * 10**6), pace="rate", rate_bytes_per_s=[100 * MB]
    ),
    "sustained-gap": lambda: _sustained(_service(4000, 5 * 10**6), changed=_stood_still),
    "sustained-page-cache": lambda: _sustained(
        _service(2000, 5 * 10**6), cache="page", changed=_writes_late
    ),
    "sustained-two-hosts": lambda: _sustained(_service(4000, 5 * 10**6), sites=2),
    "sustained-mixed": lambda: sustained.KIND.judge(random_access.mixed_run()),
    "path-sink-disk": lambda: path.judged(_legs()),
    "path-undetermined": lambda: path.judged(_legs(disk=40, others=300 * MB)),
    "path-pairs": lambda: path.judged(
        {"disk": [_pairs(80, 20, 80), _pairs(81, 21, 79)]}, boots=tuple("abcdef")
    ),
    "path-failed": lambda: path.judged({"disk": [path.both("disk", 90 * MB, status="failed")]}),
    "records-disk": lambda: records.judged(
        *(records.trial(1024, repeat=repeat) for repeat in (1, 2, 3)),
        *(records.trial(4096, [6_000_000 + repeat] * 3, repeat=repeat) for repeat in (1, 2, 3)),
    ),
    "records-levels": lambda: staircases.of_records(
        staircases.of_seconds((123 * MB, 4), (30 * MB, 8))
    ),
    "records-lost": lambda: records.judged(
        records.trial(rows={1: {"missing": 5}}), records.trial(repeat=2)
    ),
    "tool-two": _tools,
    "tool-broken": _broken_tool,
}
"""The result of each golden run, by its name: the kind, and what is particular."""

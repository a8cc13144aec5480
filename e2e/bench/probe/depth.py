"""Queue depth and random access: the probe's io_uring engine against fio's.

    depth.py [--quick] [--target DIR] [--output PREFIX]

Both use O_DIRECT and the same block, depth and bytes, and a new file each time: sequential writes
into a fresh one, random reads and writes over one that each tool lays out and syncs first,
visiting each block once. Runs are interleaved in quads A B B A, and fio against fio in the same
quads shows the noise: where it spreads by more than 3 %, a figure is inconclusive. Nothing else
should run. Ends with 1 unless every figure reaches its bar.
"""

import itertools
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import quote

from compare import KIB, MIB, free_bytes, machine, quads, size_text
from intervals import of_median, reaches
from report import Report, parser
from runners import FIO_BUFFERS, build_probe, events_of, require_fio, results_of

BAR = 0.97
NOISE_MOST = 0.03
SIZE_LEAST, SIZE_MOST = 32 * MIB, 1024 * MIB
DEPTHS = [1, 8, 32]
FIO_FLAGS = [
    "--ioengine=io_uring",
    "--direct=1",
    "--fallocate=none",
    "--thread",
    "--norandommap=0",
    *FIO_BUFFERS,
]


@dataclass(frozen=True)
class Load:
    """One run: `size` bytes of one file in blocks, so many of them in flight."""

    access: str
    operation: str
    block: int
    depth: int
    size: int = SIZE_LEAST

    @property
    def name(self) -> str:
        """Return its row in the table."""
        return (
            f"io_uring, {self.access} {self.operation}, {size_text(self.block)}, depth {self.depth}"
        )


@dataclass(frozen=True)
class Effort:
    """How much is measured."""

    quads: int
    seconds: float
    depths: list[int]


FULL, QUICK = Effort(10, 2, DEPTHS), Effort(2, 0.2, [1, 32])
KINDS = [
    ("sequential", "write", 64 * KIB),
    ("random", "read", 4 * KIB),
    ("random", "write", 4 * KIB),
]


def plan_of(load: Load, target: Path) -> str:
    """Return a plan with one trial."""
    working_set = f" access=random file_bytes={load.size}" if load.access == "random" else ""
    return "\n".join(
        [
            "plan v=2 job=sustained run=bench generation=1 watch_ms=600000 sample_ms=1000",
            f"target path={quote(str(target))} reserve_bytes=0",
            f"trial position=0 attempt=1 operation={load.operation} length_bytes={load.size}"
            f" duration_ms=0 block={load.block} streams=1 layout=one{working_set} cache=direct"
            f" pace=none mark_bytes={16 * MIB} engine=io_uring queue_depth={load.depth}"
            " timeout_ms=600000 sync_timeout_ms=600000",
            "end",
            "",
        ]
    )


def probe_rate(binary: Path, load: Load, target: Path) -> float:
    """Return the bytes per second, of writes until the final sync returned."""
    (result,) = results_of(events_of(binary, plan_of(load, target)))
    return result["bytes"] / (result["durable_ns"] or result["app_ns"]) * 1e9


def fio_rate(load: Load, target: Path) -> float:
    """Return the bytes per second, of writes with fio's own final sync."""
    command = [
        "fio",
        "--name=bench",
        f"--directory={target}",
        *FIO_FLAGS,
        f"--rw={'rand' if load.access == 'random' else ''}{load.operation}",
        f"--bs={load.block}",
        f"--iodepth={load.depth}",
        f"--size={load.size}",
        *(["--overwrite=1"] if load.access == "random" else []),
        *(["--end_fsync=1"] if load.operation == "write" else []),
        "--unlink=1",
        "--output-format=json",
    ]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    job = json.loads(done.stdout[done.stdout.index("{") :])["jobs"][0]
    moved = job[load.operation]
    if job["error"] or moved["io_bytes"] != load.size:
        raise SystemExit(f"fio did not complete: {done.stdout}")
    return moved["io_bytes"] / moved["runtime"] * 1e3


def calibrated(rate: Callable[[Load], float], load: Load, seconds: float, most: int) -> Load:
    """Return the load with a size that takes about `seconds`, from the rate of a first run."""
    size = int(rate(load) * seconds) // load.block * load.block
    return replace(load, size=max(SIZE_LEAST, min(size, most)))


def compare(report: Report, binary: Path, target: Path, effort: Effort) -> None:
    """Compare each kind of access at each depth."""
    most = min(SIZE_MOST, free_bytes(target) // 4 // MIB * MIB)
    for (access, operation, block), depth in itertools.product(KINDS, effort.depths):
        load = calibrated(
            lambda some: probe_rate(binary, some, target),
            Load(access, operation, block, depth),
            effort.seconds,
            most,
        )
        ratios, noise = quads(
            lambda load=load: probe_rate(binary, load, target),
            lambda load=load: fio_rate(load, target),
            effort.quads,
        )
        cell, own = of_median(ratios), of_median(noise)
        report.add(
            load.name,
            str(cell),
            f"≥ {BAR}; fio/fio {own}",
            "inconclusive" if own.noise > NOISE_MOST else reaches(cell, BAR),
            ratios=ratios,
            noise=noise,
            size=load.size,
        )


def main() -> int:
    """Measure, print and write; return 1 if a figure misses its bar."""
    options = parser(__doc__).parse_args()
    effort = QUICK if options.quick else FULL
    facts = machine(require_fio(), "malloc", options.target)
    report = Report(facts | {"fio": f"{facts['fio'].split()[0]} {' '.join(FIO_FLAGS)}"})
    binary = build_probe()
    report.begin()
    with tempfile.TemporaryDirectory(prefix=".assay-bench-", dir=options.target) as disk:
        compare(report, binary, Path(disk), effort)
    return report.finish(options.output)


if __name__ == "__main__":
    sys.exit(main())

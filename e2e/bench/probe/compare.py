"""The probe against fio, against itself with dense sampling, and its gaps between trials.

    compare.py [--quick] [--target DIR] [--memory DIR] [--fio-memory KIND] [--output PREFIX]

Each figure is a ratio of runs interleaved in this one execution (quads A B B A: the probe, fio,
fio, the probe), so that drift cancels; fio against fio in the same quads shows the noise. Nothing
else should run. Prints a table; with --output writes PREFIX.json and PREFIX.md too.
Ends with 1 unless every figure reaches its bar: `no` and `inconclusive` are both told apart.
"""

import itertools
import math
import os
import platform
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from instructions import counter, fio_slope, probe_slope
from intervals import (
    Interval,
    certain,
    of_geometric_mean,
    of_median,
    pair_ratio,
    reaches,
    single_ratio,
)
from report import Report, parser
from runners import (
    FIO_FLAGS,
    FIO_MEMORY,
    Load,
    build_probe,
    fio_rate,
    probe_events,
    probe_rate,
    require_fio,
    results_of,
)

KIB, MIB = 1 << 10, 1 << 20
BLOCKS = [4 * KIB, 16 * KIB, 64 * KIB, 256 * KIB, MIB, 4 * MIB, 16 * MIB]
GAP_FILE, GAP_TRIALS = 1_000_000, 20
MEMORY_FILE = 512 * MIB
CELL_BAR = 0.97
"""Share of fio's rate that each cell on the disk has to reach."""


@dataclass(frozen=True)
class Effort:
    """How much is measured."""

    quads: int
    seconds: float
    blocks: list[int]
    threads: list[int]


FULL = Effort(10, 2.3, BLOCKS, [1, 2])
QUICK = Effort(2, 0.3, [4 * KIB, MIB], [1, 2])


def calibrated(rate: Callable[[Load], float], load: Load, seconds: float, most: int) -> Load:
    """Return the load with a size that takes about `seconds`, from the rate of a first run."""
    size = int(rate(load) * seconds)
    return Load(
        load.block, load.threads, min(most, max(load.block * load.threads, size)), load.direct
    )


def overwriting(binary: Path, memory: Path, seconds: float) -> Load:
    """Return a load on tmpfs that takes about `seconds`, over pages that exist already.

    New pages would measure where the machine's memory comes from: on a virtual machine, the host.
    """
    once = Load(4 * KIB, 1, MEMORY_FILE, direct=False, overwrites=1)
    times = math.ceil(probe_rate(binary, once, memory) * seconds / MEMORY_FILE)
    return replace(once, overwrites=times)


def quads(
    first: Callable[[], float], second: Callable[[], float], count: int
) -> tuple[list[float], list[float]]:
    """Return ratios of first to second, and of second to itself, from `count` runs of A B B A."""
    ratios, noise = [], []
    for number in range(count):
        a, b, c, d = first(), second(), second(), first()
        ratios.append(pair_ratio((a, d), (b, c)))
        # every other quad in reverse order, so that drift cancels here too
        noise.append(single_ratio(b, c) if number % 2 else single_ratio(c, b))
    return ratios, noise


def size_text(size: int) -> str:
    return f"{size // MIB} MiB" if size >= MIB else f"{size // KIB} KiB"


def free_bytes(folder: Path) -> int:
    return os.statvfs(folder).f_bavail * os.statvfs(folder).f_frsize


def compare_on_disk(
    report: Report, binary: Path, target: Path, fio_memory: str, effort: Effort
) -> None:
    """O_DIRECT with a final sync, each block size with each number of threads."""
    all_ratios, all_noise, most = [], [], free_bytes(target) // 4
    for block, threads in itertools.product(effort.blocks, effort.threads):
        first = Load(block, threads, max(block * threads * 64, 32 * MIB), direct=True)
        load = calibrated(
            lambda some: probe_rate(binary, some, target), first, effort.seconds, most
        )
        ratios, noise = quads(
            lambda load=load: probe_rate(binary, load, target),
            lambda load=load: fio_rate(load, target, fio_memory),
            effort.quads,
        )
        all_ratios.append(ratios)
        all_noise.append(noise)
        cell, own = of_median(ratios), of_median(noise)
        report.add(
            f"disk, direct, {size_text(block)} × {threads}",
            str(cell),
            f"≥ {CELL_BAR}; fio/fio {own}",
            reaches(cell, CELL_BAR, own),
            ratios=ratios,
            noise=noise,
            size=load.size,
        )
    mean, own = of_geometric_mean(all_ratios), of_geometric_mean(all_noise)
    report.add(
        "disk, geometric mean of the cells",
        str(mean),
        f"≥ 1; fio/fio {own}",
        reaches(mean, 1, own),
        interval=asdict(mean),
    )


def compare_in_memory(report: Report, binary: Path, memory: Path, effort: Effort) -> None:
    """tmpfs with 4 KiB blocks: overhead alone."""
    load = overwriting(binary, memory, effort.seconds)
    ratios, noise = quads(
        lambda: probe_rate(binary, load, memory), lambda: fio_rate(load, memory), effort.quads
    )
    cell, own = of_median(ratios), of_median(noise)
    report.add(
        "tmpfs, 4 KiB: rate, probe / fio",
        str(cell),
        f"≥ 1.1; fio/fio {own}",
        reaches(cell, 1.1, own),
        ratios=ratios,
        noise=noise,
    )
    way, count = counter()
    small = Load(4 * KIB, 1, 32 * MIB, direct=False)
    probe, fio = probe_slope(binary, small, memory, count), fio_slope(small, memory, count)
    report.add(
        f"tmpfs, 4 KiB: user instructions an op ({way})",
        f"{probe:.0f} / {fio:.0f} = {probe / fio:.3f}",
        "≤ 0.5 × fio's",
        certain(probe <= 0.5 * fio),
        probe=probe,
        fio=fio,
    )


def compare_sampling(report: Report, binary: Path, memory: Path, effort: Effort) -> None:
    """Sampling ten times a second against once a minute, with the shortest operations."""
    load = overwriting(binary, memory, effort.seconds)
    ratios, noise = quads(
        lambda: probe_rate(binary, load, memory, 100),
        lambda: probe_rate(binary, load, memory, 60000),
        effort.quads,
    )
    cell, own = of_median(ratios), of_median(noise)
    report.add(
        "tmpfs, 4 KiB: sampling 100 ms / 60 s",
        str(cell),
        f"≥ 0.99; itself {own}",
        reaches(cell, 0.99, own),
        ratios=ratios,
        noise=noise,
    )


def measure_gaps(report: Report, binary: Path, target: Path) -> None:
    """Measure from a trial's end to the next one's first operation, by the events."""
    for direct in (False, True):
        loads = [Load(64 * KIB, 1, GAP_FILE, direct)] * GAP_TRIALS
        results = results_of(probe_events(binary, loads, target))
        gaps = [
            (after["started_ns"] - before["started_ns"] - before["durable_ns"]) / 1e6
            for before, after in itertools.pairwise(results)
        ]
        cell = Interval(sorted(gaps)[len(gaps) // 2], min(gaps), max(gaps))
        report.add(
            f"gap between trials, 1 MB, {'direct' if direct else 'page'}, ms",
            f"{cell.median:.2f} ({cell.low:.2f}…{cell.high:.2f})",
            "each < 20",
            certain(cell.high < 20),
            gaps=gaps,
        )


def machine(fio: str, fio_memory: str, target: Path) -> dict:
    """Return the environment of the figures."""
    return {
        "kernel": platform.release(),
        "architecture": platform.machine(),
        "CPUs": os.cpu_count(),
        "fio": f"{fio} {' '.join(FIO_FLAGS)} --iomem={fio_memory} --end_fsync=1",
        "target": str(target),
    }


def main() -> int:
    """Measure, print and write; return 1 if a figure misses its bar."""
    known = parser(__doc__)
    known.add_argument(
        "--fio-memory",
        choices=FIO_MEMORY,
        default="malloc",
        help="fio's buffers on the disk: as users have them, or on huge pages as the probe's are",
    )
    options = known.parse_args()
    effort = QUICK if options.quick else FULL
    report = Report(machine(require_fio(), options.fio_memory, options.target))
    binary = build_probe()
    report.begin()
    with (
        tempfile.TemporaryDirectory(prefix=".assay-bench-", dir=options.target) as disk,
        tempfile.TemporaryDirectory(prefix="assay-bench-", dir=options.memory) as memory,
    ):
        compare_in_memory(report, binary, Path(memory), effort)
        compare_sampling(report, binary, Path(memory), effort)
        measure_gaps(report, binary, Path(disk))
        compare_on_disk(report, binary, Path(disk), options.fio_memory, effort)
    return report.finish(options.output)


if __name__ == "__main__":
    sys.exit(main())

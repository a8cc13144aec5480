"""User instructions for each operation: the slope between two sizes, so that start-up,
pools and reports cancel. Counted by `perf stat` where the machine has the counter, else by
callgrind, which counts every instruction in user space whatever the machine."""

import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from runners import Load, fio_command, plan_of

Count = Callable[[list[str]], int]

# The probe detaches: its follower keeps the command alive until the run has ended.
DETACHED = " && ".join(
    [
        '"$0" start "$1" < "$2"',
        '"$0" follow "$1" --from 0 --generation 1',
        '"$0" stop "$1" --generation 1',
    ]
)


def perf_count(command: list[str]) -> int:
    """Count instructions of a command and its children by perf; 0 without a counter."""
    counting = ["perf", "stat", "-x", ",", "-e", "instructions:u", *command]
    counted = subprocess.run(counting, capture_output=True, text=True, check=True)
    figure = counted.stderr.strip().splitlines()[-1].split(",")[0]
    return int(figure) if figure.isdigit() else 0


def callgrind_count(command: list[str]) -> int:
    """Count instructions of a command and its children by callgrind."""
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as folder:
        tracing = ["valgrind", "--tool=callgrind", "--trace-children=yes"]
        tracing += [f"--callgrind-out-file={folder}/out.%p"]
        subprocess.run([*tracing, *command], capture_output=True, check=True)
        texts = [path.read_text() for path in Path(folder).iterdir()]
    return sum(int(total) for text in texts for total in re.findall(r"^totals: (\d+)", text, re.M))


def counter() -> tuple[str, Count]:
    """Return the best available way to count, and its name."""
    if shutil.which("perf") and perf_count(["true"]) > 0:
        return "perf stat", perf_count
    if shutil.which("valgrind"):
        return "callgrind", callgrind_count
    raise SystemExit(
        "counting instructions needs perf's counters or valgrind (apt-get install valgrind)"
    )


def slope(count: Callable[[Load], int], load: Load) -> float:
    """Return the additional instructions per operation when the size doubles."""
    double = replace(load, size=2 * load.size)
    operations = (double.file_size - load.file_size) // load.block * load.threads
    return (count(double) - count(load)) / operations


def probe_slope(binary: Path, load: Load, target: Path, count: Count) -> float:
    """Return the probe's instructions per operation, including stamps, clock and histogram."""

    def counted(some: Load) -> int:
        with tempfile.TemporaryDirectory(prefix="assay-bench-") as home:
            plan = Path(home) / "plan"
            plan.write_text(plan_of([some], target, 60000))
            return count(["sh", "-c", DETACHED, str(binary), f"{home}/run", str(plan)])

    return slope(counted, load)


def fio_slope(load: Load, target: Path, count: Count) -> float:
    """Return fio's instructions per operation for the same load with the same flags."""
    return slope(lambda some: count([*fio_command(some, target), "--output=/dev/null"]), load)

"""Records of three senders to one receiver over loopback: how many per second, and what each costs.

    records.py [--quick] [--target DIR] [--output PREFIX]

Every record is read, counted and checked at the receiver. Rounds of one run each are interleaved,
every second one in the other order. The rate is the receiver's in its window, after a warm-up; into
a file it is that of the page cache, which is what a sink absorbs before its disk must. The cost is
CPU time of all four ends together. Nothing else should run. Ends with 1 unless every figure reaches
its bar.
"""

import os
import platform
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "e2e/bench/probe"), str(ROOT / "worker/probe/tests")]

from intervals import certain, of_median, reaches  # noqa: E402
from probe_driver import Probe  # noqa: E402
from records_driver import RecordEnds  # noqa: E402
from report import Report, parser  # noqa: E402
from runners import build_probe  # noqa: E402

SENDERS = 3


@dataclass(frozen=True)
class RecordsCase:
    """Records of one length into one sink, and the least that is to be reached, if anything is."""

    length: int
    sink: str
    bar: float | None
    bytes_per_s: bool = False
    """Whether the bar is in bytes per second, else in records per second."""

    def __str__(self) -> str:
        return f"{self.length} B to {'a file' if self.sink == 'disk' else 'memory'}"


CASES = (
    RecordsCase(10, "memory", 10e6),
    RecordsCase(10, "disk", 10e6),
    RecordsCase(1024, "memory", None, bytes_per_s=True),
    RecordsCase(4096, "memory", 1e9, bytes_per_s=True),
)


@dataclass(frozen=True)
class StreamedRecords:
    """One run: records per second of the receiver's window, and CPU time per record of all ends."""

    records_per_s: float
    cpu_ns: float


def stream(binary: Path, case: RecordsCase, folder: Path, window_ms: int) -> StreamedRecords:
    """Run three senders and their receiver, which must have every record intact."""
    trial = {"record_bytes": case.length, "records": 0, "sink": case.sink, "recount_ms": 0}
    trial |= {"batch_records": 10_000, "ramp_ms": 200, "window_ms": window_ms}
    with tempfile.TemporaryDirectory(prefix="assay-bench-", dir=folder) as home:
        probes = [Probe(binary, Path(home) / str(i), Path(home)) for i in range(SENDERS + 1)]
        for one in probes:
            one.home.mkdir()
        sent, received = RecordEnds(probes[:-1], probes[-1]).run(trial, sample_ms=1000)
    results = [*sent, received]
    detail = received["detail"]
    assert all(result["status"] == "complete" for result in results), results
    assert sum(row["intact"] for row in detail["senders"]) == sum(one["ops"] for one in sent)
    cpu = sum(result["detail"]["cpu_ns"] for result in results) / received["ops"]
    return StreamedRecords(detail["window_records"] / detail["window_ns"] * 1e9, cpu)


def add(report: Report, case: RecordsCase, runs: list[StreamedRecords]) -> None:
    """Add the figures of a case: its rate in the unit of its bar, and its cost."""
    unit = case.length if case.bytes_per_s else 1
    rates = [run.records_per_s * unit for run in runs]
    label, scale = ("GB/s", 1e9) if case.bytes_per_s else ("million records/s", 1e6)
    found = of_median([rate / scale for rate in rates])
    costs = of_median([run.cpu_ns for run in runs])
    facts = {"per_s": [round(rate) for rate in rates], "cpu_ns": [run.cpu_ns for run in runs]}
    if case.bar is None:
        report.add(f"{case}: {label}", str(found), "stated", certain(holds=True), **facts)
    else:
        bar = case.bar / scale
        report.add(f"{case}: {label}", str(found), f">= {bar:g}", reaches(found, bar), **facts)
    report.add(f"{case}: CPU time per record, ns", str(costs), "stated", certain(holds=True))


def main() -> None:
    """Build the probe, measure in interleaved rounds, and print a table."""
    options = parser(__doc__).parse_args()
    rounds, window_ms = (2, 500) if options.quick else (10, 2000)
    binary = build_probe()
    machine = {"cpus": os.cpu_count(), "kernel": platform.release(), "senders": SENDERS}
    report = Report(machine | {"batch_records": 10_000, "rounds": rounds})
    runs: dict[RecordsCase, list[StreamedRecords]] = {case: [] for case in CASES}
    for turn in range(rounds):
        for case in CASES[:: 1 if turn % 2 == 0 else -1]:
            runs[case].append(stream(binary, case, options.target, window_ms))
    report.begin()
    for case, found in runs.items():
        add(report, case, found)
    sys.exit(report.finish(options.output))


if __name__ == "__main__":
    main()

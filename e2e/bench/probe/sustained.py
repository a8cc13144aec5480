"""Sustained writes: how well a pace is held, and the memory of the probe over a terabyte.

    sustained.py [--quick] [--target DIR] [--memory DIR] [--output PREFIX]

Rates are shares of what this disk gives now, which a first run at full speed measures. Nothing else
should run. Prints a table; with --output writes PREFIX.json and PREFIX.md too. Ends with 1 unless
every figure reaches its bar.
"""

import os
import platform
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from intervals import certain
from report import Report, parser
from runners import build_probe, events_of, results_of

MB = 10**6
BLOCK = 1 << 20
SHARES = (0.01, 0.1, 0.5, 0.9)
GAP_NS, BURST = 50 * MB, 12
FREE_SHARE = 4
"""Files take at most this part of the free space."""


@dataclass(frozen=True)
class Effort:
    """How long a rate is held, how many bursts are written, and how much data goes to memory."""

    seconds: int
    cycles: int
    ring_bytes: int


FULL = Effort(60, 100, 10**12)
QUICK = Effort(3, 5, 10**10)


def plan_of(target: Path, **trial: object) -> str:
    """Return a plan of one sustained trial on this directory, direct unless it says otherwise."""
    values: dict[str, object] = {
        "position": 0,
        "attempt": 1,
        "operation": "write",
        "length_bytes": 0,
        "duration_ms": 0,
        "block": BLOCK,
        "streams": 1,
        "layout": "one",
        "cache": "direct",
        "pace": "none",
        "mark_bytes": 100 * BLOCK,
        "timeout_ms": 3_600_000,
        "sync_timeout_ms": 600_000,
        **trial,
    }
    fields = " ".join(f"{name}={value}" for name, value in values.items())
    head = "plan v=2 job=sustained run=bench generation=1 watch_ms=3600000 sample_ms=1000"
    where = f"target path={quote(str(target))} reserve_bytes=0"
    return "\n".join([head, where, f"trial {fields}", "end", ""])


def measure_rates(report: Report, binary: Path, target: Path, effort: Effort) -> None:
    """Hold shares of the disk's rate: bytes against the schedule, and the backlog at the end."""
    free = os.statvfs(target).f_bavail * os.statvfs(target).f_frsize
    files = {"layout": "ring", "files": 2, "file_bytes": free // FREE_SHARE // 2 // BLOCK * BLOCK}
    at_once = plan_of(target, duration_ms=effort.seconds * 1000 // 6, **files)
    (unpaced,) = results_of(events_of(binary, at_once))
    fastest = unpaced["bytes"] / unpaced["app_ns"] * 1e9
    for share in SHARES:
        rate = int(fastest * share)
        pace = {"pace": "rate", "rate_bytes_per_s": rate, "duration_ms": effort.seconds * 1000}
        (result,) = results_of(events_of(binary, plan_of(target, **pace, **files)))
        due = rate * effort.seconds
        off, allowed = abs(result["bytes"] - due), max(due // 1000, BLOCK)
        backlog = result["detail"]["backlog_end_bytes"]
        report.add(
            f"rate of {share:.0%} ({rate / MB:.1f} MB/s) for {effort.seconds} s",
            f"off by {off / due:.4%}, backlog {backlog} B",
            f"≤ {allowed / due:.4%}, backlog 0",
            certain(off <= allowed and backlog == 0),
            fastest=fastest,
            result=result,
        )


def measure_bursts(report: Report, binary: Path, target: Path, effort: Effort) -> None:
    """Each cycle is the burst's own time and the gap, as Owl's timer was meant to be."""
    pace = {"pace": "burst", "burst_blocks": BURST, "gap_ns": GAP_NS}
    length = (effort.cycles + 1) * BURST * BLOCK
    (result,) = results_of(events_of(binary, plan_of(target, length_bytes=length, **pace)))
    asleep = result["detail"]["asleep_ns"]
    over = (asleep - effort.cycles * GAP_NS) / effort.cycles / MB
    # what a cycle takes beyond the gap and its writes: the sleep's overrun, and the probe's own
    extra = (result["app_ns"] - result["lat_sum_ns"] - effort.cycles * GAP_NS) / effort.cycles / MB
    report.add(
        f"burst of {BURST} MiB and gap of {GAP_NS // MB} ms, {effort.cycles} cycles",
        f"+{extra:.3f} ms a cycle",
        "≤ 1 ms",
        certain(over >= 0 and extra <= 1),
        result=result,
    )


def resident_bytes(pid: int) -> int | None:
    """Return the resident memory of a process without files and tmpfs; None once it has ended."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except FileNotFoundError:
        return None
    found = [int(line.split()[1]) * 1024 for line in lines if line.startswith("RssAnon:")]
    return found[0] if found else None


def measure_memory(report: Report, binary: Path, memory: Path, effort: Effort) -> None:
    """Write a ring on tmpfs over and over: the probe's memory at a tenth and at the end."""
    seen: list[int] = []

    def watch(pid: int) -> None:
        while (resident := resident_bytes(pid)) is not None:
            seen.append(resident)
            time.sleep(0.2)

    files = {"layout": "ring", "files": 2, "file_bytes": 256 * BLOCK, "cache": "page"}
    plan = plan_of(memory, length_bytes=effort.ring_bytes, **files)
    (result,) = results_of(events_of(binary, plan, watch))
    early, late = (max(seen[len(seen) // 10 : len(seen) // 5]), max(seen[-len(seen) // 10 :]))
    report.add(
        f"memory over {effort.ring_bytes / 1e12:g} TB on tmpfs",
        f"{early / MB:.1f} → {late / MB:.1f} MB",
        "grows by ≤ 5 %",
        certain(late <= early * 1.05),
        rate=result["bytes"] / result["app_ns"] * 1e9,
        seen=seen[:: max(1, len(seen) // 200)],
    )


def main() -> int:
    """Measure, print and write; return 1 if a figure misses its bar."""
    options = parser(__doc__).parse_args()
    effort = QUICK if options.quick else FULL
    report = Report({"kernel": platform.release(), "CPUs": os.cpu_count()})
    binary = build_probe()
    report.begin()
    with (
        tempfile.TemporaryDirectory(prefix=".assay-bench-", dir=options.target) as disk,
        tempfile.TemporaryDirectory(prefix="assay-bench-", dir=options.memory) as memory,
    ):
        measure_rates(report, binary, Path(disk), effort)
        measure_bursts(report, binary, Path(disk), effort)
        measure_memory(report, binary, Path(memory), effort)
    return report.finish(options.output)


if __name__ == "__main__":
    sys.exit(main())

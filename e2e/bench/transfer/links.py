"""Transfers between hosts of the lab, whose disks and lines have known rates (as root).

    links.py [--quick] [--rounds N] [--output PREFIX]

Disk to disk over a line of 2 Gb/s: the rate of the transfer ÷ that of its slowest part, which is
the slower disk by itself in the same round, or the payload of the line. Memory to memory over a
round trip of 100 ms at 500 Mb/s, with a queue of one bandwidth-delay product: the rate ÷ the line,
headers included. Rounds are interleaved, figures are medians. Nothing else should run. Ends with 1
unless every figure reaches its bar.
"""

import os
import platform
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / folder) for folder in ("e2e", "e2e/bench/probe", "worker/probe/tests")]

from intervals import reaches  # noqa: E402
from lab import GIB, MIB, Host, Lab, Way  # noqa: E402
from probe_driver import Probe  # noqa: E402
from report import Report, parser  # noqa: E402
from rounds import interleaved, ratio  # noqa: E402
from runners import build_probe  # noqa: E402
from transfer_driver import Ends  # noqa: E402

SLOW_DISK, FAST_DISK = 150 * MIB, 300 * MIB
LINE = 2 * 10**9 // 8
FRAME_PAYLOAD = 1448 / 1514
"""Of a full frame, without preamble and gap, which the lab's link does not have."""

WIDE_LINE, RTT_S = 500 * 10**6 // 8, 0.1
STREAMS = 4
LONGEST_S = 600
"""More than any trial takes."""


@dataclass(frozen=True)
class Effort:
    """How long to measure: bytes of a transfer between disks, seconds over the wide area."""

    rounds: int
    length: int
    ramp_ms: int
    duration_ms: int
    wide_rounds: int


FULL = Effort(10, 1536 * MIB, 15_000, 75_000, 10)
QUICK = Effort(2, 256 * MIB, 3_000, 6_000, 1)


class Measurement:
    """A sender and a receiver on two hosts."""

    def __init__(self, binary: Path, hosts: tuple[Host, Host], address: str) -> None:
        self.binary, self.hosts, self.address = binary, hosts, address

    def rate(self, **trial: object) -> float:
        """Return the bytes per second of a trial, up to the final sync if it writes a disk."""
        with tempfile.TemporaryDirectory(prefix="assay-bench-") as folder:
            probes: list[Probe] = []
            for host in self.hosts:
                home = Path(folder) / host.name
                home.mkdir()
                disk = next(iter(host.disks.values()), None)
                probe = Probe(self.binary, home, host.target(disk) if disk else Path("/mnt"))
                probe.prefix = ("nsenter", "-t", str(host.process), "-m", "-n", "-u", "-p", "--")
                probe.patience_s = LONGEST_S
                probes.append(probe)
            ends = OverLink(*probes)
            ends.address = self.address
            targets = "disk" in (trial.get("source"), trial.get("sink"))
            sent, received = ends.run(
                {"block": MIB, "streams": STREAMS, "integrity": "none"}
                | {"timeout_ms": LONGEST_S * 1000}
                | trial,
                targets=targets,
                sample_ms=1000,
                watch_ms=LONGEST_S * 1000,
            )
        assert sent["status"] == received["status"] == "complete", (sent, received)
        scored = sent if trial.get("leg") == "read" else received
        detail = scored["detail"]
        ended = scored["durable_ns"] or scored["app_ns"]
        return (scored["bytes"] - detail["ramp_bytes"]) / (ended - detail["ramp_ns"]) * 1e9


class OverLink(Ends):
    """Ends of which the connecting one is told the address of a link."""

    address = ""

    def connect(self, probe: Probe, trial: int, port: int, address: str = "") -> None:
        super().connect(probe, trial, port, address or self.address)


def between_disks(report: Report, binary: Path, disk_rate: int, effort: Effort) -> None:
    """Compare a transfer between two disks of a known rate with its parts, and with its CRC32C."""
    with Lab() as lab:
        rates = {"read": disk_rate, "write": disk_rate}
        made = [lab.disk(name, 2 * GIB, in_memory=True, **rates) for name in ("a", "b")]
        one, other = (lab.host(name, disk) for name, disk in zip("xy", made, strict=True))
        link = lab.link(one, other, rate=LINE)
        both = Measurement(binary, (one, other), link.far.address)
        disks = {
            "length_bytes": effort.length,
            "source": "disk",
            "sink": "disk",
            "source_cache": "direct",
            "sink_cache": "direct",
            "disk_threads": 2,
        }
        ways: dict[str, Callable[[], float]] = {
            "read": lambda: both.rate(**disks | {"leg": "read"}),
            "write": lambda: both.rate(**disks | {"leg": "write"}),
            "transfer": lambda: both.rate(**disks),
            "checked": lambda: both.rate(**disks, integrity="crc32c"),
        }
        found = interleaved(ways, effort.rounds)
    parts = zip(found["read"], found["write"], strict=True)
    least = [min(read, write, LINE * FRAME_PAYLOAD) for read, write in parts]
    name = f"disks of {disk_rate // MIB} MiB/s, line of 2 Gb/s"
    facts = {key: [round(rate) for rate in rates] for key, rates in found.items()}
    reached = ratio(found["transfer"], least)
    verdict = reaches(reached, 0.97)
    report.add(f"{name}: rate / slowest part", str(reached), ">= 0.97", verdict, **facts)
    cost = ratio(found["checked"], found["transfer"])
    report.add(f"{name}: with CRC32C / without", str(cost), ">= 0.9", reaches(cost, 0.9))


def over_distance(report: Report, binary: Path, effort: Effort) -> None:
    """Measure memory to memory over a wide area network, with two congestion controls."""
    with Lab() as lab:
        one, other = lab.host("x"), lab.host("y")
        wan = lab.wan(one, other, RTT_S, Way(rate=WIDE_LINE))
        both = Measurement(binary, (one, other), wan.far.address)

        def measured(congestion: str) -> Callable[[], float]:
            return lambda: both.rate(
                length_bytes=0,
                duration_ms=effort.duration_ms,
                ramp_ms=effort.ramp_ms,
                congestion=congestion,
            )

        controls = ("cubic", "bbr")
        found = interleaved({name: measured(name) for name in controls}, effort.wide_rounds)
    for name in controls:
        share = ratio(found[name], [float(WIDE_LINE)] * effort.wide_rounds)
        text = f"100 ms, 500 Mb/s, {STREAMS} streams, {name}: rate / line"
        rates = [round(rate) for rate in found[name]]
        report.add(text, str(share), ">= 0.9", reaches(share, 0.9), bytes_per_s=rates)


def main() -> None:
    """Measure everything, and print a table."""
    options = parser(__doc__)
    options.add_argument("--rounds", type=int, help="of the disks, and at most of the distance")
    given = options.parse_args()
    effort = QUICK if given.quick else FULL
    if given.rounds:
        wide = min(given.rounds, effort.wide_rounds)
        effort = Effort(given.rounds, effort.length, effort.ramp_ms, effort.duration_ms, wide)
    binary = build_probe()
    machine = {"cpus": os.cpu_count(), "kernel": platform.release(), "rounds": effort.rounds}
    report = Report(machine | {"rounds over distance": effort.wide_rounds})
    report.begin()
    for rate in (SLOW_DISK, FAST_DISK):
        between_disks(report, binary, rate, effort)
    over_distance(report, binary, effort)
    sys.exit(report.finish(given.output))


if __name__ == "__main__":
    main()

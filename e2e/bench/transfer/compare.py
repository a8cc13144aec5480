"""Transfers from memory to memory against a bare loop and iperf3, over loopback and a veth pair.

    compare.py [--quick] [--output PREFIX]      (as root)

Rounds of one run each are interleaved in this one execution, so that drift cancels: the bare loop
(`bare.c`: threads that only send and receive, with the same blocks and buffers), the probe, iperf3.
Figures are medians of ratios within a round. Congestion control is the host's for all of them.
Nothing else should run. Ends with 1 unless every figure reaches its bar.
"""

import json
import os
import platform
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "e2e/bench/probe"), str(ROOT / "worker/probe/tests"), str(ROOT / "e2e")]

from intervals import Interval, of_median, reaches, stays_under  # noqa: E402
from lab.links import End, Link  # noqa: E402
from probe_driver import Probe  # noqa: E402
from report import Report, parser  # noqa: E402
from runners import build_probe  # noqa: E402
from transfer_driver import Ends  # noqa: E402

BLOCK, BUFFERS = 256 << 10, 1
STREAMS = (1, 2, 8)
BARS = {1: (0.95, None), 2: (0.9, 1.2), 8: (0.9, 1.2)}
"""By the number of streams: the least ratio to the bare loop, and to iperf3."""


@dataclass(frozen=True)
class Measured:
    """One run: bytes per second at the receiver, and CPU seconds per GB of both ends."""

    rate: float
    cpu_per_gb: float


@dataclass(frozen=True)
class Network:
    """Between both ends: the receiver's address, and the process in whose network the sender is."""

    name: str
    address: str
    sender: str | None = None

    @property
    def prefix(self) -> tuple[str, ...]:
        """The command that starts a sender."""
        return ("nsenter", "-t", self.sender, "-n", "--") if self.sender else ()


LOOPBACK = Network("loopback", "127.0.0.1")


@contextmanager
def veth() -> Generator[Network]:
    """Connect this network with one of its own, which ends with the block."""
    other = subprocess.Popen(["unshare", "--net", "sleep", "infinity"])
    try:
        here, there = Path("/proc/self/ns/net"), Path(f"/proc/{other.pid}/ns/net")
        while here.readlink() == there.readlink():  # until it is in its own
            time.sleep(0.01)
        Link(
            End("assay-bench0", "10.213.0.1"),
            End("assay-bench1", "10.213.0.2", other.pid),
        )
        yield Network("veth", "10.213.0.1", str(other.pid))
    finally:
        other.kill()  # the interfaces end with their namespace
        other.wait()


def bare(binary: Path, network: Network, streams: int, seconds: float) -> Measured:
    """Run the bare loop."""
    words = [str(binary), str(streams), str(BLOCK), str(BUFFERS), str(seconds), network.address]
    words += [network.sender] if network.sender else []
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    received, took, *cpu = map(float, done.stdout.split())
    return Measured(received / took, sum(cpu) / (received / 1e9))


def iperf3(network: Network, streams: int, seconds: float) -> Measured:
    """Run iperf3's server and client."""
    with socket.create_server((network.address, 0)) as free:
        port = str(free.getsockname()[1])
    command = ["iperf3", "-s", "-1", "-B", network.address, "-p", port, "--forceflush"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, bufsize=1)
    assert server.stdout
    for line in server.stdout:
        if "listening" in line:
            break
    words = [*network.prefix, "iperf3", "-c", network.address, "-p", port, "-J", "-l", str(BLOCK)]
    words += ["-P", str(streams), "-t", str(max(1, round(seconds)))]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    server.communicate()
    end = json.loads(done.stdout)["end"]
    received, used = end["sum_received"], end["cpu_utilization_percent"]
    cpu = (used["host_total"] + used["remote_total"]) / 100 * received["seconds"]
    return Measured(received["bits_per_second"] / 8, cpu / (received["bytes"] / 1e9))


def probe(binary: Path, network: Network, streams: int, seconds: float) -> Measured:
    """Run a sender and a receiver."""
    trial = {"streams": streams, "block": BLOCK, "length_bytes": 0, "integrity": "none"}
    trial |= {"duration_ms": int(seconds * 1000), "ring_bytes": BUFFERS * BLOCK * streams}
    trial |= {"own": {"receiver": {"bind": network.address}}}
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as home:
        ends = Ends(*(Probe(binary, Path(home) / role, Path(home)) for role in ("s", "r")))
        ends.address, ends.sender.prefix = network.address, network.prefix
        for one in ends:
            one.home.mkdir()
        sent, received = ends.run(trial, targets=False, sample_ms=1000)
    assert sent["status"] == received["status"] == "complete", (sent, received)
    cpu = sent["detail"]["cpu_ns"] + received["detail"]["cpu_ns"]
    return Measured(received["bytes"] / received["app_ns"] * 1e9, cpu / received["bytes"])


def ratios(one: list[Measured], other: list[Measured], of: Callable[[Measured], float]) -> Interval:
    """Return the median of the rounds' ratios."""
    return of_median([of(a) / of(b) for a, b in zip(one, other, strict=True)])


def rate(run: Measured) -> float:
    return run.rate


def cpu(run: Measured) -> float:
    return run.cpu_per_gb


def shown(runs: list[Measured]) -> dict[str, list[float]]:
    """Return the values of runs, for the report."""
    return {
        "bytes_per_s": [round(run.rate) for run in runs],
        "cpu_s_per_gb": [round(run.cpu_per_gb, 4) for run in runs],
    }


Tool = Callable[[Network, int], Measured]


def compare(report: Report, tools: dict[str, Tool], network: Network, rounds: int) -> None:
    """Measure each number of streams in interleaved rounds, and judge the ratios."""
    for streams in STREAMS:
        runs: dict[str, list[Measured]] = {name: [] for name in tools}
        for turn in range(rounds):
            for name in sorted(tools, reverse=turn % 2 == 1):
                runs[name].append(tools[name](network, streams))
        facts = {name: shown(found) for name, found in runs.items()}
        least_bare, least_iperf = BARS[streams]
        text = f"{network.name}, {streams} stream{'s' * (streams > 1)}"
        found = ratios(runs["probe"], runs["bare"], rate)
        report.add(
            f"{text}: rate / bare loop",
            str(found),
            f">= {least_bare}",
            reaches(found, least_bare),
            **facts,
        )
        found = ratios(runs["probe"], runs["iperf3"], rate)
        if least_iperf:
            report.add(
                f"{text}: rate / iperf3",
                str(found),
                f">= {least_iperf}",
                reaches(found, least_iperf),
            )
        found = ratios(runs["probe"], runs["iperf3"], cpu)
        report.add(f"{text}: CPU per GB / iperf3", str(found), "< 1", stays_under(found, 1))


def main() -> None:
    """Build the bare loop and the probe, measure, and print a table."""
    given = parser(__doc__)
    given.add_argument("--rounds", type=int, help="how often each tool is measured")
    options = given.parse_args()
    if not shutil.which("iperf3"):
        raise SystemExit("iperf3 is missing: install it (apt-get install iperf3)")
    rounds, seconds = (2, 0.5) if options.quick else (10, 1.0)
    rounds = options.rounds or rounds
    assay = build_probe()
    congestion = Path("/proc/sys/net/ipv4/tcp_congestion_control").read_text().strip()
    machine = {"cpus": os.cpu_count(), "kernel": platform.release(), "congestion": congestion}
    report = Report(machine | {"block": BLOCK, "buffers": BUFFERS, "rounds": rounds})
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as folder:
        loop = Path(folder) / "bare"
        source = Path(__file__).with_name("bare.c")
        words = ["gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-pthread", source, "-o", loop]
        subprocess.run(words, check=True)
        report.begin()
        tools: dict[str, Tool] = {
            "bare": lambda network, streams: bare(loop, network, streams, seconds),
            "iperf3": lambda network, streams: iperf3(network, streams, seconds),
            "probe": lambda network, streams: probe(assay, network, streams, seconds),
        }
        compare(report, tools, LOOPBACK, rounds)
        with veth() as pair:
            compare(report, tools, pair, rounds)
    if options.output:
        options.output.with_suffix(".json").write_text(json.dumps(report.figures, indent=1))
        options.output.with_suffix(".md").write_text(report.markdown())
    sys.exit(any(figure["verdict"] != "yes" for figure in report.figures))


if __name__ == "__main__":
    main()

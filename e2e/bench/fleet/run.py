"""A fleet of simulated hosts driven by real processes: `make bench-fleet N=500`.

A private queue and database, the real scheduler, one or two real workers, and N hosts in this
process that write a sample a second. Once all run, CPU, memory and latency are measured for some
minutes; then the hosts finish, and every byte is compared.
"""

import argparse
import asyncio
import os
import platform
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from multiprocessing import get_context
from pathlib import Path

BENCH = Path(__file__).resolve().parents[1]
ROOT = BENCH.parents[1]
sys.path[:0] = [str(BENCH), str(BENCH.parent)]

import machine  # noqa: E402
from all import MEASUREMENTS, write  # noqa: E402
from assay.runs import lifecycle  # noqa: E402
from assay.supervisor.child import end_with  # noqa: E402
from assay.tables.database import reading  # noqa: E402
from assay.tables.runs import Run  # noqa: E402
from figures import Figure, text  # noqa: E402
from fleet import meters, recording, report, rounds, seed, truth  # noqa: E402
from fleet.host import Host  # noqa: E402
from fleet.links import Link, Links, link_of  # noqa: E402
from fleet.observer import Observer  # noqa: E402
from fleet.replay import SOCKET  # noqa: E402
from fleet.report import HOSTS, OBSERVED  # noqa: E402
from fleet.setup import Setup, installed  # noqa: E402
from sqlalchemy import func, select  # noqa: E402

PROBE = ROOT / "worker/probe/build" / platform.machine() / "assay-probe"
TRIAL_S = 60
SETTLE_S = 10.0
LOOK_S = 5.0
READY_WITHIN_S, OVER_WITHIN_S = 180.0, 180.0


WHOLE = (
    Setup(500, "postgresql", 1, 12),
    Setup(100, "sqlite", 1, 4),
    Setup(500, "postgresql", 2, 4),
    Setup(50, "postgresql", 1, 2.5),
    Setup(100, "postgresql", 1, 2.5),
    Setup(200, "postgresql", 1, 2.5),
)
"""All measurements of docs/scale.md, the longest one first."""


@dataclass
class Measured:
    """The results of one measurement."""

    setup: Setup
    seconds: float = 0.0
    latencies: list[tuple[float, bool]] = field(default_factory=list)
    """Seconds from writing to commit, and whether the host's link is good."""
    samples: int = 0
    cpu_s: dict[str, float] = field(default_factory=dict)
    """CPU seconds of each kind of process in the measured time."""
    memory: list[tuple[float, float]] = field(default_factory=list)
    """(seconds, resident bytes) of the workers together."""
    shares: dict[str, int] = field(default_factory=dict)
    """How many runs each worker drove at each poll."""
    driven_twice: int = 0
    broken: int = 0
    differences: list[str] = field(default_factory=list)


class Stack:
    """The processes of one measurement."""

    def __init__(self, setup: Setup, home: Path, socket: Path) -> None:
        """Start them; their output is written to files in `home`."""
        self._home = home
        self.environment = os.environ | {
            "PYTHONPATH": os.pathsep.join([str(BENCH), os.environ.get("PYTHONPATH", "")]),
            "ASSAY_WORKER_CAPACITY": str(setup.capacity or setup.hosts + 16),
            SOCKET: str(socket),
        }
        worker = ["celery", "-A", "fleet.application", "worker", "-P", "threads", "-l", "INFO"]
        quiet = ["--without-gossip", "--without-mingle"]
        self.workers = [
            self._start(f"worker-{number}", *worker, *quiet, "-n", f"fleet-{number}@%h")
            for number in range(setup.workers)
        ]
        self.scheduler = self._start("scheduler", "assay_worker.scheduler")

    def _start(self, name: str, module: str, *arguments: str) -> subprocess.Popen[bytes]:
        with (self._home / f"{name}.log").open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-m", module, *arguments],
                env=self.environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
                preexec_fn=end_with(os.getpid()),  # noqa: PLW1509 (one call of prctl)
            )

    def end(self) -> None:
        """Terminate all as a redeployment does, and kill those that do not exit."""
        processes = [*self.workers, self.scheduler]
        for process in processes:
            process.send_signal(signal.SIGTERM)
        for process in processes:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def measure(setup: Setup, home: Path, logs: Path | None = None) -> Measured:
    """Perform one measurement from the first process to the last comparison."""
    facts = recording.inspection(PROBE, home)
    names = [f"imaginary-{number:05}" for number in range(setup.hosts)]
    hosts = {name: Host(name, facts, number) for number, name in enumerate(names)}
    measured = Measured(setup)
    with installed(setup, home) as (url, processes):
        trials = int(setup.minutes * 60 / TRIAL_S) + 3
        seed.launch(hosts, facts["target"], trials, TRIAL_S)
        observer = Observer(url, hosts)
        try:
            asyncio.run(_drive(measured, home, hosts, observer, processes))
        finally:
            if logs:
                logs.mkdir(parents=True, exist_ok=True)
                for log in home.glob("*.log"):
                    (logs / log.name).write_bytes(log.read_bytes())
        good = {name for number, name in enumerate(hosts) if link_of(number) is Link.GOOD}
        measured.latencies = [(late, name in good) for late, name in observer.latencies]
        measured.driven_twice = sum(host.driven_twice for host in hosts.values())
        measured.differences = truth.differences(hosts)
    return measured


async def _drive(
    measured: Measured,
    home: Path,
    hosts: Mapping[str, Host],
    observer: Observer,
    processes: Mapping[str, int],
) -> None:
    """Serve the hosts while real processes drive their runs, from the first to the last."""
    socket, links = home / "hosts", Links(hosts)
    server = await links.serve(socket)
    stack = Stack(measured.setup, home, socket)
    watched = {
        "worker": [process.pid for process in stack.workers],
        "scheduler": [stack.scheduler.pid],
        **{name: [pid] for name, pid in processes.items()},
        HOSTS: [os.getpid()],
    }
    if observer.server_pid is not None:
        watched[OBSERVED] = [observer.server_pid]
    try:
        observer.start()
        await until(lambda: all(h.running for h in hosts.values()), READY_WITHIN_S, "running")
        await asyncio.sleep(SETTLE_S)
        await _watch(measured, stack, observer, watched)
        for host in hosts.values():
            host.hurry.set()
        await until(lambda: active() == 0, OVER_WITHIN_S, "done")
    finally:
        observer.stop()
        stack.end()
        server.close()
        measured.broken = links.broken


async def _watch(
    measured: Measured, stack: Stack, observer: Observer, watched: Mapping[str, list[int]]
) -> None:
    begin = time.monotonic()
    end = begin + measured.setup.minutes * 60
    observer.window = (begin, end)
    before = spent(watched)
    while (now := time.monotonic()) < end:
        resident = sum(meters.memory(process.pid) for process in stack.workers)
        measured.memory.append((now - begin, resident))
        await asyncio.sleep(min(LOOK_S, max(0.0, end - now)))
    measured.seconds = time.monotonic() - begin
    after = spent(watched)
    measured.cpu_s = {name: after[name] - before[name] for name in before}
    # this process is the parent of all others, and the database's of the observer's
    own = {name: s for name, s in measured.cpu_s.items() if name not in (HOSTS, OBSERVED)}
    measured.cpu_s[HOSTS] -= sum(own.values())
    if OBSERVED in measured.cpu_s:
        measured.cpu_s["postgres"] -= measured.cpu_s[OBSERVED]
    measured.shares = owners()


def spent(watched: Mapping[str, list[int]]) -> dict[str, float]:
    """Return the CPU seconds of each kind of process until now."""
    return {name: sum(map(meters.cpu_s, pids)) for name, pids in watched.items()}


def owners() -> dict[str, int]:
    """Return how many runs each worker process drives."""
    found: dict[str, int] = {}
    with reading() as session:
        for owner in session.scalars(select(Run.owner).where(Run.owner.is_not(None))):
            process = (owner or "").rpartition(":")[0]
            found[process] = found.get(process, 0) + 1
    return found


def active() -> int:
    """Return the number of runs that have not ended."""
    with reading() as session:
        left = select(func.count()).select_from(Run).where(Run.state.not_in(lifecycle.FINAL))
        return session.scalars(left).one()


async def until(true, seconds: float, what: str) -> None:
    """Poll; abort the bench after a timeout."""
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            raise TimeoutError(f"not all runs were {what} within {seconds:g} s")
        await asyncio.sleep(0.5)


def setups(options: argparse.Namespace) -> list[Setup]:
    """Return the measurements to perform."""
    if options.whole:
        return list(WHOLE)
    return [
        Setup(int(n), options.database, options.workers, options.minutes)
        for n in options.hosts.split(",")
    ]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--hosts", default="50", help="how many; several as 50,100,500")
    parser.add_argument("--database", choices=["postgresql", "sqlite"], default="postgresql")
    parser.add_argument("--workers", type=int, choices=[1, 2], default=1)
    parser.add_argument("--minutes", type=float, default=12.0, help="measured time of each")
    parser.add_argument(
        "--whole", action="store_true", help="all measurements of docs/scale.md; 36 minutes"
    )
    parser.add_argument("--logs", type=Path, help="keep the processes' output in this folder")
    parser.add_argument(
        "--out", type=Path, help="PREFIX of the reports (default, from 10 minutes on: by date)"
    )
    return parser.parse_args()


def main() -> int:
    """Measure, print and write; return the exit code."""
    options = arguments()
    when = datetime.now(UTC)
    facts = machine.describe(ROOT)
    named = MEASUREMENTS / f"{when:%Y-%m-%d-%H%M}-fleet"
    prefix = options.out or (named if options.whole or options.minutes >= 10 else None)
    measurements: list[Measured] = []
    failed: list[Figure] = []
    found: list[Figure] = []

    def keep() -> None:
        """Write the results so far."""
        if prefix:
            write(prefix, when, facts, found)
            with Path(f"{prefix}.md").open("a") as page:
                page.write(f"\nFor [scale](../scale.md):\n\n{report.rows(measurements)}")

    for setup in setups(options):
        print(f"\n{datetime.now(UTC):%H:%M} {setup}, {setup.minutes:g} minutes", flush=True)
        with tempfile.TemporaryDirectory(prefix="assay-fleet-") as home:
            try:
                measurements.append(measure(setup, Path(home), options.logs))
                print(text(report.of_one(measurements[-1])), flush=True)
            except TimeoutError as error:  # continue with the others
                failed.append(report.of_failure(str(setup), str(error)))
                print(error, flush=True)
        found = [*failed, *report.figures(measurements)]
        keep()
    if options.whole:
        # in a separate process, because garbage collection of this one's latencies takes time
        with ProcessPoolExecutor(1, get_context("spawn")) as pool:
            for runs, database in ((rounds.RUNS, "postgresql"), (rounds.MOST_RUNS, "sqlite")):
                found += pool.submit(rounds.figures, runs, rounds.HOSTS, database).result()
        keep()
    print(f"\n{text(found)}\n\n{report.rows(measurements)}")
    if prefix:
        print(f"\nwritten to {prefix}.md and {prefix}.json")
    return 1 if any(figure.verdict not in {"yes", None} for figure in found) else 0


if __name__ == "__main__":
    sys.exit(main())

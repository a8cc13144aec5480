"""One timed write by each tool: the probe through its own verbs, fio through its JSON.

Both write the same files with the same block, threads, size and open flags, from one thread a
file, without preallocation, and end with a sync that their rate includes.
"""

import json
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

ROOT = Path(__file__).resolve().parents[3]
# Scrambling changes each sector of a random buffer, as the probe's stamps do; refilling
# would generate all bytes again inside fio's timed loop.
FIO_BUFFERS = ["--refill_buffers=0", "--scramble_buffers=1"]
# Where fio keeps its buffers: `mmaphuge` is huge pages, as the probe's are; they must be reserved.
FIO_MEMORY = ("malloc", "mmaphuge")
FIO_FLAGS = ["--ioengine=psync", "--rw=write", "--fallocate=none", "--thread", *FIO_BUFFERS]


@dataclass(frozen=True)
class Load:
    """The load of one run: `size` bytes in total, divided evenly among `threads`, one file each."""

    block: int
    threads: int
    size: int
    direct: bool
    overwrites: int = 0
    """How often files that were laid out before are written over; 0 writes fresh ones once."""

    @property
    def file_size(self) -> int:
        """Bytes of each file, in whole blocks."""
        return max(1, self.size // self.threads // self.block) * self.block


def build_probe() -> Path:
    """Build the release probe of this architecture and return its path."""
    binary = Path("build") / platform.machine() / "assay-probe"
    folder = ROOT / "worker/probe"
    made = subprocess.run(
        ["make", "-s", "-C", folder, f"PYTHON={sys.executable}", binary], check=False
    )
    if made.returncode != 0:
        raise SystemExit("the probe could not be built")
    return folder / binary


def require_fio() -> str:
    """Return fio's version."""
    if not shutil.which("fio"):
        raise SystemExit("this comparison needs fio: install it (apt-get install fio)")
    return subprocess.run(
        ["fio", "--version"], capture_output=True, text=True, check=True
    ).stdout.strip()


def plan_of(loads: list[Load], target: Path, sample_ms: int) -> str:
    """Return a plan with a trial for each load, or for each overwrite of its files."""
    lines = [
        f"plan v=2 job=matrix run=bench generation=1 watch_ms=600000 sample_ms={sample_ms}",
        f"target path={quote(str(target))} reserve_bytes=0",
    ]
    trials = [load for load in loads for _ in range(load.overwrites or 1)]
    lines += [
        f"trial position={position} attempt=1 operation=write file_size={load.file_size}"
        f" block={load.block} threads={load.threads} files={load.threads}"
        f" layout={'overwrite' if load.overwrites else 'fresh'}"
        f" cache={'direct' if load.direct else 'page'}"
        " open=rw timeout_ms=600000 sync_timeout_ms=600000"
        for position, load in enumerate(trials)
    ]
    return "\n".join([*lines, "end", ""])


def probe_events(
    binary: Path, loads: list[Load], target: Path, sample_ms: int = 1000
) -> list[dict]:
    """Execute the loads as one run and return its events."""
    return events_of(binary, plan_of(loads, target, sample_ms))


def events_of(
    binary: Path, plan: str, meanwhile: Callable[[int], object] = lambda _pid: None
) -> list[dict]:
    """Execute a plan and return its events; `meanwhile` gets the probe's process id."""
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as home:
        run_dir = Path(home) / "run"
        subprocess.run(
            [binary, "start", run_dir], input=plan, text=True, check=True, capture_output=True
        )
        try:
            meanwhile(int((run_dir / "lock").read_text().split()[0]))
            spool = subprocess.run(
                [binary, "follow", run_dir, "--from", "0", "--generation", "1"],
                check=True,
                capture_output=True,
                text=True,
            ).stdout
        finally:
            subprocess.run(
                [binary, "stop", run_dir, "--generation", "1"], check=True, capture_output=True
            )
    events = [json.loads(line) for line in spool.splitlines()]
    for event in events:
        if event["ev"] == "error" or (event["ev"] == "result" and event["status"] != "complete"):
            raise SystemExit(f"the probe did not complete: {event}")
    return events


def results_of(events: list[dict]) -> list[dict]:
    """Return the result events."""
    return [event for event in events if event["ev"] == "result"]


def probe_rate(binary: Path, load: Load, target: Path, sample_ms: int = 1000) -> float:
    """Return the bytes per second until the final sync returned."""
    results = results_of(probe_events(binary, [load], target, sample_ms))
    took_ns = sum(result["durable_ns"] for result in results)
    return sum(result["bytes"] for result in results) / took_ns * 1e9


def fio_command(load: Load, target: Path, memory: str = "malloc") -> list[str]:
    """Return fio's command line for a load, without output options."""
    over = ["--overwrite=1", f"--loops={load.overwrites}"] if load.overwrites else []
    return [
        "fio",
        "--name=bench",
        f"--directory={target}",
        *FIO_FLAGS,
        f"--iomem={memory}",
        f"--bs={load.block}",
        f"--size={load.file_size}",
        f"--numjobs={load.threads}",
        f"--direct={int(load.direct)}",
        "--end_fsync=1",
        "--unlink=1",
        "--group_reporting",
        *over,
    ]


def fio_rate(load: Load, target: Path, memory: str = "malloc") -> float:
    """Return the bytes per second, with fio's own final sync in its run time."""
    done = subprocess.run(
        [*fio_command(load, target, memory), "--output-format=json"],
        check=True,
        capture_output=True,
        text=True,
    )
    job = json.loads(done.stdout[done.stdout.index("{") :])["jobs"][0]
    wanted = load.file_size * load.threads * (load.overwrites or 1)
    if job["error"] or job["write"]["io_bytes"] != wanted:
        raise SystemExit(f"fio did not complete: {done.stdout}")
    return job["write"]["io_bytes"] / job["write"]["runtime"] * 1e3

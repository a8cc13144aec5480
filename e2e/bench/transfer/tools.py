"""Disk to disk on the machine's own disk, against rsync, scp and cp.

    tools.py [--quick] [--rounds N] [--target DIR] [--output PREFIX]

Every tool moves the same number of bytes of random data from a cold source (synced, and dropped
from the page cache) to a new file, and is timed to the end of its final sync. Source and sink are
on one disk, and both ends of a transfer on this machine. rsync uses its daemon with --whole-file
and no compression, scp a server of its own, cp --reflink=never. Rounds are interleaved, figures are
medians of their ratios. Nothing else should run. Ends with 1 unless every figure reaches its bar.
"""

import contextlib
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / folder) for folder in ("e2e", "e2e/bench/probe", "worker/probe/tests")]

from intervals import Verdict, reaches  # noqa: E402
from lab import survivors  # noqa: E402
from probe_driver import Probe  # noqa: E402
from report import Report, parser  # noqa: E402
from rounds import interleaved, ratio  # noqa: E402
from runners import build_probe  # noqa: E402
from testing.sshd import Sshd, free_port  # noqa: E402
from transfer_driver import Ends  # noqa: E402

MIB = 1 << 20
CHUNK = 16 * MIB
NEEDED = {"rsync": "rsync", "scp": "openssh-client", "sshd": "openssh-server", "cp": "coreutils"}
BARS = {"rsync": 1.0, "scp": 1.0, "cp": 0.8}
"""The least ratio of the transfer's rate to each tool's."""


class Files:
    """The source file, and the folder of the sink."""

    def __init__(self, folder: Path, size: int) -> None:
        self.source, self.sink, self.size = folder / "source", folder / "sink", size
        self.sink.mkdir()
        with self.source.open("wb") as file:
            for _ in range(size // CHUNK):
                file.write(os.urandom(CHUNK))

    def rate(self, *command: str | Path) -> float:
        """Return the bytes per second of a tool that copies the source into the sink."""
        copy = self.sink / self.source.name
        copy.unlink(missing_ok=True)
        for folder in (self.sink, self.sink.parent):
            sync(folder)
        self._cool()
        began = time.monotonic()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        sync(copy)
        took = time.monotonic() - began
        assert copy.stat().st_size == self.size, f"{command[0]} did not copy everything"
        copy.unlink()
        return self.size / took

    def _cool(self) -> None:
        sync(self.source)
        with self.source.open("rb") as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def sync(path: Path) -> None:
    """Sync a file or a folder."""
    descriptor = os.open(path, os.O_RDONLY)
    os.fsync(descriptor)
    os.close(descriptor)


def transfer_rate(binary: Path, folder: Path, size: int, integrity: str) -> float:
    """Return the bytes per second of a transfer between two folders, up to the final sync."""
    trial = {
        "length_bytes": size,
        "block": MIB,
        "streams": 4,
        "disk_threads": 2,
        "source": "disk",
        "sink": "disk",
        "source_cache": "direct",
        "sink_cache": "direct",
        "integrity": integrity,
        "timeout_ms": 600_000,
    }
    with tempfile.TemporaryDirectory(prefix="ends-", dir=folder) as place:
        probes: list[Probe] = []
        for name in ("from", "to"):
            target = Path(place) / name
            target.mkdir()
            home = Path(place) / f"home-{name}"
            home.mkdir()
            probes.append(Probe(binary, home, target))
        sent, received = Ends(*probes).run(trial, sample_ms=1000)
    assert sent["status"] == received["status"] == "complete", (sent, received)
    assert received["bytes"] == size
    return size / received["durable_ns"] * 1e9


@contextlib.contextmanager
def rsync_daemon(folder: Path, sink: Path) -> Iterator[str]:
    """Serve the sink by rsync's daemon; yield its address."""
    port = free_port()
    config = folder / "rsyncd.conf"
    user = f"uid = {os.geteuid()}\ngid = {os.getegid()}\n"
    module = f"[sink]\npath = {sink}\nread only = no\nuse chroot = no\n"
    config.write_text(f"{user}{module}")
    words = ["rsync", "--daemon", "--no-detach", f"--config={config}", "--address=127.0.0.1"]
    server = subprocess.Popen([*words, f"--port={port}"])
    try:
        deadline = time.monotonic() + 10
        probe = ["rsync", f"rsync://127.0.0.1:{port}/"]
        while subprocess.run(probe, capture_output=True, check=False).returncode != 0:
            if time.monotonic() > deadline:
                raise SystemExit("rsync's daemon did not start")
            time.sleep(0.05)
        yield f"rsync://127.0.0.1:{port}/sink/"
    finally:
        server.terminate()
        server.wait()


@contextlib.contextmanager
def ssh_server(folder: Path) -> Iterator[tuple[list[str], str]]:
    """Start an SSH server; yield scp's options for it, and the login."""
    server = Sshd(folder / "sshd")
    server.start()
    key = folder / "key"
    key.write_text(server.private_key)
    key.chmod(0o600)
    options = ["BatchMode=yes", "StrictHostKeyChecking=no", "UserKnownHostsFile=/dev/null"]
    try:
        words = [word for option in options for word in ("-o", option)]
        port = ["-q", "-P", str(server.port), "-i", str(key)]
        yield [*port, *words], f"{server.user}@127.0.0.1"
    finally:
        server.stop()


def compare(report: Report, binary: Path, folder: Path, size: int, rounds: int) -> None:
    """Measure all tools in interleaved rounds, and judge the ratios."""
    files = Files(folder, size)
    source, sink = files.source, files.sink
    with rsync_daemon(folder, sink) as module, ssh_server(folder) as (scp, login):
        ways: dict[str, Callable[[], float]] = {
            "assay": lambda: transfer_rate(binary, folder, size, "none"),
            "checked": lambda: transfer_rate(binary, folder, size, "crc32c"),
            "rsync": lambda: files.rate("rsync", "--whole-file", source, module),
            "scp": lambda: files.rate("scp", *scp, source, f"{login}:{sink}/"),
            "cp": lambda: files.rate("cp", "--reflink=never", source, sink),
        }
        found = interleaved(ways, rounds)
    for name, bar in BARS.items():
        faster = ratio(found["assay"], found[name])
        facts = {key: [round(rate) for rate in found[key]] for key in ("assay", name)}
        said = f"> {bar:g}" if bar >= 1 else f">= {bar:g}"
        report.add(f"own disk: rate / {name}", str(faster), said, reaches(faster, bar), **facts)
    cost = ratio(found["checked"], found["assay"])
    verdict: Verdict = reaches(cost, 0.9)
    report.add("own disk: with CRC32C / without", str(cost), ">= 0.9", verdict)


def require(tools: Sequence[str]) -> None:
    """End with a remedy if a tool is missing."""
    for tool in tools:
        if not shutil.which(tool, path=f"{os.environ['PATH']}:/usr/sbin:/sbin"):
            raise SystemExit(f"{tool} is missing: install it (apt-get install {NEEDED[tool]})")


def main() -> None:
    """Measure everything, and print a table."""
    options = parser(__doc__)
    options.add_argument("--rounds", type=int, help="how often each tool is measured")
    given = options.parse_args()
    require(list(NEEDED))
    rounds = given.rounds or (2 if given.quick else 10)
    size = (128 if given.quick else 2048) * MIB
    binary = build_probe()
    machine = {"cpus": os.cpu_count(), "kernel": platform.release(), "rounds": rounds}
    report = Report(machine | {"bytes": size})
    report.begin()
    survivors.guard()  # servers end with this process, however that ends
    with tempfile.TemporaryDirectory(prefix="assay-bench-", dir=given.target) as folder:
        compare(report, binary, Path(folder), size, rounds)
    sys.exit(report.finish(given.output))


if __name__ == "__main__":
    main()

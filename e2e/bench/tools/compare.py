"""Assay's engine and other programs on the same input, on this machine.

    compare.py [--bytes N] [--record-bytes N] [--repeats N] [--target DIR] [--only NAME ...]

Moves files by Assay, rsync, scp, sftp, tar over ssh and cp, and records by Assay, cat over ssh,
rsyslog and Kafka: each from a cold source, by the built-in commands, between two probes over
loopback, and timed to the final sync. Assay's sender makes its records up in memory. Prints a table
with the rate of what arrived intact, the CPU seconds per GB of the machine, and what was lost.
Nothing else should run.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / path) for path in ("e2e/bench/probe", "worker/probe/tests", "e2e")]

import broker  # noqa: E402 (after its path is known)
from assay.hosts.models import Host  # noqa: E402
from assay.kinds.programs import ToolDefinition  # noqa: E402
from assay.kinds.tool.trials import QUIET_SHARE  # noqa: E402
from assay.recording.increment import Listener  # noqa: E402
from assay.tools.builtin import BUILTINS  # noqa: E402
from assay_worker.driver.orders import ProgramEnd, Transfer  # noqa: E402
from lab.site import TEST_MARKER  # noqa: E402
from probe_driver import Probe, samples  # noqa: E402
from records_driver import RecordEnds, recount  # noqa: E402
from runners import build_probe  # noqa: E402
from testing.sshd import Sshd  # noqa: E402
from tool_driver import ToolEnds  # noqa: E402
from transfer_driver import Ends  # noqa: E402

GB = 10**9
HERE = "127.0.0.1"
FILES = 16
CP = ToolDefinition(
    name="cp",
    title="cp",
    input="files",
    source_command="cp --reflink=never -r {source_directory}/. {sink_directory}/",
)
TOOLS = {one.name: one for one in (*BUILTINS, CP)}
NEEDS = {"rsync-daemon": "rsync", "rsync-ssh": "rsync", "rsyslog": "rsyslogd", "kafka": "mvn"}
ON_FILES = ("Assay", "rsync-daemon", "rsync-ssh", "scp", "sftp", "tar-over-ssh", "cp")
ON_RECORDS = ("Assay", "cat-over-ssh", "rsyslog", "kafka")
DOWNLOADS = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "assay-bench"


@dataclass(frozen=True)
class Row:
    """One transfer: bytes per second with the sync, CPU seconds per GB, and what was lost."""

    rate: float
    cpu_s_per_gb: float
    lost: int


@contextmanager
def login(folder: Path) -> Iterator[tuple[Host, dict[str, str]]]:
    """Provide an sshd on loopback, and the environment of a source that has a key for it."""
    os.environ.setdefault(TEST_MARKER, str(os.getpid()))  # of the sshd and what it starts
    server = Sshd(folder / "sshd")
    server.start()
    key = folder / "key"
    key.write_text(server.private_key)
    key.chmod(0o600)
    agent = folder / "agent"
    running = subprocess.Popen(["ssh-agent", "-D", "-a", agent], stdout=subprocess.DEVNULL)
    try:
        environment = {"SSH_AUTH_SOCK": str(agent)}
        while not agent.exists():
            assert running.poll() is None, "ssh-agent did not start"
        subprocess.run(["ssh-add", "-q", key], env=os.environ | environment, check=True)
        host = Host(
            name="sink",
            connection="ssh",
            address=HERE,
            port=server.port,
            user=server.user,
            approved_key=server.host_key,
        )
        yield host, environment
    finally:
        running.terminate()
        running.wait()
        server.stop()


class Bench:
    """Two probes with a directory each, on one disk."""

    def __init__(self, folder: Path, sink: Host, environment: dict[str, str]) -> None:
        self.binary = build_probe()
        self.folder, self.sink, self.environment = folder, sink, environment
        self.count = 0

    def probes(self) -> list[Probe]:
        self.count += 1
        made: list[Probe] = []
        for role in ("sender", "receiver"):
            home = self.folder / f"{role}-{self.count}"
            (home / "target").mkdir(parents=True)
            probe = Probe(self.binary, home, home / "target")
            probe.environment = probe.environment | self.environment
            made.append(probe)
        return made

    def by_tool(self, definition: ToolDefinition, trial: dict[str, Any]) -> Row:
        """Move the input by a program, with the orders that a worker would give."""
        ends = ToolEnds(*self.probes())
        ends.start(trial | {"quiet_ms": definition.quiet_ms})
        places = ends.places()
        listeners = (
            Listener(0, None, True, places.source),
            Listener(places.port, None, True, places.sink, places.second_port),
        )
        source, sink = (
            ProgramEnd(self.sink, HERE, str(probe.run_dir), listener)
            for probe, listener in zip(ends, listeners, strict=True)
        )
        given = {"files": 0, "file_bytes": 0, "records": 0, "record_bytes": 0, "duration_ms": 0}
        given |= trial | {"length_bytes": 0}
        transfer = Transfer(definition, given, 0, 1, source, sink)
        for probe, text in (
            (ends.receiver, transfer.for_sink()),
            (ends.sender, transfer.for_source()),
        ):
            probe.answer("order", probe.run_dir, 0, "--generation", 1, stdin=text)
        ends.release()
        sent, received = ends.complete()
        assert sent["status"] == received["status"] == "complete", ends.sender.events()[-3:]
        detail, arrived = received["detail"], received["detail"]["arrived"]
        moved = arrived["intact_bytes"]
        took = max(sent["detail"]["command"]["ns"], detail["arrived_ns"] or 0) + detail["sync_ns"]
        cores = detail["idle_busy_ns"] / detail["idle_window_ns"]
        if cores > QUIET_SHARE * detail["cpus"]:
            print(
                f"{definition.name}: the machine was busy before, its CPU time is too high or low"
            )
        idle = cores * detail["busy_window_ns"]
        cpu = max(0.0, detail["busy_ns"] - idle) / 1e9
        lost = arrived["missing"] + arrived["incomplete"] + arrived["wrong"]
        return Row(moved * 1e9 / took, cpu * GB / max(1, moved), lost)

    def by_assay(self, length: int) -> Row:
        """Move as many bytes by Assay's own engine, through the page cache at both ends."""
        ends = Ends(*self.probes())
        disks = {"source": "disk", "sink": "disk", "streams": 4, "block": 1 << 20}
        _, received = ends.run(disks | {"length_bytes": length, "integrity": "crc32c"})
        rate = received["bytes"] * 1e9 / received["durable_ns"]
        return Row(rate, _cpu_s_per_gb(ends.receiver, received), received["detail"]["crc_errors"])

    def records_by_assay(self, records: int, size: int) -> Row:
        """Stream as many records by Assay's own engine, each counted before and after the sync."""
        sender, receiver = self.probes()
        ends = RecordEnds([sender], receiver)
        trial = {"records": records, "record_bytes": size, "sink": "disk", "batch_records": 10_000}
        (sent,), received = ends.run(trial | {"timeout_ms": 600_000})
        assert sent["status"] == received["status"] == "complete", receiver.events()[-3:]
        lost = records - recount(receiver)["senders"][0]["intact"]
        rate = received["bytes"] * 1e9 / received["durable_ns"]
        return Row(rate, _cpu_s_per_gb(receiver, received), lost)


def _cpu_s_per_gb(receiver: Probe, received: dict[str, Any]) -> float:
    """Return the CPU time of the whole machine, on which both ends run, in seconds per GB."""
    columns = ("cpu_user_ns", "cpu_system_ns", "cpu_softirq_ns")
    cpu = sum(sample[name] for sample in samples(receiver.events()) for name in columns)
    return cpu / received["bytes"]


def table(title: str, found: dict[str, list[Row]]) -> None:
    print(f"\n{title}\n\n| program | MB/s | CPU s/GB | lost |\n|---|---|---|---|")
    for name, rows in found.items():
        rate, cpu = median(one.rate for one in rows), median(one.cpu_s_per_gb for one in rows)
        print(f"| {name} | {rate / 1e6:.1f} | {cpu:.2f} | {sum(one.lost for one in rows)} |")


def missing(name: str) -> str | None:
    program = NEEDS.get(name)
    return program if program and shutil.which(program) is None else None


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--bytes", type=int, default=2 * GB)
    arguments.add_argument("--record-bytes", type=int, default=1024)
    arguments.add_argument("--repeats", type=int, default=3)
    arguments.add_argument("--target", type=Path, default=Path.cwd())
    arguments.add_argument("--only", nargs="+", choices=[*dict.fromkeys((*ON_FILES, *ON_RECORDS))])
    given = arguments.parse_args()
    on_files = [name for name in ON_FILES if name in (given.only or ON_FILES)]
    on_records = [name for name in ON_RECORDS if name in (given.only or ON_RECORDS)]
    for name in (*on_files, *on_records):
        if program := missing(name):
            sys.exit(f"{name} needs {program}: install it, as `make bench-tools` does")
    if "kafka" in on_records:
        TOOLS["kafka"] = broker.at(TOOLS["kafka"], broker.install(DOWNLOADS))
    files = {"input": "files", "files": FILES, "file_bytes": given.bytes // FILES}
    size = given.record_bytes
    count = given.bytes // size
    records = {"input": "records", "records": count, "record_bytes": size}
    found_files: dict[str, list[Row]] = {name: [] for name in on_files}
    found_records: dict[str, list[Row]] = {name: [] for name in on_records}
    with (
        tempfile.TemporaryDirectory(dir=given.target, prefix="bench-tools-") as folder,
        login(Path(folder)) as (sink, environment),
    ):
        bench = Bench(Path(folder), sink, environment)
        for _ in range(given.repeats):
            for name, rows in found_files.items():
                by_us = name == "Assay"
                rows.append(
                    bench.by_assay(given.bytes) if by_us else bench.by_tool(TOOLS[name], files)
                )
            for name, rows in found_records.items():
                by_us = name == "Assay"
                rows.append(
                    bench.records_by_assay(count, size)
                    if by_us
                    else bench.by_tool(TOOLS[name], records)
                )
    if found_files:
        table(f"{FILES} files, {given.bytes} bytes together", found_files)
    if found_records:
        table(f"Records of {size} bytes, {given.bytes} bytes together", found_records)


if __name__ == "__main__":
    main()

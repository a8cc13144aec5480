"""Assay's engine and other programs on the same input, on this machine.

    compare.py [--quick] [--bytes N] [--record-bytes N] [--repeats N] [--target DIR]
               [--only NAME ...] [--output FILE]

Moves files by Assay, rsync, scp, sftp, tar over ssh and cp, and records by Assay, cat over ssh,
rsyslog and Kafka: each from a cold source, by the built-in commands, between two probes over
loopback, and timed to the final sync. Assay's sender makes its records up in memory. Prints a table
with the rate of what arrived intact, the time until the first of it arrived, the CPU seconds per GB
of the machine, and what was lost or repeated. A tool that fails has a row with the reason. Repeats
are interleaved. Nothing else should run.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / path) for path in ("e2e/bench/probe", "worker/probe/tests", "e2e")]

import broker  # noqa: E402 (after its path is known)
from assay.kinds.programs import ToolDefinition  # noqa: E402
from assay.kinds.registry import KINDS  # noqa: E402
from assay.kinds.tool.trials import QUIET_SHARE  # noqa: E402
from assay.runs.recording.spool_state import Listener  # noqa: E402
from assay.runs.tools.builtin import BUILTINS  # noqa: E402
from assay.tables.hosts import Host  # noqa: E402
from assay_worker.driver.orders import ProgramEnd, Transfer  # noqa: E402
from lab.site import TEST_MARKER  # noqa: E402
from probe_driver import Probe, of, samples  # noqa: E402
from records_driver import RecordEnds, recount  # noqa: E402
from runners import build_probe  # noqa: E402
from testing.sshd import Sshd  # noqa: E402
from tool_driver import ToolEnds  # noqa: E402
from transfer_driver import Ends  # noqa: E402

GB, MB = 10**9, 10**6
PATIENCE = {"timeout_ms": 3_600_000, "sync_timeout_ms": 3_600_000}
"""The limits of a trial: Kafka may take minutes for what others move in seconds."""

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
OWN = "Assay"
OWN_BY_CACHE = {OWN: "direct", "Assay-page-cache": "page"}
"""Assay's engine with direct I/O, as by default, and through the page cache, as other tools."""
ON_FILES = (*OWN_BY_CACHE, "rsync-daemon", "rsync-ssh", "scp", "sftp", "tar-over-ssh", "cp")
ON_RECORDS = (OWN, "cat-over-ssh", "rsyslog", "kafka")
DOWNLOADS = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "assay-bench"


class ToolError(Exception):
    """A transfer that was not measured, and why."""


@dataclass(frozen=True)
class Row:
    """One transfer: what arrived intact per second with the sync, and what it took.

    `first_s` is the time from the start until data was first seen at the sink; None if unknown. The
    CPU time is that of the machine, less what it used before; None if that was too much.
    """

    rate: float
    first_s: float | None
    cpu_s_per_gb: float | None
    lost: int
    repeated: int


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
        ends.start(trial | PATIENCE | {"quiet_ms": definition.quiet_ms}, watch_ms=3_600_000)
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
        given |= trial
        length = given["files"] * given["file_bytes"] + given["records"] * given["record_bytes"]
        moved = KINDS["tool"].program_input(given | {"length_bytes": length})
        transfer = Transfer(definition, moved, 0, 1, source, sink)
        for probe, text in (
            (ends.receiver, transfer.for_sink()),
            (ends.sender, transfer.for_source()),
        ):
            probe.answer("order", probe.run_dir, 0, "--generation", 1, stdin=text)
        for probe in ends:
            await_event(probe, "ready")
        ends.release()
        await_event(ends.sender, "result")
        sent, received = ends.complete()
        for probe, result in zip(ends, (sent, received), strict=True):
            if result["status"] != "complete":
                raise ToolError(reason(probe))
        detail, arrived = received["detail"], received["detail"]["arrived"]
        moved = arrived["intact_bytes"]
        took = max(sent["detail"]["command"]["ns"], detail["arrived_ns"] or 0) + detail["sync_ns"]
        cores = detail["idle_busy_ns"] / detail["idle_window_ns"]
        used_s = detail["busy_ns"] / 1e9
        return Row(
            rate=moved * 1e9 / took,
            first_s=first_s(ends.receiver),
            cpu_s_per_gb=cpu_s_per_gb(used_s, detail["busy_window_ns"] / 1e9, cores, moved),
            lost=arrived["missing"] + arrived["incomplete"] + arrived["wrong"],
            repeated=arrived["duplicate"],
        )

    def by_assay(self, length: int, cache: str) -> Row:
        """Move as many bytes by Assay's own engine, with this cache at both ends."""
        ends = Ends(*self.probes())
        cores = idle_cores()
        disks = {"source": "disk", "sink": "disk", "source_cache": cache, "sink_cache": cache}
        how = {"streams": 4, "disk_threads": 2, "block": 1 << 20, "integrity": "crc32c"}
        _, received = ends.run(disks | how | {"length_bytes": length})
        rate = received["bytes"] * 1e9 / received["durable_ns"]
        cpu = of_samples(ends.receiver, cores)
        return Row(rate, None, cpu, received["detail"]["crc_errors"], 0)

    def records_by_assay(self, records: int, size: int) -> Row:
        """Stream as many records by Assay's own engine, each counted before and after the sync."""
        cores = idle_cores()
        sender, receiver = self.probes()
        ends = RecordEnds([sender], receiver)
        trial = {"records": records, "record_bytes": size, "sink": "disk", "batch_records": 10_000}
        (sent,), received = ends.run(trial | {"timeout_ms": 600_000})
        assert sent["status"] == received["status"] == "complete", receiver.events()[-3:]
        found = recount(receiver)["senders"][0]
        rate = received["bytes"] * 1e9 / received["durable_ns"]
        cpu = of_samples(receiver, cores)
        return Row(rate, None, cpu, records - found["intact"], found["duplicates"])


def cpu_s_per_gb(used_s: float, seconds: float, idle: float, moved: int) -> float | None:
    """Return the CPU time that a transfer took, where the machine used `idle` CPUs before."""
    if not moved or idle > QUIET_SHARE * (os.cpu_count() or 1):
        return None
    return max(0.0, used_s - idle * seconds) * GB / moved


def of_samples(receiver: Probe, idle: float) -> float | None:
    """Return the same of a transfer by Assay, both ends of which run on this machine."""
    columns = ("cpu_user_ns", "cpu_system_ns", "cpu_softirq_ns")
    found = samples(receiver.events())
    used = sum(sample[name] for sample in found for name in columns)
    seconds = sum(sample["dt_ns"] for sample in found) / 1e9
    return cpu_s_per_gb(used / 1e9, seconds, idle, sum(sample["bytes"] for sample in found))


def idle_cores(seconds: float = 1) -> float:
    """Return how many CPUs the machine uses now, anyway."""
    before = busy_s()
    time.sleep(seconds)
    return (busy_s() - before) / seconds


def busy_s() -> float:
    """Return the CPU time of the machine so far, except idle and stolen time."""
    ticks = [int(text) for text in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:8]]
    user, nice, system, _idle, _iowait, irq, softirq = ticks
    return (user + nice + system + irq + softirq) / os.sysconf("SC_CLK_TCK")


def await_event(probe: Probe, kind: str, seconds: float = 3600) -> None:
    """Wait until a probe's spool has an event; raises ToolError if the probe ends before.

    Reads only what is new, and seldom: the CPU time of this process counts as the tool's.
    """
    wanted, ended = (f'"ev":"{name}"'.encode() for name in (kind, "end"))
    until = time.monotonic() + seconds
    with (probe.run_dir / "events.ndjson").open("rb") as spool:
        tail = b""
        while wanted not in tail:
            if ended in tail or time.monotonic() > until:
                raise ToolError(reason(probe))
            time.sleep(0.02)
            tail = tail[-16:] + spool.read()


def reason(probe: Probe) -> str:
    """Return why a probe's trial failed."""
    found = of(probe.events(), "error")
    return found[-1]["message"] if found else "no reason is known"


def first_s(sink: Probe) -> float | None:
    """Return the seconds until the first sample in which data was seen at the sink."""
    seen = next((one for one in samples(sink.events()) if one["bytes"]), None)
    return seen["end_ns"] / 1e9 if seen else None


def table(title: str, found: dict[str, list[Row | ToolError]]) -> str:
    """Return the medians, and the range of the rates."""
    lines = [
        f"{title}\n",
        "| program | MB/s | range | first data after | CPU s/GB | lost | repeated |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, outcomes in found.items():
        rows = [one for one in outcomes if isinstance(one, Row)]
        problems = [str(one) for one in outcomes if isinstance(one, ToolError)]
        for problem in dict.fromkeys(problems):
            lines.append(f"| {name} | failed {problems.count(problem)}×: {problem} | | | | | |")
        if not rows:
            continue
        rates = [one.rate / MB for one in rows]
        first = [one.first_s for one in rows if one.first_s is not None]
        cpu = [one.cpu_s_per_gb for one in rows if one.cpu_s_per_gb is not None]
        lines.append(
            f"| {name} | {median(rates):.1f} | {min(rates):.1f}–{max(rates):.1f} | "
            f"{f'{median(first):.1f} s' if first else ''} | "
            f"{f'{median(cpu):.2f}' if cpu else 'the machine was busy'} | "
            f"{sum(one.lost for one in rows)} | {sum(one.repeated for one in rows)} |"
        )
    return "\n".join(lines)


def missing(name: str) -> str | None:
    program = NEEDS.get(name)
    return program if program and shutil.which(program) is None else None


def outcome(transfer: Callable[[], Row]) -> Row | ToolError:
    try:
        return transfer()
    except ToolError as problem:
        return problem


def main() -> None:
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("--quick", action="store_true", help="a smoke test: 64 MB, once")
    arguments.add_argument("--bytes", type=int)
    arguments.add_argument("--record-bytes", type=int, default=1024)
    arguments.add_argument("--repeats", type=int)
    arguments.add_argument("--target", type=Path, default=Path.cwd())
    arguments.add_argument("--only", nargs="+", choices=[*dict.fromkeys((*ON_FILES, *ON_RECORDS))])
    arguments.add_argument("--output", type=Path, help="also write the tables to this file")
    given = arguments.parse_args()
    length = given.bytes or (64 * MB if given.quick else 2 * GB)
    repeats = given.repeats or (1 if given.quick else 3)
    on_files = [name for name in ON_FILES if name in (given.only or ON_FILES)]
    on_records = [name for name in ON_RECORDS if name in (given.only or ON_RECORDS)]
    for name in (*on_files, *on_records):
        if program := missing(name):
            sys.exit(f"{name} needs {program}: install it, as `make bench-tools` does")
    if "kafka" in on_records:
        TOOLS["kafka"] = broker.at(TOOLS["kafka"], broker.install(DOWNLOADS))
    files = {"input": "files", "files": FILES, "file_bytes": length // FILES}
    size = given.record_bytes
    count = length // size
    records = {"input": "records", "records": count, "record_bytes": size}
    found_files: dict[str, list[Row | ToolError]] = {name: [] for name in on_files}
    found_records: dict[str, list[Row | ToolError]] = {name: [] for name in on_records}
    with (
        tempfile.TemporaryDirectory(dir=given.target, prefix="bench-tools-") as folder,
        login(Path(folder)) as (sink, environment),
    ):
        bench = Bench(Path(folder), sink, environment)

        def by(name: str, assay: Callable[[], Row], trial: dict[str, Any]) -> Row | ToolError:
            own = name in OWN_BY_CACHE
            return outcome(assay if own else lambda: bench.by_tool(TOOLS[name], trial))

        for _ in range(repeats):
            for name, rows in found_files.items():
                cache = OWN_BY_CACHE.get(name, "")
                rows.append(by(name, lambda cache=cache: bench.by_assay(length, cache), files))
            for name, rows in found_records.items():
                rows.append(by(name, lambda: bench.records_by_assay(count, size), records))
    tables: list[str] = []
    if found_files:
        tables.append(
            table(f"{FILES} files of {length // FILES} bytes; Assay moves one of all", found_files)
        )
    if found_records:
        made = "Assay's are made up in memory, the others' are read from a cold file"
        tables.append(table(f"{count} records of {size} bytes; {made}", found_records))
    text = "\n\n".join(tables)
    print(text)
    if given.output:
        given.output.write_text(f"{text}\n")


if __name__ == "__main__":
    main()

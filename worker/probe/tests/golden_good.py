"""The valid golden spools: real runs of the probe, one for each kind of run.

`make golden` in worker/probe records them again with a probe, on this machine's disk and in its
memory, and derives the invalid ones. The tests record them too, and compare their shapes.
"""

import json
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path

import spool_rules
from probe_driver import LONG, Probe, of
from records_driver import RecordEnds
from tool_driver import ToolEnds
from transfer_driver import Ends

HELD = LONG | {"timeout_ms": 350}
STRACE = ("strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=fdatasync")


def barrier(probe: Probe) -> None:
    probe.start(probe.plan({}, {}, barrier="yes", role="writer"))
    probe.wait_for("ready")
    probe.release(0, time.clock_gettime_ns(time.CLOCK_BOOTTIME))
    probe.wait_for("ready", count=2)
    probe.release(1, "abort")
    probe.follow()


def complete(probe: Probe) -> None:
    written = {"file_size": 40_000_000, "cache": "direct"}
    read = {"operation": "read", "file_size": 20_000_000}
    probe.run(
        written | {"block": 1 << 18, "threads": 2},
        written | {"block": 1 << 20},
        read | {"block": 1 << 18, "threads": 2, "files": 2, "cache": "direct"},
        read | {"block": 1 << 20},
        {"block": 4096, "file_size": 200_000, "layout": "preallocated", "open": "rwd"},
        {"file_size": 2_000_000, "layout": "overwrite"},
        run="r42-p7",
        generation=3,
    )


def deadline_and_resumed(probe: Probe) -> None:
    probe.start(probe.plan(LONG, watch_ms=300))
    probe.wait_for("end")
    probe.start(probe.plan(HELD | {"attempt": 2}))
    probe.follow()


def failed_sync(probe: Probe) -> None:
    probe.start(probe.plan({}), prefix=(*STRACE, "-e", "inject=fdatasync:error=EIO:when=1"))
    probe.follow()


def failed_trials(probe: Probe) -> None:
    probe.run({"block": 1000, "cache": "direct"}, {"file_size": 1 << 50})


def handed_over(probe: Probe) -> None:
    shared = {"length_bytes": 4_000_000, "block": 100_000, "mark_bytes": 1_000_000, "read_back": 2}
    probe.start(probe.plan(shared, job="sustained"))
    manifest = probe.wait_for("written")["manifest"]
    lines = probe.verb("verify", probe.target, manifest).stdout.splitlines()
    words = ("verified", probe.run_dir, 0, 1, "--generation", 1)
    probe.verb(*words, stdin=json.loads(lines[-1])["report"])
    probe.follow()


def killed_and_resumed(probe: Probe) -> None:
    probe.start(probe.plan({}, LONG))
    probe.wait_for("trial", count=2)
    probe.wait_for("sample", count=len(of(probe.events(), "sample")) + 1)
    probe.kill()
    probe.start(probe.plan({}, HELD, generation=2))
    probe.follow(generation=2)


def memory_target(probe: Probe) -> None:
    probe.run({"cache": "direct"}, {})


def odd_names(probe: Probe) -> None:
    probe.run({}, run='it\'s "odd"\n$(id) ünïcödé')


def path_ends(probe: Probe, role: str) -> None:
    """Play each leg of a path; the spool is that of the end with this role."""
    home = probe.home / "other"
    (home / "target").mkdir(parents=True)
    other = Probe(probe.binary, home, home / "target")
    ends = Ends(probe, other) if role == "sender" else Ends(other, probe)
    disks = {"source": "disk", "sink": "disk"}
    try:
        ends.run(
            disks | {"leg": "read", "source_cache": "direct"},
            {"streams": 2, "length_bytes": 0, "duration_ms": 300, "ramp_ms": 100},
            disks | {"leg": "write"},
            disks | {"integrity": "none"},
        )
        other.follow()
    finally:
        other.clean_up()


def path_receiver(probe: Probe) -> None:
    path_ends(probe, "receiver")


def path_sender(probe: Probe) -> None:
    path_ends(probe, "sender")


def path_small_files(probe: Probe) -> None:
    """Play a transfer of small files beside a large one; the spool is the receiver's."""
    home = probe.home / "other"
    (home / "target").mkdir(parents=True)
    other = Probe(probe.binary, home, home / "target")
    small = {"small_files": 1200, "small_file_bytes": 5000}
    try:
        Ends(other, probe).run({"source": "disk", "sink": "disk"} | small)
    finally:
        other.clean_up()


def path_without_its_peer(probe: Probe) -> None:
    ends = Ends(probe, probe)
    probe.start(ends.plan(probe, {}, target=None))
    ends.connect(probe, 0, port=1)  # where nobody listens
    probe.follow()


def tool_ends(probe: Probe, role: str) -> None:
    """Play a transfer of files and one of records; the spool is that of the end with this role."""
    home = probe.home / "other"
    (home / "target").mkdir(parents=True)
    other = Probe(probe.binary, home, home / "target")
    ends = ToolEnds(probe, other) if role == "sender" else ToolEnds(other, probe)
    commands = ("cp SOURCE/* SINK/", "head -n 900 SOURCE/records > SINK/log; echo x > SINK/y")
    try:
        records = {"input": "records", "records": 1000, "record_bytes": 100}
        ends.start({"input": "files", "files": 2, "file_bytes": 1 << 20}, records)
        for number, command in enumerate(commands):
            places = ends.places(number)
            serving = {"main": "sleep 987", "cleanup": "true"} if number else {}
            ends.order(ends.receiver, places, number, check="true", **serving)
            ends.order(ends.sender, places, number, main=command)
            ends.release(number)
            ends.sender.wait_for("result", count=number + 1)
            ends.receiver.release(number, "finish")
        ends.results()
    finally:
        other.clean_up()


@contextmanager
def two_ends_of_records(probe: Probe, role: str) -> Iterator[RecordEnds]:
    """Make the other end of a trial of records; the spool is that of the end with this role."""
    home = probe.home / "other"
    (home / "target").mkdir(parents=True)
    other = Probe(probe.binary, home, home / "target")
    try:
        yield RecordEnds([probe], other) if role == "sender" else RecordEnds([other], probe)
        other.wait_for("end")
    finally:
        other.clean_up()


def records_left(probe: Probe) -> None:
    """Kill the receiver; the records in its file are counted before the next attempt."""
    endless = {"sink": "disk", "records": 0, "window_ms": 60_000, "rate_records_per_s": 10_000}
    again = {"sink": "disk", "attempt": 2}
    with two_ends_of_records(probe, "receiver") as ends:
        ends.begin(endless | {"batch_records": 100})
        probe.wait_for("sample", count=3)
        probe.kill()
        ends.senders[0].wait_for("end")
        for one in ends:
            one.start(ends.plan(one, again, one.target if one is probe else None, generation=2))
        ends.meet(attempt=2, generation=2)
        ends.release(attempt=2, generation=2)
        probe.follow(generation=2)
        ends.senders[0].follow(generation=2)


def records_receiver(probe: Probe) -> None:
    synced = {"sink": "disk", "format": "json", "acknowledge": "synced", "batch_records": 5000}
    with two_ends_of_records(probe, "receiver") as ends:
        ends.run(synced)


def records_sender(probe: Probe) -> None:
    paced = {"records": 0, "ramp_ms": 200, "window_ms": 300, "rate_records_per_s": 50_000}
    with two_ends_of_records(probe, "sender") as ends:
        ends.run(paced | {"batch_ms": 20, "record_bytes": 100})


def tool_sink(probe: Probe) -> None:
    tool_ends(probe, "receiver")


def tool_source(probe: Probe) -> None:
    tool_ends(probe, "sender")


def tool_that_fails(probe: Probe) -> None:
    home = probe.home / "other"
    (home / "target").mkdir(parents=True)
    other = Probe(probe.binary, home, home / "target")
    ends = ToolEnds(probe, other)
    try:
        ends.start({"input": "files", "files": 1, "file_bytes": 1000})
        ends.prepare("echo no route >&2; exit 7", source={"cleanup": "exit 1"})
        ends.release()
        ends.complete()
    finally:
        other.clean_up()


def slow_preparation(probe: Probe) -> None:
    slow = ("-e", "trace=pwrite64", "-e", "inject=pwrite64:delay_exit=1200000:when=1")
    prepared = {"operation": "read", "file_size": 8_000_000, "block": 1 << 20}
    probe.start(probe.plan(prepared), prefix=(*STRACE, *slow))
    probe.follow()


def stopped(probe: Probe) -> None:
    probe.start(probe.plan(LONG))
    probe.wait_for("sample", count=3)
    probe.stop()


def sustained(probe: Probe) -> None:
    written = {"length_bytes": 40_000_000, "block": 1 << 20, "mark_bytes": 8 << 20}
    ring = {"layout": "ring", "files": 2, "file_bytes": 4 << 20, "streams": 2}
    paced = {"pace": "rate", "rate_bytes_per_s": 20_000_000, "length_bytes": 0}
    files = {"layout": "sequence", "file_bytes": 1 << 19, "block": 1 << 18, "mark_bytes": 1 << 20}
    probe.run(
        written | ring | {"cache": "direct", "rates": "19440000,125000000", "read_back": 1},
        paced | {"duration_ms": 400, "ramp_ms": 100, "block": 100_000, "mark_bytes": 1_000_000},
        files | {"pace": "burst", "burst_blocks": 2, "gap_ns": 20_000_000, "sync_bytes": 1 << 19},
        job="sustained",
    )


def sustained_mixed(probe: Probe) -> None:
    random = {"access": "random", "file_bytes": 1 << 20, "block": 1 << 14, "mark_bytes": 1 << 20}
    mixed = random | {"operation": "mixed", "read_percent": 70, "length_bytes": 4 << 20}
    paced = {"pace": "rate", "rate_bytes_per_s": 20_000_000}
    probe.run(
        mixed | {"cache": "direct", "seed": 7, "streams": 2},
        mixed | paced,
        random | {"operation": "read", "length_bytes": 2 << 20},
        job="sustained",
    )


def sustained_read(probe: Probe) -> None:
    read = {"operation": "read", "block": 1 << 20, "mark_bytes": 8 << 20}
    ring = {"layout": "ring", "files": 2, "file_bytes": 4 << 20, "streams": 2}
    files = {"layout": "sequence", "file_bytes": 1 << 19, "block": 1 << 18, "mark_bytes": 1 << 20}
    probe.run(
        read | ring | {"length_bytes": 40_000_000, "cache": "direct"},
        read | files | {"pace": "burst", "burst_blocks": 2, "gap_ns": 20_000_000},
        job="sustained",
    )


def sync_bounded(probe: Probe) -> None:
    slow = ("-e", "inject=fdatasync:delay_enter=700000:when=1")
    probe.start(probe.plan({"sync_timeout_ms": 200}), prefix=(*STRACE, *slow))
    probe.follow()


def target_changed(probe: Probe) -> None:
    probe.run({}, fs_type="nfs4")


def timed_out(probe: Probe) -> None:
    probe.run(HELD)


def torn_tail(probe: Probe) -> None:
    probe.start(probe.plan(LONG))
    probe.wait_for("sample")
    probe.kill()
    with (probe.run_dir / "events.ndjson").open("ab") as spool:
        spool.write(b'{"v":2,"seq":99,"t":2345,"ev":"sam')


SCENARIOS: dict[str, Callable[[Probe], None]] = {
    scenario.__name__.replace("_", "-"): scenario
    for scenario in (
        barrier,
        complete,
        deadline_and_resumed,
        failed_sync,
        failed_trials,
        handed_over,
        killed_and_resumed,
        memory_target,
        odd_names,
        path_receiver,
        path_sender,
        path_small_files,
        path_without_its_peer,
        records_left,
        records_receiver,
        records_sender,
        slow_preparation,
        stopped,
        sustained,
        sustained_mixed,
        sustained_read,
        sync_bounded,
        target_changed,
        timed_out,
        tool_sink,
        tool_source,
        tool_that_fails,
        torn_tail,
    )
}


@contextmanager
def target_for(name: str, folder: Path) -> Iterator[Path]:
    """Return the target of a scenario: the disk of `folder`, or memory."""
    place = Path("/dev/shm") if name == "memory-target" else folder
    with tempfile.TemporaryDirectory(prefix="assay-golden-", dir=place) as target:
        yield Path(target)


def played(name: str, probe: Probe) -> bytes:
    """Return the spool of a scenario, which must keep every rule."""
    SCENARIOS[name](probe)
    assert probe.problems() == []
    return probe.spool()


WORDS = ("status", "reason", "sync", "code", "errno", "cleaned", "job", "role", "parameters")
WORDS += ("segment", "generation", "trial", "attempt")


def shape(spool: bytes) -> list[object]:
    """Return what two runs of a scenario have in common: events, fields, words."""
    seen: list[object] = []
    for event in spool_rules.parse(spool):
        if event["ev"] == "progress":  # whether something takes a second is a matter of time
            continue
        if event["ev"] == "sample":  # how many a phase has is a matter of time
            seen.append(
                ("sample", event["trial"], event["attempt"], event["s"][0], len(event["s"]))
            )
        elif event["ev"] in ("mark", "link"):  # in which order they and samples come, too
            continue
        else:
            words = [event[word] for word in WORDS if word in event]
            seen.append((event["ev"], list(event), words))
    return [item for item, _ in groupby(seen)]


def anonymous(spool: bytes, target: Path) -> bytes:
    """Return the same spool from a host called storage-7."""
    hello = spool_rules.parse(spool)[0]
    names = {"hostname": "storage-7", "kernel": "6.18.44"}
    names |= {"boot_id": "0b6f1e1c-6c1f-4c57-9a55-0f3f0d6c8d11"}
    if hello["device"]:
        names |= {"fs_source": "/dev/vda", "device": "vda"}
        names |= {"fs_uuid": "395ff4ef-994e-8466-9a55-0f3f0d6c8d11"}
    for name, value in names.items():
        spool = spool.replace(pair(name, hello[name]), pair(name, value))
    return spool.replace(str(target).encode(), b"/mnt/array-a")


def pair(name: str, value: object) -> bytes:
    return f'"{name}":{json.dumps(value)}'.encode()


def main() -> None:
    """Write all golden spools again."""
    from golden_broken import BROKEN, broken

    assert shutil.which("strace"), "one run's sync is delayed by strace: install it"
    binary = Path(sys.argv[1]).resolve()
    for name in SCENARIOS:
        with tempfile.TemporaryDirectory() as home, target_for(name, Path(home)) as target:
            probe = Probe(binary, Path(home), target)
            try:
                spool = anonymous(played(name, probe), target)
            finally:
                probe.clean_up()
        (spool_rules.CONTRACT / "good" / f"{name}.ndjson").write_bytes(spool)
        print(f"good/{name}: {spool.count(bytes([10]))} events")
    for name in BROKEN:
        (spool_rules.CONTRACT / "broken" / f"{name}.ndjson").write_bytes(broken(name))
    print(f"broken: {len(BROKEN)}")


if __name__ == "__main__":
    main()

"""Other traffic on a disk is distinguished from the probe's. Needs root and fio."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from probe_driver import LONG, Probe, moments, of
from test_disks import mounted, on_disk

TRIAL = {"file_size": 64 << 20, "block": 1 << 20, "cache": "direct"}


def written(point: Path) -> int:
    """Return the bytes that the disk below a mount has written."""
    device = point.stat().st_dev
    words = Path(f"/sys/dev/block/{os.major(device)}:{os.minor(device)}/stat").read_text().split()
    return int(words[6]) * 512


@contextmanager
def fio(point: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Another process that writes to the disk continuously."""
    job = ["--name=other", f"--filename={point}/other", "--size=16m", "--bs=256k", "--rw=write"]
    kind = ["--direct=1", "--ioengine=psync", "--time_based", "--runtime=600", "--output=/dev/null"]
    before = written(point)
    with subprocess.Popen(["fio", *job, *kind], cwd="/tmp") as process:
        try:
            for _ in moments():
                if written(point) - before > 32 << 20:
                    break
            yield process
        finally:
            process.terminate()


@pytest.fixture
def disk(probe: Probe, tmp_path: Path) -> Iterator[Path]:
    with on_disk(probe, tmp_path, "ext4") as point:
        yield point


@pytest.fixture
def other_disk(tmp_path: Path) -> Iterator[Path]:
    with mounted(tmp_path / "other.img", tmp_path / "other", "ext4") as point:
        yield point


def contention(events: list[dict]) -> dict:
    return of(events, "result")[0]["contention"]


@pytest.mark.alone  # fio must get to write during the trial
def test_a_write_in_parallel_with_fio_shows_the_bytes_of_both(probe: Probe, disk: Path) -> None:
    file_size = 192 << 20
    with fio(disk):
        found = contention(probe.run(TRIAL | {"file_size": file_size}))
    own = found["own_write_bytes"]
    assert file_size <= own < 2 * file_size
    assert found["dev_write_bytes"] > own
    assert found["quiet_write_bytes"] > 0, "fio wrote while the probe was idle"
    assert found["quiet_ns"] >= 200_000_000
    assert found["others_write_bytes"] > 0


def test_an_uncontended_write_transfers_little_more_than_its_bytes(
    probe: Probe, disk: Path
) -> None:
    found = contention(probe.run(TRIAL))
    assert found["dev_read_bytes"] - found["own_read_bytes"] < 1 << 20
    assert abs(found["dev_write_bytes"] - found["own_write_bytes"]) < 4 << 20
    assert found["quiet_write_bytes"] < 1 << 20


def test_a_trial_that_never_began_has_no_contention(probe: Probe) -> None:
    events = probe.run({"cache": "direct", "block": 512, "file_size": 1 << 61})
    assert of(events, "result")[0]["status"] == "failed"
    assert contention(events) is None


@pytest.mark.alone  # other tests move bytes, too
def test_bytes_of_an_exited_process_before_the_trial_are_not_counted(
    probe: Probe, disk: Path
) -> None:
    work = (
        f"dd if=/dev/zero of={disk}/other bs=1M count=64 oflag=direct status=none; echo; read line"
    )
    pipe = subprocess.PIPE
    with subprocess.Popen(["sh", "-c", work], stdin=pipe, stdout=pipe) as other:
        assert other.stdin is not None and other.stdout is not None
        other.stdout.readline()
        probe.start(probe.plan(LONG | {"file_size": 32 << 20, "timeout_ms": 2000}))
        probe.wait_for("sample")
        other.stdin.close()
        other.wait()
        probe.follow()
    found = contention(probe.events())
    assert found["others_write_bytes"] < 32 << 20, found["busiest"]


NAMED_WRITER = """
import os, sys
place, name, size = sys.argv[1], sys.argv[2], int(sys.argv[3])
open("/proc/self/comm", "w").write(name)
file = os.open(place, os.O_WRONLY | os.O_CREAT)
os.write(file, bytes(size))
os.fsync(file)
print("written", flush=True)
sys.stdin.readline()
"""
"""Writes under a name, and waits to be ended."""


@pytest.mark.alone  # the bytes of others are counted
@pytest.mark.parametrize("marker", ["here", "inherited", "elsewhere", "/nowhere", None])
def test_what_assays_own_processes_write_to_the_disk_is_a_figure_of_its_own(
    probe: Probe, disk: Path, request: pytest.FixtureRequest, marker: str | None
) -> None:
    """They are marked with the directory of their files, which may be on another disk."""
    elsewhere = request.getfixturevalue("other_disk") if marker == "elsewhere" else None
    here = {"here": str(disk), "inherited": str(disk), "elsewhere": str(elsewhere)}
    directory = here.get(marker or "", marker)
    environment = {"PATH": os.environ["PATH"]} | (
        {"ASSAY_APPLIANCE": directory} if directory else {}
    )
    probe.start(probe.plan(LONG | {"file_size": 32 << 20, "timeout_ms": 3000}))
    probe.wait_for("sample")
    words = [sys.executable, "-c", NAMED_WRITER, f"{disk}/database", "postgres", str(48 << 20)]
    if marker == "inherited":  # as of a postmaster, whose children overwrite their environment
        words = ["sh", "-c", 'env -u ASSAY_APPLIANCE "$@"; true', "sh", *words]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, stdin=pipe, stdout=pipe, env=environment) as other:
        assert other.stdin is not None and other.stdout is not None
        assert other.stdout.readline() == b"written\n"
        probe.follow()
        other.stdin.close()
    found = contention(probe.events())
    ours, others = found["appliance_write_bytes"], found["others_write_bytes"]
    is_own = marker in ("here", "inherited")
    assert (ours >= 48 << 20, others >= 48 << 20) == (is_own, not is_own), found
    assert ours < 64 << 20 and (is_own or ours == 0)


ENDING_CHILD = """
import subprocess, sys
child = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
print(child.stdout.readline().decode().strip(), flush=True)
sys.stdin.readline()
child.communicate()
print("ended", flush=True)
sys.stdin.readline()
"""
"""Runs a writer, which ends when it is told to, and gets its count from the kernel."""


@pytest.mark.alone  # the bytes of others are counted
@pytest.mark.parametrize("marked", [True, False])
def test_a_child_that_ends_takes_nothing_from_others(
    probe: Probe, disk: Path, marked: bool
) -> None:
    """What it wrote before the trial is in its parent's count afterwards, and counts nowhere."""
    environment = {"PATH": os.environ["PATH"]} | ({"ASSAY_APPLIANCE": str(disk)} if marked else {})
    writer = [sys.executable, "-c", NAMED_WRITER]
    pipe = subprocess.PIPE
    first = [*writer, f"{disk}/before", "child", str(48 << 20)]
    with ExitStack() as stack:
        words = [sys.executable, "-c", ENDING_CHILD, *first]
        parent = subprocess.Popen(words, stdin=pipe, stdout=pipe, env=environment)
        stack.enter_context(parent)
        stack.callback(parent.kill)
        assert parent.stdin is not None and parent.stdout is not None
        assert parent.stdout.readline() == b"written\n"
        probe.start(probe.plan(LONG | {"file_size": 32 << 20, "timeout_ms": 3000}))
        probe.wait_for("sample")
        second = [*writer, f"{disk}/other", "someone", str(40 << 20)]
        other = stack.enter_context(subprocess.Popen(second, stdin=pipe, stdout=pipe))
        stack.callback(other.kill)
        assert other.stdout is not None and other.stdout.readline() == b"written\n"
        parent.stdin.write(b"\n")
        parent.stdin.flush()
        assert parent.stdout.readline() == b"ended\n"
        probe.follow()
    found = contention(probe.events())
    assert 40 << 20 <= found["others_write_bytes"] < 64 << 20, found
    assert found["appliance_write_bytes"] < 8 << 20


@pytest.mark.alone  # the probe must see both, and no busier one
def test_another_probe_is_never_the_busiest_process(probe: Probe, disk: Path) -> None:
    """A path has two probes on one host, and each is followed by a third."""
    probe.start(probe.plan(LONG | {"file_size": 32 << 20, "timeout_ms": 4000}))
    probe.wait_for("sample")
    with ExitStack() as stack:
        for name, size in (("assay-probe", 96 << 20), ("someone", 24 << 20)):
            words = [sys.executable, "-c", NAMED_WRITER, f"{disk}/{name}", name, str(size)]
            pipe = subprocess.PIPE
            other = stack.enter_context(subprocess.Popen(words, stdin=pipe, stdout=pipe))
            stack.callback(other.kill)
            assert other.stdout is not None
            assert other.stdout.readline() == b"written\n"
        probe.follow()
    assert contention(probe.events())["busiest"].startswith("someone ")

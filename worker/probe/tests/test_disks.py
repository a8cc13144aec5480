"""A separate file system on a loop device: frozen, full, read-only, XFS. Needs root."""

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import spool_rules
from probe_driver import LONG, Probe, is_gone, is_locked, of, samples

DISK_BYTES = 320 << 20  # the least that mkfs.xfs takes is 300 MiB
HANGING = LONG | {"file_size": 64 << 20}


def call(*words: object) -> str:
    done = subprocess.run(
        [str(word) for word in words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, (words, done.stderr)
    return done.stdout.strip()


@contextmanager
def mounted(image: Path, point: Path, kind: str) -> Iterator[Path]:
    """A new file system in an image; thawed, unmounted and detached at the end."""
    with image.open("wb") as file:
        file.truncate(DISK_BYTES)
    all_of_it = ("-m", "0") if kind == "ext4" else ()  # no blocks that root alone may fill
    call(f"mkfs.{kind}", "-q", *all_of_it, image)
    device = call("losetup", "--find", "--show", "--direct-io=on", image)
    point.mkdir()
    try:
        call("mount", device, point)
        yield point
    finally:
        subprocess.run(["fsfreeze", "--unfreeze", point], capture_output=True, check=False)
        subprocess.run(["umount", point], capture_output=True, check=False)
        number = Path(device).stat().st_rdev
        lock = f"/run/lock/assay-disk-{os.major(number)}:{os.minor(number)}.lock"
        Path(lock).unlink(missing_ok=True)  # of a probe that was killed there: the disk goes
        call("losetup", "--detach", device)


@contextmanager
def on_disk(probe: Probe, folder: Path, kind: str) -> Iterator[Path]:
    """A mounted disk with the probe's target, on which nothing may remain."""
    usual = probe.target
    with mounted(folder / "disk.img", folder / "disk", kind) as point:
        probe.target = point / "target"
        probe.target.mkdir()
        yield point
        probe.clean_up()
        assert probe.leftovers() == []
    probe.target = usual


@pytest.fixture(params=["ext4", pytest.param("xfs", marks=pytest.mark.nightly)])
def disk(probe: Probe, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Probe]:
    """The probe with a target on a separate disk."""
    with on_disk(probe, tmp_path, request.param):
        yield probe


def test_a_stop_names_the_write_that_hangs_in_the_kernel(disk: Probe) -> None:
    disk.start(disk.plan(HANGING | {"threads": 2, "timeout_ms": 300}, {}))
    disk.wait_for("sample")
    pid = disk.pid()
    call("fsfreeze", "--freeze", disk.target.parent)
    frozen_at = len(of(disk.events(), "sample"))
    disk.wait_for("sample", count=frozen_at + 12)
    hung = samples(disk.events())[frozen_at + 2 :]
    ages = [sample["oldest_ns"] for sample in hung]
    assert [sample["ops"] for sample in hung] == [0] * len(hung)
    assert ages == sorted(ages)
    assert ages[-1] - ages[0] == pytest.approx(hung[-1]["end_ns"] - hung[0]["end_ns"], rel=0.05)
    assert disk.stop_answer(wait_ms=2500) == {"state": "stopping", "call": "pwrite"}
    assert is_locked(disk.run_dir / "lock")
    assert disk.answer("start", disk.run_dir, stdin=disk.plan(HANGING))["state"] == "running"
    assert disk.answer("sweep", disk.run_dir.parent)["kept"] == ["run"]
    assert disk.answer("version")["contract"] == 2
    assert not is_gone(pid)
    call("fsfreeze", "--unfreeze", disk.target.parent)
    disk.follow()
    assert disk.problems() == []
    assert [result["status"] for result in of(disk.events(), "result")] == ["stopped"]
    assert of(disk.events(), "result")[0]["lat_max_ns"] >= ages[-1]
    assert disk.events()[-1]["cleaned"]
    assert disk.stop() == "stopped"
    assert is_gone(pid)


def test_a_call_that_hangs_past_its_limit_is_abandoned_and_results_are_kept(
    disk: Probe,
) -> None:
    disk.start(disk.plan(HANGING | {"threads": 2, "timeout_ms": 1000}, {}, hang_ms=3000))
    disk.wait_for("sample")
    call("fsfreeze", "--freeze", disk.target.parent)
    end = disk.wait_for("end")
    (result,), (told,) = of(disk.events(), "result"), of(disk.events(), "error")
    assert (result["status"], result["sync"]) == ("timed_out", "none")
    assert result["ops"] > 0
    assert result["app_ns"] > 4e9
    assert (told["code"], told["message"].split()[0]) == ("hung", "pwrite")
    assert (end["status"], end["reason"], end["cleaned"]) == ("failed", "hung", False)
    (interrupted,) = of(disk.events(), "notice")
    assert (interrupted["code"], interrupted["call"]) == ("interrupted", "pwrite")
    assert disk.problems() == []
    assert disk.stop_answer(wait_ms=500) == {"state": "stuck", "call": "pwrite"}
    assert disk.answer("start", disk.run_dir, stdin=disk.plan(HANGING))["state"] == "running"
    call("fsfreeze", "--unfreeze", disk.target.parent)
    assert disk.stop() == "done"
    assert disk.leftovers() == []


def test_a_sustained_trial_that_hangs_keeps_its_result_and_all_marks(disk: Probe) -> None:
    trial = {"length_bytes": 0, "duration_ms": 60_000, "streams": 2, "block": 4096}
    trial |= {"layout": "ring", "files": 2, "file_bytes": 4 << 20, "mark_bytes": 400 << 10}
    plan = disk.plan(trial | {"timeout_ms": 1000}, job="sustained", hang_ms=3000)
    disk.start(plan)
    disk.wait_for("mark")
    call("fsfreeze", "--freeze", disk.target.parent)
    end = disk.wait_for("end")
    call("fsfreeze", "--unfreeze", disk.target.parent)
    assert (end["status"], end["reason"]) == ("failed", "hung")
    assert disk.problems() == []
    (result,) = of(disk.events(), "result")
    assert result["status"] == "timed_out"
    assert disk.stop() in {"done", "stopped"}
    disk.answer("sweep", disk.run_dir.parent)
    assert disk.leftovers() == []


def test_a_killed_probe_is_stuck_as_long_as_the_kernel_holds_a_thread_of_it(disk: Probe) -> None:
    disk.start(disk.plan(HANGING | {"threads": 2}))
    disk.wait_for("sample")
    call("fsfreeze", "--freeze", disk.target.parent)
    frozen_at = len(of(disk.events(), "sample"))
    disk.wait_for("sample", count=frozen_at + 4)
    os.kill(disk.pid(), signal.SIGKILL)
    for _ in range(2):  # a worker repeats the request
        stuck = disk.follow(check=False)
        assert stuck.returncode == 13, stuck.stderr
        assert b"stuck in the kernel" in stuck.stderr
        assert spool_rules.parse(stuck.stdout) == disk.events()
    assert disk.stop(wait_ms=200) == "stuck"
    assert disk.answer("start", disk.run_dir, stdin=disk.plan(HANGING))["state"] == "running"
    call("fsfreeze", "--unfreeze", disk.target.parent)
    assert disk.follow(check=False).returncode == 10
    assert disk.stop() == "dead"


def test_a_stop_names_the_call_of_a_hung_cleanup(disk: Probe) -> None:
    slow = {"file_size": 128 << 20, "operation": "read", "block": 512, "cache": "direct"}
    disk.start(disk.plan(slow | {"timeout_ms": 60_000}))
    disk.wait_for("sample")
    call("fsfreeze", "--freeze", disk.target.parent)  # reads continue
    assert not of(disk.events(), "result")
    answer = disk.stop_answer(wait_ms=2500)
    assert answer["state"] == "stopping"
    assert answer["call"] in ("ftruncate", "close", "rmdir")
    call("fsfreeze", "--unfreeze", disk.target.parent)
    disk.follow()
    assert disk.events()[-1]["cleaned"]


def fill(target: Path, left: int) -> Path:
    """Create another process's file that leaves this many bytes free."""
    other = target.parent / "other"
    free = int(call("stat", "--file-system", "--format=%a", target))
    size = free * int(call("stat", "--file-system", "--format=%S", target)) - left
    call("fallocate", "--length", size, other)
    return other


def test_a_full_disk_ends_the_trial_and_leaves_nothing(disk: Probe) -> None:
    disk.start(disk.plan(LONG | {"file_size": 32 << 20}, {"file_size": 1 << 16}))
    disk.wait_for("sample")
    other = fill(disk.target, 128 << 10)  # also a busy machine writes that within the trial
    disk.follow()
    first = of(disk.events(), "result")[0]
    assert (first["status"], first["reason"]) == ("failed", "no_space")
    assert of(disk.events(), "error")[0]["errno"] == "ENOSPC"
    other.unlink()


def test_the_reserve_is_kept_at_every_sample(disk: Probe) -> None:
    reserve = 64 << 20
    disk.start(disk.plan(LONG | {"file_size": 32 << 20}, {}, reserve_bytes=reserve))
    disk.wait_for("sample")
    other = fill(disk.target, reserve - (1 << 20))
    began = time.monotonic()
    disk.follow()
    assert time.monotonic() - began < 5
    assert of(disk.events(), "result")[0]["reason"] == "no_space"
    assert (disk.events()[-1]["status"], disk.events()[-1]["reason"]) == ("failed", "no_space")
    assert "reserve" in of(disk.events(), "error")[0]["message"]
    other.unlink()


def test_a_read_only_disk_ends_the_run_and_is_swept_later(probe: Probe, tmp_path: Path) -> None:
    image, point = tmp_path / "disk.img", tmp_path / "disk"
    with mounted(image, point, "ext4") as mount:
        call("mount", "-o", "remount,errors=remount-ro", mount)
        probe.target = point / "target"
        probe.target.mkdir()
        probe.start(probe.plan(HANGING, {}))
        probe.wait_for("sample")
        device = call("findmnt", "--noheadings", "--output", "SOURCE", point)
        Path("/sys/fs/ext4", Path(device).name, "trigger_fs_error").write_text("1")
        probe.follow()
        reasons, end = [event["code"] for event in of(probe.events(), "error")], probe.events()[-1]
        assert reasons in (
            ["io", "read_only"],
            ["read_only"],
        )  # a lost journal's first error is EIO
        assert (end["status"], end["reason"], end["cleaned"]) == ("failed", "read_only", False)
        assert probe.problems() == []
        failed = probe.answer("sweep", probe.run_dir.parent)["failed"]
        assert [found["run_dir"] for found in failed] == ["run"]
        call("umount", point)
        subprocess.run(["e2fsck", "-fy", device], capture_output=True, check=False)
        call("mount", device, point)
        assert len(probe.answer("sweep", probe.run_dir.parent)["removed"]) == 1
        assert probe.leftovers() == []
    probe.target = tmp_path / "target"


def test_residency_is_checked_after_the_first_64_mib_of_a_direct_trial(disk: Probe) -> None:
    """One file: of several, the first may have less than their mean by then."""
    trial = {"cache": "direct", "file_size": 200 << 20, "block": 1 << 20, "threads": 3}
    result = of(disk.run(trial), "result")[0]
    assert result["resident_checked"] == (64 << 20) // 4096
    assert result["resident_pages"] == 0


def test_residency_of_an_allocated_file_is_checked_as_far_as_it_was_written(disk: Probe) -> None:
    trial = {"layout": "preallocated", "cache": "direct", "file_size": 64 << 20, "open": "rws"}
    result = of(disk.run(trial | {"block": 4096, "timeout_ms": 300}), "result")[0]
    assert result["status"] == "timed_out"
    assert result["resident_checked"] == result["bytes"] // 4096

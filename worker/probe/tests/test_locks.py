"""Two tests never measure one target or one disk at once, whatever started them. Needs root."""

import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from probe_driver import LONG, Probe, of
from test_disks import HANGING, mounted, on_disk

BUSY = 14
NOBODY = 65534
LOCK = ".assay.lock"
COMMON = Path("/run/lock")
CONTAINER = (
    *("unshare", "-m", "sh", "-c"),
    'mount -t tmpfs -o mode=1777 locks /run/lock && exec "$@"',
    "sh",
)
"""The command that starts a probe with a separate /run/lock."""


def other(probe: Probe, name: str, target: Path) -> Probe:
    """A second installation of the probe, with a separate home, on `target`."""
    home = probe.home / name
    home.mkdir()
    target.mkdir(exist_ok=True)
    return Probe(probe.binary, home, target)


@pytest.fixture
def second(probe: Probe) -> Iterator[Probe]:
    """Another installation that measures in the same directory."""
    it = other(probe, "second", probe.target)
    yield it
    it.clean_up()


def refusal(probe: Probe, **fields: object) -> str:
    """Return the message of a rejected `start`, which has written nothing."""
    done = probe.start(probe.plan({}, **fields), check=False)
    assert done.returncode == BUSY, (done.returncode, done.stderr.decode())
    assert probe.spool() == b""
    return done.stderr.decode()


def measures(probe: Probe, **fields: object) -> None:
    """Assert that a small test runs to its end, locked, and leaves no lock behind."""
    events = probe.run({}, **fields)
    assert of(events, "end")[0]["status"] == "done"
    assert [event["code"] for event in of(events, "notice")] == []
    assert not (probe.target / LOCK).exists()


def disk_locks() -> list[str]:
    return sorted(path.name for path in COMMON.glob("assay-*"))


def test_a_second_test_in_a_directory_is_rejected_and_names_the_first(
    probe: Probe, second: Probe
) -> None:
    probe.start(probe.plan(LONG, run="first"))
    workdir = probe.wait_for("hello")["workdir"]
    said = refusal(second)
    assert "another test holds this target: run first on host" in said
    assert f"process {probe.pid()}" in said
    assert str(probe.target / workdir) in said
    assert probe.stop() == "stopped"
    measures(second)
    assert disk_locks() == []


def test_a_second_test_in_another_directory_of_the_same_disk_is_rejected(
    probe: Probe, tmp_path: Path
) -> None:
    with on_disk(probe, tmp_path, "ext4") as point:
        neighbor = other(probe, "second", point / "b")
        probe.start(probe.plan(HANGING, run="first"))
        workdir = probe.wait_for("hello")["workdir"]
        said = refusal(neighbor)
        assert "another test holds the disk loop" in said
        assert str(probe.target / workdir) in said
        assert neighbor.leftovers() == []
        assert probe.stop() == "stopped"
        measures(neighbor)


def test_tests_on_two_disks_run_in_parallel(probe: Probe, tmp_path: Path) -> None:
    with (
        mounted(tmp_path / "a.img", tmp_path / "a", "ext4") as a,
        mounted(tmp_path / "b.img", tmp_path / "b", "ext4") as b,
    ):
        probe.target = a / "target"
        probe.target.mkdir()
        neighbor = other(probe, "second", b / "target")
        probe.start(probe.plan(HANGING))
        probe.wait_for("sample")
        measures(neighbor)
        assert probe.stop() == "stopped"
    probe.target = tmp_path / "target"


def test_participants_of_one_run_share_a_target(probe: Probe, second: Probe) -> None:
    third = other(probe, "third", probe.target)
    probe.start(probe.plan(LONG, run="r7-p0", group="r7"))
    probe.wait_for("sample")
    second.start(second.plan(LONG, run="r7-p1", group="r7"))
    second.wait_for("sample")
    assert "another test holds this target" in refusal(third, group="r8")
    assert probe.stop() == "stopped"
    assert "another test holds this target" in refusal(third, group="r8")
    assert second.stop() == "stopped"
    measures(third)
    assert disk_locks() == []


def test_a_killed_probe_does_not_block_others(probe: Probe, second: Probe) -> None:
    probe.start(probe.plan(LONG, run="first"))
    probe.wait_for("sample")
    probe.kill()
    assert not (probe.target / LOCK).exists(), "a local directory needs no file"
    second.start(second.plan({}))
    second.follow()
    assert of(second.events(), "end")[0]["status"] == "done"
    assert probe.answer("sweep", probe.home / "runs")["failed"] == []
    assert probe.leftovers() == []
    assert disk_locks() == []


def test_a_container_with_a_separate_lock_directory_is_rejected(
    probe: Probe, second: Probe
) -> None:
    probe.start(probe.plan(LONG, run="first"))
    workdir = probe.wait_for("hello")["workdir"]
    done = second.start(second.plan({}), prefix=CONTAINER, check=False)
    assert done.returncode == BUSY
    said = f"another test holds this target, in {probe.target / workdir}"
    assert said in done.stderr.decode()
    assert probe.stop() == "stopped"


@contextmanager
def as_nobody(probe: Probe, shared: Path) -> Iterator[Probe]:
    """A probe of an unprivileged user, who may write in `shared`."""
    home = Path("/tmp") / f"assay-nobody-{os.getpid()}"
    home.mkdir(mode=0o755)
    try:
        binary = shutil.copy(probe.binary, home / "assay-probe")
        os.chown(home, NOBODY, NOBODY)
        it = Probe(Path(binary), home, shared)
        it.prefix = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups")
        yield it
        it.clean_up()
    finally:
        shutil.rmtree(home)


@pytest.mark.parametrize("root_first", [True, False])
def test_two_users_see_each_others_locks(probe: Probe, root_first: bool) -> None:
    with mounted(probe.home / "disk.img", Path("/mnt") / f"users-{os.getpid()}", "ext4") as point:
        (point / "nobody").mkdir()
        os.chown(point / "nobody", NOBODY, NOBODY)
        probe.target = point / "root"
        probe.target.mkdir()
        try:
            with as_nobody(probe, point / "nobody") as user:
                first, last = (probe, user) if root_first else (user, probe)
                first.start(first.plan(HANGING, run="the-first"), prefix=first.prefix)
                first.wait_for("sample")
                done = last.start(last.plan({}), prefix=last.prefix, check=False)
                assert done.returncode == BUSY, done.stderr
                assert b"run the-first on host" in done.stderr
                assert first.stop() == "stopped"
                answer = last.start(last.plan({}), prefix=last.prefix)
                assert json.loads(answer.stdout)["state"] == "started"
                last.follow()
                assert of(last.events(), "notice") == []
        finally:
            probe.target = probe.home / "target"
    Path("/mnt", f"users-{os.getpid()}").rmdir()


@pytest.fixture
def occupied(probe: Probe, second: Probe) -> Iterator[tuple[Path, Path]]:
    """The path of the lock file of the probe's disk, and a file to be left unchanged."""
    measures(second)  # takes over and removes the lock file of a probe killed by an earlier test
    device = probe.target.stat().st_dev
    disk = Path(f"/sys/dev/block/{os.major(device)}:{os.minor(device)}").resolve()
    number = ((disk if not (disk / "partition").exists() else disk.parent) / "dev").read_text()
    lock, victim = COMMON / f"assay-disk-{number.strip()}.lock", COMMON / "victim"
    victim.write_text("precious")
    yield lock, victim
    lock.unlink()
    victim.unlink()


@pytest.mark.parametrize("kind", ["symlink", "hard link", "fifo", "other content"])
def test_a_file_that_is_not_a_lock_file_is_left_unchanged(
    probe: Probe, occupied: tuple[Path, Path], kind: str
) -> None:
    """In a world-writable directory, any user may have created it."""
    lock, victim = occupied
    match kind:
        case "symlink":
            lock.symlink_to(victim)
        case "hard link":
            os.link(victim, lock)
        case "fifo":
            os.mkfifo(lock)
        case _:
            lock.write_text("precious")
    events = probe.run({})
    assert [event["code"] for event in of(events, "notice")] == ["not_locked"]
    assert of(events, "end")[0]["status"] == "done"
    assert victim.read_text() == "precious"
    if kind == "other content":
        assert lock.read_text() == "precious"


# -- file systems without locks


def refusing(strace: str, target: Path) -> tuple[str, ...]:
    """Return a prefix with which the target's file system rejects locks; disks are hidden."""
    traced = (strace, "-f", "-qq", "-o", "/dev/null", "-P", str(target), "-P", str(target / LOCK))
    faults = ("-e", "inject=fcntl:error=ENOLCK", "-e", "inject=flock:error=EOPNOTSUPP")
    return (*CONTAINER, *traced, "-e", "trace=fcntl,flock", *faults)


def starts_without_locks(probe: Probe, strace: str) -> subprocess.CompletedProcess[bytes]:
    return probe.start(probe.plan({}), prefix=refusing(strace, probe.target), check=False)


def leave(target: Path, *, boot: str, pid: int, started: int, age_s: float = 0) -> None:
    """Create a lock file as another holder would."""
    lines = ["assay-lock 1", "run theirs", "group theirs", "host elsewhere", f"boot {boot}"]
    lines += [f"processes {Path('/proc/self/ns/pid').readlink()}", "rundir /nowhere"]
    lines += [f"workdir {target}/.assay-theirs", f"pid {pid}", f"started {started}", "since 1"]
    (target / LOCK).write_text("\n".join([*lines, "end", ""]))
    then = time.time() - age_s
    os.utime(target / LOCK, (then, then))


def boot_id() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def started(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19])


def test_without_locks_a_live_holder_elsewhere_is_respected(shipped: Probe, strace: str) -> None:
    leave(shipped.target, boot="another", pid=1, started=1, age_s=200)
    done = starts_without_locks(shipped, strace)
    assert done.returncode == BUSY
    assert f"in {shipped.target}/.assay-theirs".encode() in done.stderr
    (shipped.target / LOCK).unlink()


def test_without_locks_a_silent_holder_elsewhere_is_stale(shipped: Probe, strace: str) -> None:
    leave(shipped.target, boot="another", pid=1, started=1, age_s=400)
    assert starts_without_locks(shipped, strace).returncode == 0
    assert of(shipped.events(), "end")[0]["status"] == "done"
    assert shipped.leftovers() == []


def test_without_locks_a_live_process_of_this_boot_is_respected(
    shipped: Probe, strace: str
) -> None:
    own = os.getpid()
    leave(shipped.target, boot=boot_id(), pid=own, started=started(own), age_s=9999)
    assert starts_without_locks(shipped, strace).returncode == BUSY
    leave(shipped.target, boot=boot_id(), pid=own, started=started(own) - 1)
    assert starts_without_locks(shipped, strace).returncode == 0, "the number was given again"
    assert shipped.leftovers() == []


def test_without_locks_a_running_probe_is_respected(
    shipped: Probe, strace: str, tmp_path: Path
) -> None:
    with mounted(tmp_path / "disk.img", tmp_path / "disk", "ext4") as point:
        shipped.target = point / "target"
        shipped.target.mkdir()
        rival = other(shipped, "second", shipped.target)
        started_by = subprocess.Popen(
            [*refusing(strace, shipped.target), shipped.binary, "start", shipped.run_dir],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
        )
        assert started_by.stdin
        started_by.stdin.write(shipped.plan(HANGING, run="first").encode())
        started_by.stdin.close()
        shipped.wait_for("sample")
        assert starts_without_locks(rival, strace).returncode == BUSY
        assert shipped.stop() == "stopped"
        started_by.wait()
        assert not (shipped.run_dir / "target-lock").exists()
        assert starts_without_locks(rival, strace).returncode == 0
        assert shipped.leftovers() == []
    shipped.target = tmp_path / "target"


def test_without_locks_the_file_of_a_killed_probe_is_swept(
    shipped: Probe, strace: str, tmp_path: Path
) -> None:
    prefix = refusing(strace, shipped.target)
    with subprocess.Popen(
        [*prefix, shipped.binary, "start", shipped.run_dir],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
    ) as started_by:
        assert started_by.stdin
        started_by.stdin.write(shipped.plan(LONG).encode())
        started_by.stdin.close()
        shipped.wait_for("sample")
        assert (shipped.target / LOCK).exists()
        shipped.kill()
    shipped.answer("sweep", shipped.home / "runs")
    assert shipped.leftovers() == []
    assert not (shipped.run_dir / "target-lock").exists()

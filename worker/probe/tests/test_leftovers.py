"""Leftovers of a killed probe: none with unnamed files, else those that the next sweep removes."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from probe_driver import LONG, Probe, of
from test_disks import on_disk

LARGE = LONG | {"file_size": 64 << 20}
READ = {"operation": "read", "file_size": 64 << 20, "block": 512, "cache": "direct"}


def files(probe: Probe) -> list[Path]:
    return [path for path in probe.target.rglob("*") if path.is_file()]


@pytest.mark.parametrize(
    "trial",
    [LARGE, LARGE | {"layout": "preallocated"}, LARGE | {"layout": "overwrite"}, READ],
    ids=["fresh", "preallocated", "overwrite", "read"],
)
def test_a_killed_probe_leaves_no_test_file(probe: Probe, trial: dict) -> None:
    probe.start(probe.plan(trial | {"threads": 2, "files": 2}))
    probe.wait_for("sample")
    probe.kill()
    assert probe.events()[0]["files"] == "unnamed"
    assert files(probe) == []
    assert probe.stop() == "dead"
    assert probe.leftovers() == []


@pytest.fixture
def btrfs(probe: Probe, tmp_path: Path) -> Iterator[Probe]:
    """The probe with a target on btrfs, where the sync of an unnamed file would skip work."""
    with on_disk(probe, tmp_path, "btrfs"):
        yield probe


def test_named_files_are_reported_and_swept(btrfs: Probe) -> None:
    btrfs.start(btrfs.plan(LARGE))
    btrfs.wait_for("sample")
    btrfs.kill()
    assert btrfs.events()[0]["files"] == "named"
    assert [notice["code"] for notice in of(btrfs.events(), "notice")] == ["files_named"]
    assert len(files(btrfs)) == 1
    (removed,) = btrfs.answer("sweep", btrfs.run_dir.parent)["removed"]
    assert removed["bytes"] > 0
    assert btrfs.leftovers() == []


@pytest.mark.parametrize("name", ["file0-0", "precious"])
def test_sweep_removes_no_file_by_its_name_alone(btrfs: Probe, name: str) -> None:
    btrfs.start(btrfs.plan(LARGE))
    btrfs.wait_for("sample")
    btrfs.kill()
    (ours,) = files(btrfs)
    ours.unlink()
    theirs = ours.with_name(name)
    theirs.write_bytes(b"data" * 100_000)
    (failed,) = btrfs.answer("sweep", btrfs.run_dir.parent)["failed"]
    assert "the run did not create" in failed["reason"]
    assert theirs.read_bytes() == b"data" * 100_000
    theirs.unlink()
    assert len(btrfs.answer("sweep", btrfs.run_dir.parent)["removed"]) == 1


def test_a_link_that_replaces_a_named_file_is_not_followed(btrfs: Probe, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("data")
    btrfs.start(btrfs.plan(LARGE | {"timeout_ms": 1500}, {"threads": 2, "files": 2}))
    btrfs.wait_for("sample")
    (workdir,) = btrfs.target.glob(".assay-*")
    planted = workdir / "file1-1"
    planted.symlink_to(precious)
    btrfs.follow()
    assert [result["status"] for result in of(btrfs.events(), "result")] == ["timed_out", "failed"]
    assert precious.read_text() == "data"
    assert planted.is_symlink()
    planted.unlink()
    assert len(btrfs.answer("sweep", btrfs.run_dir.parent)["removed"]) == 1


def test_a_set_of_named_files_is_used_by_its_trials_and_removed(btrfs: Probe) -> None:
    trials = [{"operation": "read", "threads": 2, "files": 2}] * 2 + [{"layout": "overwrite"}]
    events = btrfs.run(*trials)
    assert [result["status"] for result in of(events, "result")] == ["complete"] * 3
    assert btrfs.leftovers() == []


@pytest.mark.parametrize("kind", ["ext4", "xfs"])
def test_a_sync_of_an_unnamed_file_flushes_the_device(
    probe: Probe, tmp_path: Path, kind: str
) -> None:
    with on_disk(probe, tmp_path, kind) as point:
        device = Path(
            subprocess.check_output(["findmnt", "-no", "SOURCE", point], text=True).strip()
        ).name
        stat = Path("/sys/class/block", device, "stat")
        subprocess.check_call(["sync", "--file-system", point])
        before = int(stat.read_text().split()[15])
        events = probe.run({"file_size": 8 << 20}, {"file_size": 8 << 20})
        assert events[0]["files"] == "unnamed"
        assert int(stat.read_text().split()[15]) - before >= 2


def lose_power(probe: Probe, *, kept: int) -> Path:
    """Make a killed probe's run directory look like that after a reboot; return its test directory.

    Of the record of its files only `kept` lines had reached the disk.
    """
    record, files = probe.run_dir / "workdir", probe.run_dir / "files"
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    record.write_text(record.read_text().replace(boot, "00000000-0000-4000-8000-000000000000"))
    lines = files.read_text().splitlines(keepends=True)
    files.write_text("".join(lines[:kept]))
    if kept == 0:
        files.unlink()
    (workdir,) = probe.target.glob(".assay-*")
    return workdir


@pytest.mark.parametrize("kept", [0, 1, 3, 4])
def test_files_whose_record_a_power_failure_lost_are_swept(probe: Probe, kept: int) -> None:
    """A file has two lines: one before and one after its creation; the first is the alignment's."""
    trial = {"layout": "sequence", "file_bytes": 1 << 20, "length_bytes": 1 << 30, "pace": "rate"}
    trial |= {"rate_bytes_per_s": 32 << 20}
    probe.start(probe.plan(trial, job="sustained"))
    probe.wait_for("sample", count=2)
    probe.kill()
    workdir = lose_power(probe, kept=kept)
    assert len(list(workdir.glob("stream*"))) > 2
    (removed,) = probe.answer("sweep", probe.run_dir.parent)["removed"]
    assert removed["bytes"] > 0
    assert probe.leftovers() == []


@pytest.mark.parametrize(
    "name", ["file0-1", "set0-2", "stream0-1-2", "path1-0", "fill-3", "settle", "alignment"]
)
def test_a_lost_record_of_any_kind_of_test_file_leaves_none(probe: Probe, name: str) -> None:
    trial = {"layout": "sequence", "file_bytes": 1 << 20, "length_bytes": 1 << 30, "pace": "rate"}
    probe.start(probe.plan(trial | {"rate_bytes_per_s": 32 << 20}, job="sustained"))
    probe.wait_for("sample", count=1)
    probe.kill()
    (lose_power(probe, kept=0) / name).write_bytes(bytes(4096))
    assert len(probe.answer("sweep", probe.run_dir.parent)["removed"]) == 1
    assert probe.leftovers() == []


def test_a_power_failure_does_not_make_foreign_files_those_of_a_run(probe: Probe) -> None:
    trial = {"layout": "sequence", "file_bytes": 1 << 20, "length_bytes": 1 << 30, "pace": "rate"}
    probe.start(probe.plan(trial | {"rate_bytes_per_s": 32 << 20}, job="sustained"))
    probe.wait_for("sample", count=2)
    probe.kill()
    workdir = lose_power(probe, kept=0)
    precious = [workdir / "precious", workdir / "stream0-0-0.bak"]
    for path in precious:
        path.write_text("data")
    (failed,) = probe.answer("sweep", probe.run_dir.parent)["failed"]
    assert "the run did not create" in failed["reason"]
    assert [path.read_text() for path in precious] == ["data", "data"]
    for path in precious:
        path.unlink()
    assert len(probe.answer("sweep", probe.run_dir.parent)["removed"]) == 1

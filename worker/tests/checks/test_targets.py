"""Checks of directories, and the comparison before each run."""

import subprocess
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from assay.runs.campaigns.places import find_places
from assay.runs.campaigns.schemas import CampaignPlan
from assay.runs.queries import one
from assay.tables.database import reading, writing
from assay.tables.targets import Target
from testing.disks import mounted
from testing.installation import MB, Installation, drive, files_below
from testing.sshd import Sshd


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A small separate file system at a mount point; needs root."""
    with mounted(tmp_path, 64 * MB) as point:
        yield point


def problem(installation: Installation, path: Path) -> str | None:
    check = installation.check(installation.local_host(f"for {path}"), "target", path=str(path))
    assert check.answer is not None
    found = check.answer["problem"]
    return found and found["code"]


def refusal(installation: Installation, run_id: int) -> str:
    drive(run_id)
    run = installation.run(run_id)
    assert run.state == "failed"
    assert run.error is not None
    assert all(run.error[part] for part in ("code", "title", "detail", "remedy"))
    assert installation.reservations(run_id) == []
    return run.error["code"]


def free_bytes(target_id: int) -> int:
    with reading() as session:
        return (
            find_places(session, CampaignPlan(profile_id=1, target_ids=[target_id]))
            .places[0]
            .free_bytes
        )


def test_a_problem_of_a_directory_is_reported(
    installation: Installation, tmp_path: Path, disk: Path
) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to(disk)
    (tmp_path / "good").mkdir()
    assert problem(installation, tmp_path / "good") is None
    assert problem(installation, tmp_path / "missing") == "missing"
    assert problem(installation, tmp_path / "file") == "not_directory"
    assert problem(installation, tmp_path / "link") == "symlink_other_fs"
    subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
    assert problem(installation, disk) == "read_only"


def test_every_inspection_of_a_host_updates_the_free_space_of_its_targets(
    installation: Installation, disk: Path, tmp_path: Path
) -> None:
    host = installation.local_host()
    target = installation.target(host, disk)
    empty = free_bytes(target)
    (disk / "filler").write_bytes(bytes(20 * MB))
    installation.check(host)
    assert free_bytes(target) <= empty - 20 * MB
    (disk / "filler").unlink()
    installation.check(host, "target", path=str(tmp_path))
    assert free_bytes(target) > empty - 20 * MB
    (disk / "filler").write_bytes(bytes(20 * MB))
    assert refusal(installation, installation.launch(target, file_size=40 * MB)) == "does_not_fit"
    assert free_bytes(target) <= empty - 20 * MB


def test_a_block_device_is_reported(installation: Installation) -> None:
    device = next(Path("/dev").glob("loop[0-9]*"), Path("/dev/vda"))
    assert problem(installation, device) == "block_device"


def test_nothing_is_written_to_an_unmounted_target(installation: Installation, disk: Path) -> None:
    run_id = installation.launch(installation.target(installation.local_host(), disk))
    subprocess.run(["umount", disk], check=True)
    assert refusal(installation, run_id) == "target_changed"
    error = installation.run(run_id).error or {}
    assert error["remedy"].startswith("Mount the previous one again")
    assert error["remedy"] not in error["detail"]
    assert files_below([disk]) == []


def test_a_directory_with_assays_own_files_is_reported(
    installation: Installation, tmp_path: Path
) -> None:
    (installation.home / "queue").mkdir(exist_ok=True)
    (installation.home / "scratch").mkdir()
    (tmp_path / "link").symlink_to(installation.home / "queue")
    for path in (installation.home, installation.home / "queue", tmp_path / "link"):
        assert problem(installation, path) == "appliance_directory"
    assert problem(installation, installation.home / "scratch") is None


def test_a_directory_with_assays_own_files_is_reported_by_ssh(
    installation: Installation, sshd: Sshd
) -> None:
    check = installation.check(installation.ssh_host(sshd), "target", path=str(installation.home))
    assert check.answer is not None
    assert check.answer["problem"]["code"] == "appliance_directory"


def test_nothing_is_written_where_a_link_leads_to_assays_own_files(
    installation: Installation, tmp_path: Path
) -> None:
    disk, link = tmp_path / "good", tmp_path / "link"
    disk.mkdir()
    link.symlink_to(disk)
    run_id = installation.launch(installation.known_target(installation.local_host(), link))
    queue = installation.home / "queue"
    queue.mkdir(exist_ok=True)
    link.unlink()
    link.symlink_to(queue)
    assert refusal(installation, run_id) == "appliance_directory"
    assert files_below([queue, disk]) == []


def conditions_of(run_id: int) -> dict[str, Any]:
    with reading() as session:
        return one(session, run_id).conditions


def test_a_remount_between_two_runs_changes_only_their_conditions(
    installation: Installation, disk: Path
) -> None:
    target = installation.target(installation.local_host(), disk)
    with reading() as session:
        facts = session.get_one(Target, target).facts
    first = installation.launch(target)
    installation.drive_to_the_end(first)
    before = conditions_of(first)
    told = ("device", "scheduler", "write_cache", "read_ahead_bytes", "alignment_bytes")
    assert {name: before[name] for name in told} == {name: facts[name] for name in told}
    assert before["fs_options"] == facts["options"]
    subprocess.run(["mount", "-o", "remount,noatime", disk], check=True)
    second = installation.launch(target)
    installation.drive_to_the_end(second)
    after = conditions_of(second)
    assert {name for name in after if after[name] != before[name]} == {"fs_options"}
    assert conditions_of(first) == before


def test_a_missing_directory_is_reported(installation: Installation, tmp_path: Path) -> None:
    target = installation.target(installation.local_host(), tmp_path / "scratch")
    (tmp_path / "scratch").rmdir()
    run_id = installation.launch(target)
    assert refusal(installation, run_id) == "path_missing"
    error = installation.run(run_id).error or {}
    assert error["detail"] == f"{tmp_path / 'scratch'}: does not exist on the host"


def test_too_little_free_space_is_reported_with_the_figures(
    installation: Installation, disk: Path
) -> None:
    target = installation.target(installation.local_host(), disk)
    run_id = installation.launch(target, file_size=80 * MB)
    assert refusal(installation, run_id) == "does_not_fit"
    error = installation.run(run_id).error
    assert error is not None
    assert "the test needs 80.0 MB," in error["detail"]


def test_the_reserve_is_kept_free(installation: Installation, disk: Path) -> None:
    target = installation.target(installation.local_host(), disk)
    with writing() as session:
        session.get_one(Target, target).reserve_bytes = 64 * MB
    assert refusal(installation, installation.launch(target)) == "does_not_fit"


@pytest.fixture
def on_root() -> Iterator[Path]:
    """A folder on the root file system, as temporary folders of tests are in memory."""
    with TemporaryDirectory(dir="/var/tmp") as name:
        yield Path(name)


def test_the_root_file_system_needs_consent(installation: Installation, on_root: Path) -> None:
    target = installation.target(installation.local_host(), on_root / "scratch")
    with writing() as session:
        row = session.get_one(Target, target)
        row.root_consent = False
        is_root = row.facts["is_root_fs"]
    assert is_root, "this test wants /var/tmp on the root file system"
    assert refusal(installation, installation.launch(target)) == "root_fs_consent_required"

"""The target: inspected correctly, compared at every start, and never left by a byte."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from probe_driver import LONG, Probe, moments, of


def target_of(probe: Probe, path: object) -> dict:
    return probe.answer("inspect", "--target", path)["target"]


def test_inspect_describes_the_host(probe: Probe) -> None:
    host = probe.answer("inspect")
    assert host["contract"] == 2
    assert host["kernel"] == os.uname().release
    assert host["arch"] == os.uname().machine
    assert host["cpus"]["count"] == os.cpu_count()
    assert host["mem_total_bytes"] >= host["mem_limit_bytes"] > 0
    assert host["boot_id"] == Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    assert "target" not in host
    mounts = {filesystem["mount"]: filesystem for filesystem in host["filesystems"]}
    assert mounts["/"]["size_bytes"] >= mounts["/"]["free_bytes"] > 0
    assert not {"/proc", "/sys", "/dev"} & set(mounts)
    for device in host["devices"]:
        sectors = Path(f"/sys/block/{device['name']}/size").read_text()
        assert device["size_bytes"] == int(sectors) * 512
        assert isinstance(device["slaves"], list)
    assert all(card["name"] != "lo" for card in host["nics"])


def test_inspect_lists_only_the_cards_of_its_network_namespace(probe: Probe) -> None:
    """A container may have the /sys of its host, which lists the host's cards."""
    cards = "ip link add probe-a type veth peer name probe-b && mount -t sysfs sysfs /sys"
    # the shell stays, because the cards end with the last process of their namespace
    host = ("unshare", "-n", "-m", "sh", "-c", f'{cards} && "$@"; exit $?', "sh")
    assert {card["name"] for card in probe.answer("inspect", prefix=host)["nics"]} == {
        "probe-a",
        "probe-b",
    }
    assert probe.answer("inspect", prefix=(*host, "unshare", "-n"))["nics"] == []


def test_inspect_reports_the_size_of_the_whole_disk_for_a_partition(probe: Probe) -> None:
    found = probe.answer("inspect", "--target", probe.target)
    sizes = {device["name"]: device["size_bytes"] for device in found["devices"]}
    for place in (*found["filesystems"], found["target"]):
        if place["device"] is None:
            assert place["device_bytes"] is None
            continue
        here = Path(f"/sys/class/block/{place['device']}")
        disk = here.resolve().parent if (here / "partition").exists() else here
        assert place["device_bytes"] == sizes[disk.name]


def test_inspect_agrees_with_hello_about_a_target(probe: Probe) -> None:
    target = target_of(probe, probe.target)
    assert target["problem"] is None
    assert target["writable"] and target["exists"] and target["is_directory"]
    assert target["direct"] in {"real", "buffered", "refused", "unprovable"}
    assert target["free_bytes"] <= target["size_bytes"]
    hello = probe.run({})[0]
    for name, same in (
        ("fs_type", "type"),
        ("fs_source", "source"),
        ("fs_uuid", "uuid"),
        ("device", "device"),
        ("alignment_bytes", "alignment_bytes"),
    ):
        assert hello[name] == target[same]
    assert probe.leftovers() == []


def test_inspect_reports_the_inodes_that_are_free(memory_target: Probe) -> None:
    free = target_of(memory_target, memory_target.target)["free_inodes"]
    found = os.statvfs(memory_target.target)
    assert free is not None and abs(free - found.f_favail) < 1000


def test_inspect_detects_that_tmpfs_buffers_direct_writes(memory_target: Probe) -> None:
    target = target_of(memory_target, memory_target.target)
    assert (target["kind"], target["type"]) == ("memory", "tmpfs")
    assert target["direct"] in {"buffered", "refused"}
    assert target["device"] is None


def test_inspect_reports_the_real_path_of_a_directory(probe: Probe, tmp_path: Path) -> None:
    (tmp_path / "near").symlink_to(probe.target)
    real = os.path.realpath(probe.target)
    for spelling in (probe.target, f"{probe.target}/../{Path(real).name}", tmp_path / "near"):
        found = target_of(probe, spelling)
        assert (found["path"], found["real_path"]) == (str(spelling), real)
    assert target_of(probe, tmp_path / "nothing")["real_path"] is None


def test_inspect_names_each_problem_of_a_target(probe: Probe, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "link").symlink_to("/dev/shm")
    (tmp_path / "near").symlink_to(probe.target)
    assert target_of(probe, tmp_path / "nothing")["problem"]["code"] == "missing"
    assert target_of(probe, "relative")["problem"]["code"] == "missing"
    assert target_of(probe, tmp_path / "file")["problem"]["code"] == "not_directory"
    assert target_of(probe, "/proc")["problem"]["code"] == "not_writable"
    crossing = target_of(probe, tmp_path / "link")
    assert crossing["is_symlink_into_other_fs"]
    assert crossing["problem"]["code"] == "symlink_other_fs"
    assert target_of(probe, tmp_path / "near")["problem"] is None
    assert target_of(probe, tmp_path / "nothing")["problem"]["message"]


def test_inspect_rejects_a_block_device(probe: Probe, tmp_path: Path) -> None:
    assert os.geteuid() == 0, "making a block device's node needs root"
    node = tmp_path / "disk"
    os.mknod(node, 0o60600, os.makedev(7, 0))
    found = target_of(probe, node)
    assert found["is_block_device"]
    assert found["problem"]["code"] == "block_device"
    events = failed_events(probe, path=node)
    assert of(events, "error")[0]["code"] == "target_changed"


def as_nobody(probe: Probe, *words: object, **options):
    """Run a verb as an unprivileged user, with a copy of the probe that this user can reach."""
    return probe.verb(
        *words, prefix=("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"), **options
    )


def test_a_directory_of_another_user_is_not_writable(shipped: Probe, tmp_path: Path) -> None:
    assert os.geteuid() == 0, "becoming another user needs root"
    folder = Path(f"/tmp/assay-probe-test-{os.getpid()}")
    folder.mkdir(mode=0o755)
    binary = folder / "assay-probe"
    binary.write_bytes(shipped.binary.read_bytes())
    binary.chmod(0o755)
    shipped.binary = binary
    try:
        (folder / "target").mkdir(mode=0o755)
        answer = json.loads(as_nobody(shipped, "inspect", "--target", folder / "target").stdout)
        assert answer["target"]["problem"]["code"] == "not_writable"
        (folder / "home").mkdir()
        os.chown(folder / "home", 65534, 65534)
        plan = shipped.plan({}, path=folder / "target")
        as_nobody(shipped, "start", folder / "home/run", stdin=plan)
        spool = as_nobody(
            shipped, "follow", folder / "home/run", "--from", 0, "--generation", 1
        ).stdout
        events = [json.loads(line) for line in spool.splitlines()]
        assert of(events, "error")[0]["code"] == "not_writable"
        assert list((folder / "target").iterdir()) == []
        refused = as_nobody(shipped, "start", folder / "run", stdin=plan, check=False)
        assert refused.returncode == 11  # a home that cannot be written
    finally:
        subprocess.run(["rm", "-rf", folder], check=True)


def failed_events(probe: Probe, **fields: object) -> list[dict]:
    probe.start(probe.plan({}, **fields))
    probe.follow()
    assert probe.problems() == []
    events = probe.events()
    assert events[-1]["status"] == "failed"
    assert of(events, "trial") == []
    return events


@pytest.mark.parametrize("field", ["fs_type", "fs_source", "fs_uuid"])
def test_another_file_system_than_the_registered_one_is_rejected(probe: Probe, field: str) -> None:
    error = of(failed_events(probe, **{field: "something-else"}), "error")[0]
    assert error["code"] == "target_changed"
    assert "something-else" in error["message"]
    assert probe.leftovers() == []


def test_the_same_file_system_as_registered_is_accepted(probe: Probe) -> None:
    target = target_of(probe, probe.target)
    known = {"fs_type": target["type"], "fs_source": target["source"], "fs_uuid": target["uuid"]}
    events = probe.run({}, **{name: value for name, value in known.items() if value})
    assert events[-1]["status"] == "done"


@pytest.mark.parametrize("path", ["missing", "file"])
def test_a_missing_target_or_one_that_is_not_a_directory_ends_the_run(
    probe: Probe, tmp_path: Path, path: str
) -> None:
    (tmp_path / "file").write_text("precious")
    error = of(failed_events(probe, path=tmp_path / path), "error")[0]
    assert error["code"] == "target_changed"
    assert error["message"]
    assert (tmp_path / "file").read_text() == "precious"


def test_a_target_moved_away_between_trials_ends_the_run(probe: Probe, tmp_path: Path) -> None:
    probe.start(probe.plan(LONG | {"timeout_ms": 700}, {}))
    probe.wait_for("sample")
    moved = tmp_path / "moved"
    probe.target.rename(moved)
    probe.target.mkdir()
    probe.follow()
    events = probe.events()
    assert [result["status"] for result in of(events, "result")] == ["timed_out", "failed"]
    assert events[-1]["reason"] == "target_changed"
    assert list(moved.iterdir()) == []
    assert probe.leftovers() == []


def test_links_planted_in_the_test_directory_are_not_followed(probe: Probe, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("data")
    probe.start(probe.plan(LONG | {"timeout_ms": 1500}, {"threads": 2, "files": 2}))
    for _ in moments():
        workdirs = list(probe.target.glob(".assay-*"))
        if workdirs:
            break
    (workdirs[0] / "file1-1").symlink_to(precious)
    probe.follow()
    first, second = of(probe.events(), "result")
    assert first["status"] == "timed_out"
    assert second["status"] == "complete"
    assert precious.read_text() == "data"
    assert not probe.events()[-1]["cleaned"]
    (workdirs[0] / "file1-1").unlink()
    assert len(probe.answer("sweep", probe.run_dir.parent)["removed"]) == 1

"""Small files beside large ones between two real probes: whole, counted, and never left behind."""

from pathlib import Path

import pytest
from probe_driver import Probe, moments, of
from test_disks import call
from transfer_driver import TRIAL, Ends, error

DISKS = {"source": "disk", "sink": "disk"}
SET = {"small_files": 2500, "small_file_bytes": 777}
BYTES = TRIAL["length_bytes"] + 2500 * 777
SLOW = {"pacing_bytes_per_s": 2_000_000, "socket_buffer_bytes": 65536}


def small(probe: Probe) -> dict[str, bytes]:
    """Return the small files of a running trial, by their names."""
    return {
        f"{path.parent.name}/{path.name}": path.read_bytes()
        for path in probe.target.glob(".assay-*/small-0/*/*")
    }


def calls(result: dict) -> dict[str, int]:
    found = result["detail"]["small_files"]
    return {name: found[name]["count"] for name in ("open", "close")}


@pytest.mark.parametrize("threads", [1, 3])
def test_small_files_arrive_beside_large_ones_and_none_is_left(ends: Ends, threads: int) -> None:
    own = {"own": {"sender": {"disk_threads": threads}, "receiver": {"disk_threads": 2}}}
    sender, receiver = ends.run(DISKS | SET | own | {"streams": 2, "sink_cache": "direct"})
    for result in (sender, receiver):
        assert (result["status"], result["bytes"]) == ("complete", BYTES)
        assert calls(result) == {"open": 2500, "close": 2500}
        assert sum(count for _, count in result["detail"]["small_files"]["open"]["hist"]) == 2500
        assert result["ops"] == result["detail"]["blocks"] == 64 + 30  # 84 files fill a block
        assert result["detail"]["digest"] == result["detail"]["peer_digest"] is not None
    assert receiver["sync"] == "complete"
    assert receiver["detail"]["small_files"]["sync_ns"] > 0
    assert sender["detail"]["small_files"]["sync_ns"] == 0
    assert sender["resident_pages"] == 0
    prepared = [e for e in of(ends.sender.events(), "notice") if e["code"] == "prepared"]
    assert [(one["files"], one["bytes"]) for one in prepared] == [(2500 + threads, BYTES)]
    assert ends.sender.leftovers() == ends.receiver.leftovers() == []


def test_each_small_file_arrives_under_its_name_with_its_own_data(ends: Ends) -> None:
    ends.start(DISKS | SET | SLOW)
    ends.meet()
    ends.receiver.wait_for("ready")
    sent = small(ends.sender)
    assert len(sent) == 2500
    assert {len(data) for data in sent.values()} == {777}
    assert len(set(sent.values())) == 2500
    assert {name.split("/")[0] for name in sent} == {"000", "001", "002"}
    ends.release()
    for _ in moments():
        received = {name: data for name, data in small(ends.receiver).items() if len(data) == 777}
        if len(received) > 1000:
            break
    assert received.items() <= sent.items()
    assert ends.results()[1]["status"] == "complete"


@pytest.mark.parametrize(
    ("trial", "opens"),
    [
        ({"leg": "read", "source": "disk"}, [2500, None]),
        ({"leg": "write", "sink": "disk"}, [None, 2500]),
        ({"source": "disk"}, [2500, None]),
        ({"sink": "disk"}, [None, 2500]),
    ],
    ids=["read", "write", "disk to memory", "memory to disk"],
)
def test_every_leg_with_a_disk_moves_them(ends: Ends, trial: dict, opens: list) -> None:
    results = ends.run(trial | SET)
    found = [one["detail"].get("small_files") for one in results]
    assert [one and one["open"]["count"] for one in found] == opens
    moved = [one["bytes"] for one in results]
    assert moved == [BYTES if "leg" not in trial or one else 0 for one in opens]


@pytest.mark.parametrize(("count", "size"), [(1, 1), (3000, 1), (40, 65536), (999, 65535)], ids=str)
def test_sets_of_any_shape_are_whole(ends: Ends, count: int, size: int) -> None:
    fields = {"small_files": count, "small_file_bytes": size, "length_bytes": 65536}
    sender, receiver = ends.run(DISKS | fields)
    for result in (sender, receiver):
        assert (result["status"], result["bytes"]) == ("complete", 65536 + count * size)
        assert calls(result) == {"open": count, "close": count}


def grow(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"x")


def alter(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[400] ^= 1
    path.write_bytes(data)


@pytest.mark.parametrize("change", [Path.unlink, grow, alter], ids=["removed", "longer", "altered"])
@pytest.mark.parametrize("leg", ["read", "transfer"])
def test_a_small_file_that_is_changed_behind_the_trial_is_an_error(
    ends: Ends, change, leg: str
) -> None:
    ends.start(DISKS | SET | {"leg": leg})
    if leg == "transfer":
        ends.meet()
    ends.sender.wait_for("ready")
    change(next(ends.sender.target.glob(".assay-*/small-0/001/001234")))
    ends.release()
    sender, receiver = ends.results()
    assert (sender["status"], sender["reason"]) == ("failed", "source_changed")
    assert "small file 1" in error(ends.sender)["message"]
    assert leg == "read" or receiver["status"] != "complete"
    assert ends.sender.leftovers() == ends.receiver.leftovers() == []


@pytest.mark.parametrize("stage", ["preparing", "moving"])
@pytest.mark.parametrize("killed", ["sender", "receiver"])
def test_what_a_killed_probe_left_is_swept(ends: Ends, killed: str, stage: str) -> None:
    ends.start(DISKS | SLOW | SET)
    victim: Probe = getattr(ends, killed)
    if stage == "moving":
        ends.meet()
        ends.release()
    for _ in moments():
        if any(victim.target.glob(".assay-*/small-0/*/*" if stage == "moving" else ".assay-*")):
            break
    victim.kill()
    victim.answer("sweep", victim.run_dir.parent)
    assert victim.leftovers() == []
    for probe in ends:
        probe.stop()
    assert ends.sender.leftovers() == ends.receiver.leftovers() == []


def test_a_stop_ends_a_long_preparation_between_two_files(ends: Ends) -> None:
    many = {"small_files": 1_000_000, "small_file_bytes": 1, "length_bytes": 65536}
    ends.start(DISKS | many)
    for _ in moments():
        if any(ends.sender.target.glob(".assay-*/small-0/000/000999")):
            break
    assert ends.sender.stop() == "stopped"
    assert not of(ends.sender.events(), "ready")
    assert ends.receiver.stop() == "stopped"
    assert ends.sender.leftovers() == ends.receiver.leftovers() == []


def test_a_trial_that_reaches_its_limit_keeps_what_it_moved(ends: Ends) -> None:
    fields = {"small_files": 2000, "small_file_bytes": 4096, "timeout_ms": 1000}
    sender, receiver = ends.run(DISKS | SLOW | fields)
    assert {sender["status"], receiver["status"]} == {"timed_out"}
    assert 0 < receiver["bytes"] < sender["bytes"] + 1
    assert 0 < calls(receiver)["close"] < 2000
    assert ends.sender.leftovers() == ends.receiver.leftovers() == []


@pytest.mark.parametrize("end", ["sender", "receiver"])
def test_too_few_inodes_are_an_error_before_the_trial(ends: Ends, tmp_path: Path, end: str) -> None:
    victim: Probe = getattr(ends, end)
    point = tmp_path / "few"
    point.mkdir()
    call("mount", "-t", "tmpfs", "-o", "nr_inodes=1000", "tmpfs", point)
    try:
        victim.target = point / "target"
        victim.target.mkdir()
        ends.start(DISKS | SET)
        result = victim.wait_for("result")
        assert (result["status"], result["reason"]) == ("failed", "no_space")
        assert "small_files=2500 needs 2504 inodes" in error(victim)["message"]
        ends.fail(victim)
        assert victim.leftovers() == []
    finally:
        call("umount", point)


def test_a_full_inode_table_during_the_trial_is_named(ends: Ends, tmp_path: Path) -> None:
    point = tmp_path / "few"
    point.mkdir()
    call("mount", "-t", "tmpfs", "-o", "nr_inodes=4000", "tmpfs", point)
    try:
        ends.receiver.target = point / "target"
        ends.receiver.target.mkdir()
        ends.start(DISKS | SET)
        ends.meet()
        ends.receiver.wait_for("ready")
        for number in range(3000):  # of another program
            (point / f"{number}").touch()
        ends.release()
        _, receiver = ends.results()
        assert (receiver["status"], receiver["reason"]) == ("failed", "no_space")
        assert "no inode left" in error(ends.receiver)["message"]
        assert ends.receiver.leftovers() == []
    finally:
        call("umount", point)


def test_both_ends_must_agree_on_the_set(ends: Ends) -> None:
    ends.start(DISKS | SET | {"own": {"sender": {"small_file_bytes": 778}}})
    ends.meet()
    ends.results()
    failed = [e for probe in ends for e in of(probe.events(), "error")]
    assert any("small_file_bytes" in one["message"] for one in failed)


def test_a_leg_without_small_files_says_nothing_of_them(ends: Ends) -> None:
    sender, receiver = ends.run(DISKS)
    assert "small_files" not in sender["detail"] | receiver["detail"]

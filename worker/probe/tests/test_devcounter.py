"""The counter of a target's bytes: of devices, members, paths or an NFS server."""

import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from machines import Machine
from probe_driver import LONG, Probe, of, samples
from test_disks import call

MB = 10**6
BIG = {"file_size": 32 << 20, "block": 1 << 20, "cache": "direct"}


def watched(probe: Probe, move: Callable[[], None]) -> tuple[dict, dict, list[dict]]:
    """Return hello, result and samples of a trial during which `move` changes the counters."""
    probe.start(probe.plan(LONG))
    probe.wait_for("sample")
    move()
    probe.wait_for("sample", count=len(of(probe.events(), "sample")) + 2)
    probe.stop()
    assert probe.problems() == []
    events = probe.events()
    return events[0], of(events, "result")[0], samples(events)


def total(seen: list[dict], column: str) -> int:
    return sum(sample[column] for sample in seen)


def test_a_head_without_statistics_is_counted_by_its_paths(machine: Machine) -> None:
    machine.mount("259:3", "ext4", "/dev/nvme0n1")
    machine.device("nvme0n1", "259:3", iostats=0)
    for name in ("nvme0c0n1", "nvme0c1n1"):
        machine.device(name)
    for name in ("nvme0c0n2", "nvme1c0n1"):  # another namespace, another subsystem
        machine.device(name)
        machine.moved(name, 0, 77 * MB)

    def move() -> None:
        machine.moved("nvme0c0n1", 512, 3 * 512)
        machine.moved("nvme0c1n1", 1024, 5 * 512)

    hello, result, seen = watched(machine.probe, move)
    for event in (hello, result):
        assert event["counter"]["source"] == "paths"
        assert sorted(event["counter"]["names"]) == ["nvme0c0n1", "nvme0c1n1"]
        assert event["counter"]["reason"] is None
    assert (total(seen, "dev_write_bytes"), total(seen, "dev_read_bytes")) == (8 * 512, 3 * 512)
    assert result["dev_app_bytes"] == result["dev_durable_bytes"] == 8 * 512
    assert {sample["dev_busy_ns"] for sample in seen} == {None}


def test_a_head_that_counts_is_counted_itself(machine: Machine) -> None:
    machine.mount("259:3", "ext4", "/dev/nvme0n1")
    machine.device("nvme0n1", "259:3")
    machine.device("nvme0c0n1")
    hello = machine.probe.run({})[0]
    assert hello["counter"] == {
        "source": "device",
        "names": ["nvme0n1"],
        "disks": ["nvme0n1"],
        "copies": 1,
        "reason": None,
    }


def test_a_realtime_section_is_counted_with_the_data_device(machine: Machine) -> None:
    machine.mount("8:0", "xfs", "/dev/sdy", "rw,attr2,rtdev=/dev/sdz,logbufs=8,noquota")
    machine.device("sdy", "8:0")
    machine.device("sdz")

    def move() -> None:
        machine.moved("sdy", 0, 4096)
        machine.moved("sdz", 0, 9 * MB - 9 * MB % 512)

    hello, result, seen = watched(machine.probe, move)
    assert hello["counter"]["source"] == "members"
    assert hello["counter"]["names"] == ["sdy", "sdz"]
    assert total(seen, "dev_write_bytes") == result["dev_app_bytes"] == 4096 + 9 * MB - 9 * MB % 512


def test_a_missing_realtime_section_has_no_counter(machine: Machine) -> None:
    machine.mount("8:0", "xfs", "/dev/sdy", "rw,rtdev=/dev/nowhere")
    machine.device("sdy", "8:0")
    result = of(machine.probe.run({}), "result")[0]
    assert (result["counter"]["source"], result["counter"]["reason"]) == ("none", "members_unknown")
    assert result["dev_app_bytes"] is None


def test_an_nfs_mount_is_counted_by_the_bytes_of_its_server(machine: Machine) -> None:
    machine.mount("0:54", "nfs4", "filer:/vol/a")
    machine.served(100, 200)
    hello, result, seen = watched(machine.probe, lambda: machine.served(5 * MB, 7 * MB))
    assert (hello["counter"]["source"], hello["counter"]["names"]) == ("server", ["nfs4"])
    assert total(seen, "dev_read_bytes") == 5 * MB - 100
    assert total(seen, "dev_write_bytes") == result["dev_app_bytes"] == 7 * MB - 200


def test_a_btrfs_whose_members_are_not_listed_has_no_counter(machine: Machine) -> None:
    machine.mount("0:40", "btrfs", "/dev/sdy")
    machine.device("sdy", "8:0")
    result = of(machine.probe.run({}), "result")[0]
    assert (result["counter"]["source"], result["counter"]["reason"]) == ("none", "members_unknown")


def test_a_doubtful_counter_counts_once_it_changes(machine: Machine) -> None:
    """Old kernels count stacked devices whatever the switch is."""
    machine.mount("253:0", "ext4", "/dev/dm-9")
    machine.device("dm-9", "253:0", iostats=0)
    _, result, seen = watched(machine.probe, lambda: machine.moved("dm-9", 0, 512))
    assert result["counter"] == {
        "source": "device",
        "names": ["dm-9"],
        "disks": ["dm-9"],
        "copies": 1,
        "reason": "iostats_off",
    }
    assert seen[0]["dev_write_bytes"] is None
    assert seen[-1]["dev_write_bytes"] == 0
    assert result["dev_app_bytes"] == 512


@contextmanager
def loop_devices(folder: Path, count: int) -> Iterator[list[str]]:
    """Disks of 256 MiB each."""
    with ExitStack() as stack:
        devices = []
        for number in range(count):
            image = folder / f"member-{number}.img"
            image.touch()
            image.open("r+b").truncate(256 << 20)
            device = call("losetup", "--find", "--show", "--direct-io=on", image)
            stack.callback(call, "losetup", "--detach", device)
            devices.append(device)
        yield devices


@contextmanager
def mounted_target(probe: Probe, folder: Path, *mount: str) -> Iterator[None]:
    point, before = folder / "point", probe.target
    point.mkdir()
    call("mount", *mount, point)
    try:
        probe.target = point / "target"
        probe.target.mkdir()
        yield
        probe.clean_up()
        assert probe.leftovers() == []
    finally:
        probe.target = before
        subprocess.run(["umount", point], capture_output=True, check=False)


@pytest.mark.parametrize(("profile", "copies"), [("raid0", 1), ("raid1", 2)])
def test_a_btrfs_of_several_devices_is_counted_by_all_its_members(
    probe: Probe, tmp_path: Path, profile: str, copies: int
) -> None:
    with loop_devices(tmp_path, 2) as devices:
        call("mkfs.btrfs", "-q", "-d", profile, "-m", "raid1", *devices)
        call("btrfs", "device", "scan", *devices)
        with mounted_target(probe, tmp_path, "-t", "btrfs", devices[0]):
            result = of(probe.run(BIG), "result")[0]
    counter = result["counter"]
    assert (counter["source"], counter["copies"], counter["reason"]) == ("members", copies, None)
    assert sorted(counter["names"]) == sorted(Path(device).name for device in devices)
    assert result["dev_durable_bytes"] == pytest.approx(copies * result["bytes"], rel=0.2)
    assert result["dev_durable_bytes"] >= copies * result["bytes"]


def test_disabled_statistics_are_reported_at_every_trial(probe: Probe, tmp_path: Path) -> None:
    with loop_devices(tmp_path, 1) as (device,):
        call("mkfs.ext4", "-q", device)
        switch = Path("/sys/class/block", Path(device).name, "queue/iostats")
        with mounted_target(probe, tmp_path, device):
            switch.write_text("0")
            off = probe.run(BIG)
            switch.write_text("1")
            on = probe.run(BIG | {"attempt": 2}, generation=2)
    result = of(off, "result")[0]
    assert off[0]["counter"]["reason"] == result["counter"]["reason"] == "iostats_off"
    assert result["dev_app_bytes"] == result["dev_durable_bytes"] == 0
    assert {sample["dev_write_bytes"] for sample in samples(off)} == {None}
    result = of(on, "result")[0]
    assert result["counter"]["reason"] is None
    assert result["dev_durable_bytes"] >= result["bytes"]

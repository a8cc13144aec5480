"""What neighbors move on a target's physical disks, through partitions, mappings and RAID."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pytest
from machines import Machine
from test_devcounter import total, watched

KB = 512 * 2


def volume(number: int, layer: str = "") -> str:
    """Return the uuid of a logical volume, or of a hidden one below it."""
    return f"LVM-{'vg' * 16}{number:032}{layer}"


@dataclass(frozen=True)
class Stack:
    """A machine's block devices, as captured from such hosts, and what they moved in KB.

    `target` has the file system; `neighbors` is what the others moved on its `disks`.
    """

    build: Callable[[Machine], None]
    target: str
    moved: Mapping[str, int]
    disks: set[str]
    neighbors: int


def plain(machine: Machine) -> None:
    machine.disk("sda")
    machine.partition("sda1", "sda")
    machine.partition("sda2", "sda")
    machine.disk("sdb")


def lvm(machine: Machine) -> None:
    plain(machine)
    machine.stacked("dm-0", ["sda2"], volume(0))
    machine.stacked("dm-1", ["sda2"], volume(1))


def striped(machine: Machine) -> None:
    plain(machine)
    machine.stacked("dm-0", ["sda2", "sdb"], volume(0))
    machine.stacked("dm-1", ["sda2", "sdb"], volume(1))


def crypt(machine: Machine) -> None:
    plain(machine)
    machine.stacked("dm-0", ["sda2"], f"CRYPT-LUKS2-{'a' * 32}-root")
    machine.stacked("dm-1", ["dm-0"], volume(0))
    machine.stacked("dm-2", ["dm-0"], volume(1))


def mirror(machine: Machine) -> None:
    for disk in ("sda", "sdb"):
        machine.disk(disk)
        machine.partition(f"{disk}1", disk)
        machine.partition(f"{disk}2", disk)
    machine.stacked("md0", ["sda1", "sdb1"])


def lvm_on_raid(machine: Machine) -> None:
    for disk in ("sda", "sdb", "sdc"):
        machine.disk(disk)
    machine.stacked("md127", ["sda", "sdb", "sdc"])
    machine.stacked("dm-0", ["md127"], volume(0))
    machine.stacked("dm-1", ["md127"], volume(1))


def partitioned_raid(machine: Machine) -> None:
    for disk in ("sda", "sdb"):
        machine.disk(disk)
    machine.stacked("md0", ["sda", "sdb"])
    machine.partition("md0p1", "virtual/block/md0")
    machine.partition("md0p2", "virtual/block/md0")


def multipath(machine: Machine) -> None:
    for path in ("sda", "sdb"):
        machine.disk(path)
    machine.stacked("dm-0", ["sda", "sdb"], "mpath-3600508b400105e210000900000490000")
    machine.stacked("dm-1", ["dm-0"], "part1-mpath-3600508b400105e210000900000490000")
    machine.stacked("dm-2", ["dm-0"], "part2-mpath-3600508b400105e210000900000490000")


def mirrored_volume(machine: Machine) -> None:
    for disk in ("sda", "sdb"):
        machine.disk(disk)
    for leg, disk in enumerate(("sda", "sdb")):
        machine.stacked(f"dm-{2 * leg}", [disk], volume(2 * leg))
        machine.stacked(f"dm-{2 * leg + 1}", [disk], volume(2 * leg + 1))
    machine.stacked("dm-4", ["dm-0", "dm-1", "dm-2", "dm-3"], volume(4))
    machine.stacked("dm-5", ["sda"], volume(5))


def thin(machine: Machine) -> None:
    plain(machine)
    machine.stacked("dm-0", ["sda2"], volume(0, "_tmeta"))
    machine.stacked("dm-1", ["sda2"], volume(1, "_tdata"))
    machine.stacked("dm-2", ["dm-0", "dm-1"], volume(2, "-tpool"))
    machine.stacked("dm-3", ["dm-2"], volume(3))
    machine.stacked("dm-4", ["dm-2"], volume(4))
    machine.stacked("dm-5", ["sda2"], volume(5))


STACKS = {
    "whole disk": Stack(plain, "sdb", {"sdb": 9, "sda": 5}, {"sdb"}, 0),
    "partition": Stack(plain, "sda1", {"sda": 10, "sda1": 6, "sda2": 3}, {"sda"}, 4),
    "lvm": Stack(
        lvm, "dm-0", {"sda": 17, "sda1": 2, "sda2": 15, "dm-0": 10, "dm-1": 5}, {"sda"}, 7
    ),
    "striped lvm": Stack(
        striped,
        "dm-0",
        {"sda": 10, "sda1": 1, "sda2": 9, "sdb": 9, "dm-0": 10, "dm-1": 8},
        {"sda", "sdb"},
        9,
    ),
    "lvm in an encrypted partition": Stack(
        crypt,
        "dm-1",
        {"sda": 20, "sda1": 1, "sda2": 19, "dm-0": 19, "dm-1": 12, "dm-2": 7},
        {"sda"},
        8,
    ),
    "mirror": Stack(
        mirror,
        "md0",
        {"sda": 13, "sda1": 10, "sda2": 3, "sdb": 10, "sdb1": 10, "md0": 10},
        {"sda", "sdb"},
        3,
    ),
    "lvm on a raid": Stack(
        lvm_on_raid,
        "dm-0",
        {"sda": 8, "sdb": 8, "sdc": 8, "md127": 14, "dm-0": 10, "dm-1": 4},
        {"sda", "sdb", "sdc"},
        4,
    ),
    "partition of a raid": Stack(
        partitioned_raid,
        "md0p1",
        {"sda": 15, "sdb": 15, "md0": 15, "md0p1": 9, "md0p2": 6},
        {"sda", "sdb"},
        6,
    ),
    "multipath": Stack(
        multipath,
        "dm-1",
        {"sda": 6, "sdb": 7, "dm-0": 13, "dm-1": 10, "dm-2": 3},
        {"sda", "sdb"},
        3,
    ),
    "mirrored volume": Stack(
        mirrored_volume,
        "dm-4",
        {"sda": 14, "sdb": 11, "dm-0": 1, "dm-1": 10, "dm-2": 1, "dm-3": 10, "dm-4": 10, "dm-5": 3},
        {"sda", "sdb"},
        3,
    ),
    "thin volume": Stack(
        thin,
        "dm-3",
        {"sda": 22, "sda1": 2, "sda2": 20, "dm-1": 15, "dm-3": 10, "dm-4": 5, "dm-5": 5},
        {"sda"},
        12,
    ),
}


@pytest.mark.parametrize("name", STACKS)
def test_neighbors_on_the_disks_below_are_counted(machine: Machine, name: str) -> None:
    stack = STACKS[name]
    stack.build(machine)
    machine.mount(machine.numbers[stack.target], "ext4", f"/dev/{stack.target}")

    def move() -> None:
        for device, moved in stack.moved.items():
            machine.moved(device, moved * KB, 2 * moved * KB)

    hello, result, seen = watched(machine.probe, move)
    assert hello["counter"]["names"] == [stack.target]
    assert set(hello["counter"]["disks"]) == stack.disks
    found = result["contention"]
    assert found["dev_write_bytes"] == 2 * stack.moved[stack.target] * KB
    assert found["neighbor_read_bytes"] == stack.neighbors * KB
    assert found["neighbor_write_bytes"] == 2 * stack.neighbors * KB
    assert total(seen, "neighbor_read_bytes") == stack.neighbors * KB
    assert total(seen, "neighbor_write_bytes") == 2 * stack.neighbors * KB


def test_neighbors_are_unknown_where_the_disk_does_not_count(machine: Machine) -> None:
    plain(machine)
    machine.write("/sys/class/block/sda/queue/iostats", "0\n")
    machine.mount(machine.numbers["sda1"], "ext4", "/dev/sda1")
    _, result, seen = watched(machine.probe, lambda: machine.moved("sda", 0, KB))
    assert result["contention"]["neighbor_write_bytes"] is None
    assert {sample["neighbor_write_bytes"] for sample in seen} == {None}

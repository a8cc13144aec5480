"""What kernel threads move bytes for: the target, others, or nobody can tell."""

import subprocess
from pathlib import Path

import pytest
from machines import Machine
from probe_driver import Probe, of
from test_disks import on_disk

STACK = ("dm-1", "dm-0", "md0", "sda1", "sda", "sdb1", "sdb")
"""A logical volume in an encrypted RAID of two partitions."""

SERVES = {
    "jbd2/dm-1-8": "target",
    "jbd2/dm-2-8": "others",  # another volume of the group
    "jbd2/sda2-8": "others",  # another partition of the disk
    "jbd2/nvme0n1p12": "unknown",  # cut short: no such device
    "kworker/u8:0-loop7": "others",
    "kworker/u8:0+loop7": "others",
    "loop7": "others",
    "kworker/u8:1-flush-{dm-1}": "target",
    "kworker/u8:1-flush-{sda}": "target",
    "kworker/u8:1-flush-{loop7}": "others",
    "kworker/u8:1-flush-0:47": "unknown",  # of a network file system
    "kcryptd/{dm-0}": "target",
    "kworker/u8:2-kcryptd-{dm-0}-1": "target",
    "kworker/u8:2-kcryptd_io-{dm-2}-1": "others",
    "dmcrypt_write/{dm-0}": "target",
    "kdmflush/{dm-1}": "target",
    "md0_raid1": "target",
    "md0_resync": "others",
    "md0_reshape": "others",
    "md1_raid5": "others",
    "xfsaild/dm-1": "target",
    "xfs-conv/sda2": "others",
    "kworker/0:1H-kblockd": "unknown",
    "kworker/u8:0-events_unbound": "unknown",
    "kworker/1:10": "unknown",
    "kswapd0": "unknown",
    "ext4-rsv-conver": "unknown",
}


def test_kernel_threads_belong_to_the_device_that_they_serve(
    machine: Machine, kthreads_checker: Path
) -> None:
    for disk in ("sda", "sdb", "loop7", "nvme0n1"):
        machine.disk(disk)
    for partition in ("sda1", "sda2", "sdb1"):
        machine.partition(partition, partition[:3])
    machine.stacked("md0", ["sda1", "sdb1"])
    machine.stacked("md1", ["sda2"])
    machine.stacked("dm-0", ["md0"], "CRYPT-LUKS2-root")
    machine.stacked("dm-1", ["dm-0"], f"LVM-{'1' * 64}")
    machine.stacked("dm-2", ["dm-0"], f"LVM-{'2' * 64}")
    names = [name.format(**machine.numbers) for name in SERVES]
    told = subprocess.run(
        [kthreads_checker, *names, "--", *STACK],
        env=machine.probe.environment,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert dict(zip(SERVES, told, strict=True)) == SERVES


@pytest.mark.alone  # the machine's own threads must have little else to do
def test_the_threads_of_a_loop_device_are_not_others(probe: Probe, tmp_path: Path) -> None:
    """They write the image of the disk on behalf of the probe, and nobody else does."""
    trial = {"file_size": 192 << 20, "block": 1 << 20, "cache": "direct"}
    with on_disk(probe, tmp_path, "ext4"):
        result = of(probe.run(trial), "result")[0]
    found = result["contention"]
    assert found["own_write_bytes"] >= 192 << 20
    assert found["others_write_bytes"] < 32 << 20, (
        result["counter"]["names"],
        found["busiest"],
        found["sees_all"],
    )

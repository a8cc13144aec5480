"""A disk of two partitions: the file system is on the first, and the second is for neighbors.

The partitions are announced to the kernel as `partx` does, and their nodes are made beside the
image, so that neither udev nor a writable /dev is needed.
"""

import fcntl
import os
import struct
from array import array
from pathlib import Path

from lab.commands import call
from lab.disks import MKFS, SECTOR, Disk, Moved, moved
from lab.site import Site

ALIGNMENT = 1 << 20
_BLKPG, _ADD = 0x1269, 1
_PARTITION = struct.Struct("qqi64s64s4x")  # struct blkpg_partition
_REQUEST = struct.Struct("iiiP")  # struct blkpg_ioctl_arg


class PartitionedDisk(Disk):
    """A disk whose `device` is its first partition; `neighbor` is the node of the second.

    Both together have the rates that it is throttled to.
    """

    LOSETUP = ("--partscan",)

    def __init__(
        self, site: Site, name: str, size: int, file_system: str, in_memory: bool = False
    ) -> None:
        """Create image, device, partitions of half the size each, and the file system."""
        super().__init__(site, name, size, file_system, in_memory)
        self._disk = self.device
        half = size // 2 // ALIGNMENT * ALIGNMENT
        rest = size // ALIGNMENT * ALIGNMENT - half
        self.device = self._partition(1, ALIGNMENT, half - ALIGNMENT)
        self.neighbor = self._partition(2, half, rest)
        call(*MKFS[file_system], self.device)

    @property
    def number(self) -> str:
        """The number of the whole disk, which throttles both."""
        return Path(f"/sys/block/{self._disk.name}/dev").read_text().strip()

    @property
    def disk_name(self) -> str:
        """The name of the whole disk below /dev."""
        return self._disk.name

    @property
    def moved(self) -> Moved:
        """The counters of the whole disk."""
        return moved(self._disk.name)

    @property
    def neighbor_moved(self) -> Moved:
        """The counters of the second partition."""
        return moved(f"{self._disk.name}/{self._disk.name}p2")

    def _partition(self, number: int, start: int, length: int) -> Path:
        assert start % SECTOR == 0
        content = array("b", _PARTITION.pack(start, length, number, b"", b""))
        request = _REQUEST.pack(_ADD, 0, len(content), content.buffer_info()[0])
        disk = os.open(self._disk, os.O_RDWR)
        try:
            fcntl.ioctl(disk, _BLKPG, request)
        finally:
            os.close(disk)
        name = f"{self._disk.name}p{number}"
        major, minor = Path(f"/sys/class/block/{name}/dev").read_text().split(":")
        node = self.image.with_suffix(f".p{number}")
        os.mknod(node, 0o60660, os.makedev(int(major), int(minor)))
        return node

"""Three imaginary arrays, each at a host of its own, for people who have none at hand."""

from dataclasses import dataclass

from lab.disks import Disk
from lab.hosts import Host
from lab.lab import GIB, MIB, Lab

SIZE = 64 * GIB
"""Of each disk. It takes no more of the machine than what tests write, and 10 GB stay free."""


@dataclass(frozen=True)
class Array:
    """What an array is like; rates in bytes per second."""

    host: str
    disk: str
    character: str
    file_system: str
    read: int
    write: int
    cache: int = 0
    """Bytes that are written at `write`; after them comes `slow`."""
    slow: int = 0

    def raised(self, lab: Lab) -> tuple[Host, Disk]:
        """The array and its host, switched on."""
        disk = lab.disk(self.disk, SIZE, self.file_system, read=self.read, write=self.write)
        if self.cache:
            disk.slow_after(self.cache, rate=self.slow, rest_s=REST_S)
        return lab.host(self.host, disk), disk


REST_S = 5.0
"""Without a write for so long, a full cache is empty again."""

ARRAYS = (
    Array(
        "nvme-shelf",
        "shelf",
        "fast NVMe shelf: 350 MiB/s",
        "xfs",
        read=350 * MIB,
        write=350 * MIB,
    ),
    Array(
        "sata-array",
        "sata",
        "SATA array: 100 MiB/s, but 30 MiB/s once 1 GiB of writes has filled its cache",
        "ext4",
        read=100 * MIB,
        write=100 * MIB,
        cache=GIB,
        slow=30 * MIB,
    ),
    Array(
        "old-nas",
        "nas",
        "old USB box: 40 MiB/s",
        "ext4",
        read=40 * MIB,
        write=40 * MIB,
    ),
)

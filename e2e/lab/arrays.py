"""Three simulated arrays, each on its own host."""

from dataclasses import dataclass

from lab.disks import Disk
from lab.hosts import Host
from lab.lab import GIB, MIB, Lab

SIZE = 64 * GIB
"""Size of each disk. Images are sparse, so they use only the space that tests write."""


@dataclass(frozen=True)
class Array:
    """Properties of a simulated array; rates in bytes per second."""

    host: str
    disk: str
    character: str
    file_system: str
    read: int
    write: int
    cache: int = 0
    """Bytes that are written at the rate `write`; then the rate drops to `slow`."""
    slow: int = 0

    def raised(self, lab: Lab) -> tuple[Host, Disk]:
        """Start the array and its host."""
        disk = lab.disk(self.disk, SIZE, self.file_system, read=self.read, write=self.write)
        if self.cache:
            disk.slow_after(self.cache, rate=self.slow, rest_s=REST_S)
        return lab.host(self.host, disk), disk


REST_S = 5.0
"""A full cache empties after this long without a write."""

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
        "SATA array: 100 MiB/s, 30 MiB/s after 1 GiB of writes has filled its cache",
        "ext4",
        read=100 * MIB,
        write=100 * MIB,
        cache=GIB,
        slow=30 * MIB,
    ),
    Array(
        "old-nas",
        "nas",
        "old NAS: 40 MiB/s",
        "ext4",
        read=40 * MIB,
        write=40 * MIB,
    ),
)

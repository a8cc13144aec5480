"""Four simulated arrays, each on its own host; the hosts reach one another."""

from collections.abc import Sequence
from dataclasses import dataclass

from lab.commands import LabError
from lab.disks import Disk
from lab.hosts import Host
from lab.lab import GIB, MIB, Lab

SIZE = 64 * GIB
"""Size of each disk. Images are sparse, so they use only the space that tests write."""

IN_MEMORY = 768 * MIB
"""Size of each disk in memory, all of which is used at once."""


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
    line: int | None = None
    """What the host's network carries in each direction; None is no limit."""

    def raised(self, lab: Lab, *, in_memory: bool = False) -> tuple[Host, Disk]:
        """Start the array and its host; a disk in memory is small, and has no cache."""
        size = IN_MEMORY if in_memory else SIZE
        rates = {"read": self.read, "write": self.write}
        disk = lab.disk(self.disk, size, self.file_system, in_memory=in_memory, **rates)
        if self.cache and not in_memory:
            disk.slow_after(self.cache, rate=self.slow, rest_s=REST_S)
        host = lab.host(self.host, disk)
        host.reach_others()
        host.allow_logins_from_here()
        if self.line:
            host.link.set_rate(self.line)
        return host, disk


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
    Array(
        "remote-site",
        "remote",
        "remote site: 150 MiB/s, behind a line of 200 Mb/s",
        "xfs",
        read=150 * MIB,
        write=150 * MIB,
        line=25_000_000,
    ),
)


def raise_all(lab: Lab, *, in_memory: bool = False) -> Sequence[tuple[Array, Host, Disk]]:
    """Start all arrays; raises LabError if their hosts do not reach one another."""
    raised = [(array, *array.raised(lab, in_memory=in_memory)) for array in ARRAYS]
    (_, one, _), *others = raised
    for _, other, _ in others:
        try:
            port = f"/dev/tcp/{other.address}/{other.port}"
            one.run_as_root("timeout", "5", "bash", "-c", f"exec 3<>{port}")
        except LabError as error:
            raise LabError(
                f"{one.name} does not reach {other.name} ({error}): let this machine's firewall "
                f"forward packets between {one.link.near.interface} and "
                f"{other.link.near.interface}"
            ) from error
    return raised

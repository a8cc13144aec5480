"""Disks: sparse files behind loop devices, throttled to a known rate.

The image is opened with direct I/O, so that the machine's page cache does not act as a hidden cache
of the disk; or it is in memory, where other work on the machine's disk does not slow it down.
"""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from lab import groups
from lab.commands import LabError, call
from lab.mechanisms import require
from lab.site import Site

SECTOR = 512
MKFS: dict[str, tuple[str, ...]] = {
    # no lazy initialization: the kernel would write in the background at the disk's rate
    "ext4": ("mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0"),
    "xfs": ("mkfs.xfs", "-q", "-f"),
}


@dataclass(frozen=True)
class Moved:
    """Bytes that a device has transferred since boot."""

    read: int
    written: int


def moved(device: str) -> Moved:
    """Read the counters of a block device, by its name below /dev."""
    words = Path(f"/sys/block/{device}/stat").read_text().split()
    return Moved(read=int(words[2]) * SECTOR, written=int(words[6]) * SECTOR)


class Disk:
    """A disk of a lab; `Host.mount` mounts it."""

    LOSETUP: tuple[str, ...] = ()
    """Further options of its loop device."""

    def __init__(
        self, site: Site, name: str, size: int, file_system: str, in_memory: bool = False
    ) -> None:
        """Create image, device and file system; `size` in bytes."""
        require("loop devices", "block throttle", file_system)
        self.name, self.size, self.file_system = name, size, file_system
        folder = site.memory(name, size) if in_memory else site.folder
        self.image = folder / f"{name}.img"
        self._site = site
        self._write_rate: int | None = None
        self._cliff: subprocess.Popen[bytes] | None = None
        with self.image.open("xb") as image:
            image.truncate(size)
        # direct I/O on tmpfs needs Linux 6.6; its pages are the disk itself, not a cache
        direct = "off" if in_memory else "on"
        found = call(
            "losetup", "--find", "--show", f"--direct-io={direct}", *self.LOSETUP, self.image
        )
        self.device = Path(found.strip())
        call(*MKFS[file_system], self.device)
        if in_memory:  # allocate everything now, because the machine allocates new pages slowly
            with self.image.open("r+b") as image:
                os.posix_fallocate(image.fileno(), 0, size)

    @property
    def number(self) -> str:
        """The device's number, `MAJOR:MINOR`."""
        return groups.number(self.device.name)

    @property
    def moved(self) -> Moved:
        """The device's counters."""
        return moved(self.device.name)

    def set_rate(self, read: int | None = None, write: int | None = None) -> None:
        """Throttle to these bytes per second, also during a test; None removes the limit.

        Removes a cliff that was set before.
        """
        self._end_cliff()
        self._site.group.throttle(self.number, read=read, write=write)
        self._write_rate = write

    def slow_after(self, written: int, rate: int, rest_s: float = 0) -> None:
        """Lower the write rate to `rate` bytes per second after another `written` bytes.

        This simulates a full disk cache, which empties after `rest_s` idle seconds; 0 means never.
        """
        self._end_cliff()
        numbers = [written, rate, self._write_rate or 0, rest_s]
        command = [sys.executable, "-m", "lab.cliff", self._site.name, self.device.name]
        log = self.image.with_suffix(".cliff.log")
        self._cliff = self._site.begin([*command, *map(str, numbers)], log)

    def _end_cliff(self) -> None:
        if self._cliff:
            if self._cliff.poll() is not None:
                log = self.image.with_suffix(".cliff.log").read_text()
                raise LabError(f"the cliff of disk {self.name} died: {log}")
            self._cliff.kill()
            self._cliff.wait()
            self._cliff = None

"""Disks: sparse files behind loop devices, throttled to a known rate.

The image is opened with direct I/O, so that the machine's page cache is not a second, invisible
cache of the disk; or it is in memory, where no other work on the machine's own disk slows it.
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
    # no lazy initialisation: the kernel would write in the background, at the disk's rate
    "ext4": ("mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0"),
    "xfs": ("mkfs.xfs", "-q", "-f"),
}


@dataclass(frozen=True)
class Moved:
    """What a device has moved since the machine started, in bytes."""

    read: int
    written: int


def moved(device: str) -> Moved:
    """The counters of a block device, by its name below /dev."""
    words = Path(f"/sys/block/{device}/stat").read_text().split()
    return Moved(read=int(words[2]) * SECTOR, written=int(words[6]) * SECTOR)


class Disk:
    """A disk of a lab; `Host.mount` mounts it."""

    def __init__(
        self, site: Site, name: str, size: int, file_system: str, in_memory: bool = False
    ) -> None:
        """Make image, device and file system; `size` in bytes."""
        require("loop devices", "block throttle", file_system)
        self.name, self.size, self.file_system = name, size, file_system
        folder = site.memory(name, size) if in_memory else site.folder
        self.image = folder / f"{name}.img"
        self._site = site
        self._write_rate: int | None = None
        self._cliff: subprocess.Popen[bytes] | None = None
        with self.image.open("xb") as image:
            image.truncate(size)
        # direct I/O on tmpfs needs Linux 6.6, and its pages are the disk itself, not a cache of it
        direct = "off" if in_memory else "on"
        found = call("losetup", "--find", "--show", f"--direct-io={direct}", self.image)
        self.device = Path(found.strip())
        call(*MKFS[file_system], self.device)
        if in_memory:  # all of it now: pages that are new to the machine come slowly
            with self.image.open("r+b") as image:
                os.posix_fallocate(image.fileno(), 0, size)

    @property
    def number(self) -> str:
        """The device's number, `MAJOR:MINOR`."""
        return groups.number(self.device.name)

    @property
    def moved(self) -> Moved:
        """What the device itself has counted."""
        return moved(self.device.name)

    def set_rate(self, read: int | None = None, write: int | None = None) -> None:
        """Throttle to so many bytes per second from now on, also in the middle of a test.

        None is no limit. A cliff that was set before is gone.
        """
        self._end_cliff()
        self._site.group.throttle(self.number, read=read, write=write)
        self._write_rate = write

    def slow_after(self, written: int, rate: int, rest_s: float = 0) -> None:
        """Write at `rate` bytes per second once `written` bytes more have arrived.

        So ends a cache inside a disk. After `rest_s` seconds with hardly a write it is empty again;
        0 is never.
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

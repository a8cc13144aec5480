"""A lab: creates hosts, disks and links, and removes them all."""

import os
import sys
from types import TracebackType
from typing import Self

from lab import site
from lab.commands import call
from lab.disks import Disk
from lab.hosts import Host
from lab.links import End, Link
from lab.mechanisms import EVERY_LAB, require
from lab.partitions import PartitionedDisk
from lab.wan import Wan, Way

MIB = 1 << 20
GIB = 1 << 30
MOST_HOSTS = 32
"""Addresses of a lab's links: the first half connects hosts to the machine, the second hosts."""


class Lab:
    """A lab as a context manager, after which nothing remains.

    If this process ends before, even by SIGKILL, a guardian removes the lab. A `lasting` lab
    remains from `outlast` on, until `site.remove` is called with its number.
    """

    def __init__(self, lasting: bool = False) -> None:
        """Take a number; raises MissingMechanismError if the machine cannot run a lab."""
        require(*EVERY_LAB)
        os.umask(0o022)  # the hosts' users read what it makes
        self.site = site.claim(lasting)
        self._guardian = self.site.guard()
        self.hosts: dict[str, Host] = {}
        self._links = 0
        self._is_up = True
        self.key = self.site.folder / "key"
        call("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "lab", "-f", self.key)

    def disk(
        self,
        name: str,
        size: int,
        file_system: str = "ext4",
        read: int | None = None,
        write: int | None = None,
        in_memory: bool = False,
    ) -> Disk:
        """Create a disk of `size` bytes, with rates in bytes per second; None is no limit."""
        disk = Disk(self.site, name, size, file_system, in_memory)
        disk.set_rate(read=read, write=write)
        return disk

    def partitioned_disk(
        self, name: str, size: int, read: int | None = None, write: int | None = None
    ) -> PartitionedDisk:
        """Create a disk of two partitions, which share these rates."""
        disk = PartitionedDisk(self.site, name, size, "ext4")
        disk.set_rate(read=read, write=write)
        return disk

    def host(
        self,
        name: str,
        *disks: Disk,
        memory: int | None = None,
        cores: float | None = None,
        uptime_ahead_s: int = 0,
    ) -> Host:
        """Start a host with these disks; `memory` in bytes and `cores` limit all its processes.

        Its clocks since boot are `uptime_ahead_s` ahead of those of the machine and other hosts.
        """
        if memory is not None:
            require("memory group")
        if cores is not None:
            require("cpu group")
        public_key = self.key.with_suffix(".pub")
        host = Host(self.site, len(self.hosts) + 1, name, public_key, memory, cores, uptime_ahead_s)
        self.hosts[name] = host
        for disk in disks:
            host.mount(disk)
        return host

    def link(self, one: Host, other: Host, rate: int | None = None) -> Link:
        """Connect two hosts by a link; `rate` in bytes per second and direction."""
        link = Link(*self._ends(one, other))
        if rate is not None:
            link.set_rate(rate)
        return link

    def wan(
        self,
        one: Host,
        other: Host,
        rtt_s: float,
        there: Way | None = None,
        back: Way | None = None,
        **more: int,
    ) -> Wan:
        """Connect two hosts by a wide area network; see `Wan`. Both ways are alike by default."""
        there = there or Way()
        return Wan(self.site, *self._ends(one, other), rtt_s, there, back or there, **more)

    def _ends(self, one: Host, other: Host) -> tuple[End, End]:
        """Return the ends of a new link between hosts."""
        self._links += 1
        index, name = MOST_HOSTS + self._links - 1, f"data{self._links}"
        addresses = self.site.address(index, 1), self.site.address(index, 2)
        return End(name, addresses[0], one.process), End(name, addresses[1], other.process)

    def down(self) -> None:
        """Remove everything, once: its number may then belong to another lab."""
        if self._is_up:
            self._is_up = False
            site.remove(self.site.number)
            for host in self.hosts.values():
                host.down()
            self._dismiss_guardian()

    def outlast(self, description: str) -> None:
        """Keep the lab running after this process exits; `site.description` returns the text."""
        site.outlast(self.site, description)
        self._dismiss_guardian()

    def _dismiss_guardian(self) -> None:
        self._guardian.kill()
        self._guardian.communicate()

    def __enter__(self) -> Self:
        """The lab itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Remove it; print the hosts' logs after an error."""
        if error is not None:
            for host in self.hosts.values():
                print(f"--- {host.name}\n{host.log}", file=sys.stderr)
        self.down()

"""Links: pairs of virtual interfaces between two network namespaces.

A cut is silent, like a pulled cable behind a switch: the other end's hardware address is pinned, so
that packets still leave and vanish, and no one is notified that the neighbor is gone.
"""

from dataclasses import dataclass

from lab.commands import LabError, call
from lab.mechanisms import MissingMechanismError

BURST_BYTES = 256 * 1024
"""Larger than the maximum packet of a virtual interface (64 KiB)."""
QUEUE_MS = 50


@dataclass(frozen=True)
class End:
    """One end of a link: an interface, with its address, in the namespaces of a process."""

    interface: str
    address: str
    process: int | None = None
    """None is the lab's own namespace."""

    def call(self, *argv: str) -> str:
        """Run a command in this end's network namespace."""
        inside = ["nsenter", "-t", str(self.process), "-n", "--"] if self.process else []
        return call(*inside, *argv)


class Pair:
    """Two ends of a network, each with a route to the other."""

    near: End
    far: End

    def set_congestion_control(self, name: str) -> None:
        """Use a congestion control for connections between both ends, also a restricted one."""
        for end, other in ((self.near, self.far), (self.far, self.near)):
            route = ["route", "replace", f"{other.address}/32", "dev", end.interface]
            end.call("ip", *route, "src", end.address, "congctl", name)


class Link(Pair):
    """A network with two ends that can be shaped, cut and joined."""

    def __init__(self, near: End, far: End) -> None:
        """Create it; the far end must be in a process's namespace."""
        self.near, self.far = near, far
        there = ["peer", "name", far.interface, "netns", str(far.process)]
        near.call("ip", "link", "add", near.interface, "type", "veth", *there)
        for end in (near, far):
            end.call("ip", "address", "add", f"{end.address}/30", "dev", end.interface)
            end.call("ip", "link", "set", end.interface, "up")
        self._know_each_other()

    def _know_each_other(self) -> None:
        hardware = {end: _hardware(end) for end in (self.near, self.far)}
        for end, other in ((self.near, self.far), (self.far, self.near)):
            words = [other.address, "lladdr", hardware[other], "dev", end.interface]
            end.call("ip", "neighbour", "replace", *words, "nud", "permanent")

    def set_rate(self, rate: int | None) -> None:
        """Limit each direction to bytes per second, including headers; None is no limit."""
        for end in (self.near, self.far):
            if rate is None:
                end.call("tc", "qdisc", "delete", "dev", end.interface, "root")
                continue
            shape = ["rate", f"{rate}bps", "burst", str(BURST_BYTES), "latency", f"{QUEUE_MS}ms"]
            try:
                words = ["dev", end.interface, "root", "tbf", *shape]
                end.call("tc", "qdisc", "replace", *words)
            except LabError as error:
                raise MissingMechanismError(
                    f"the lab needs tbf, which this kernel refuses: load sch_tbf ({error})"
                ) from error

    def cut(self) -> None:
        """Silently drop all packets in both directions."""
        self.far.call("ip", "link", "set", self.far.interface, "down")

    def join(self) -> None:
        """Stop dropping packets."""
        self.far.call("ip", "link", "set", self.far.interface, "up")
        self._know_each_other()  # a host's neighbor entries are removed with the interface

    def reset(self) -> None:
        """Reset every TCP connection across the link, as after a firewall restart."""
        self.far.call("ss", "--kill", "--tcp", "--no-header", "dst", self.near.address)


def _hardware(end: End) -> str:
    return end.call("ip", "-brief", "link", "show", "dev", end.interface).split()[2]

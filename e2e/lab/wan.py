"""Wide area networks: links with a delay, a line with a queue, loss, and black holes.

Their packets pass a forwarder (`wan.c`), because the delay of the kernel's netem is missing in many
kernels. A cut is silent.
"""

from dataclasses import dataclass
from pathlib import Path

from lab.commands import LabError, call, wait_until
from lab.links import End, Pair
from lab.mechanisms import require
from lab.site import Site

SOURCE = Path(__file__).with_suffix(".c")
MILLION = 10**6
LEAST_QUEUE_BYTES = 32 * 1024
"""A queue on a short line still holds a few packets."""
LARGEST_PACKET = 65_535
PACKETS_WAITING = 10_000
"""What the devices hold before the forwarder reads it: all drops are those of the line's queue."""


@dataclass(frozen=True)
class Way:
    """One direction of a wide area network.

    `rate` is in bytes per second of IP packets, None is no limit. `queue` is what the line's queue
    holds, in bytes; by default what the line carries in a round trip (one bandwidth-delay product).
    `loss` is the share of packets that are lost behind the queue. Packets of more than `largest`
    bytes vanish.
    """

    rate: int | None = None
    queue: int | None = None
    loss: float = 0.0
    largest: int = LARGEST_PACKET

    def words(self, rtt_s: float) -> list[str]:
        """Return the forwarder's arguments of this direction."""
        queue = self.queue or max(LEAST_QUEUE_BYTES, round((self.rate or 0) * rtt_s))
        numbers = self.rate or 0, queue, round(self.loss * MILLION), self.largest
        return [str(number) for number in numbers]


class Wan(Pair):
    """A wide area network between two hosts; create it with `Lab.wan`.

    It ends with the lab. Until then a host's network remains after the host's power is off.
    """

    def __init__(
        self,
        site: Site,
        near: End,
        far: End,
        rtt_s: float,
        there: Way,
        back: Way,
        *,
        mtu: int = 1500,
        seed: int = 1,
    ) -> None:
        """Create it; both ends must be in a process's namespace and have the same interface."""
        require("compiler", "tun")
        self.near, self.far = near, far
        program = site.folder / "wan"
        if not program.exists():
            call("cc", "-O2", "-Wall", "-Wextra", "-Werror", "-o", program, SOURCE)
        log = site.folder / f"{near.interface}.log"
        words = [near.interface, str(round(rtt_s / 2 * 1e9)), str(seed)]
        for end, way in ((near, there), (far, back)):
            words += [f"/proc/{end.process}/ns/net", *way.words(rtt_s)]
        self._forwarder = site.begin([program, *words], log)
        wait_until("the wide area network is ready", lambda: self._is_ready(log))
        for end, other in ((near, far), (far, near)):
            settings = ["mtu", str(mtu), "txqueuelen", str(PACKETS_WAITING)]
            address = [end.address, "peer", other.address]
            end.call("ip", "address", "add", *address, "dev", end.interface)
            end.call("ip", "link", "set", end.interface, *settings, "up")

    def _is_ready(self, log: Path) -> bool:
        said = log.read_text()
        if self._forwarder.poll() is not None:
            raise LabError(f"the forwarder ended: {said}")
        return "ready" in said

    def cut(self) -> None:
        """Silently drop all packets in both directions."""
        self.far.call("ip", "link", "set", self.far.interface, "down")

    def join(self) -> None:
        """Stop dropping packets."""
        self.far.call("ip", "link", "set", self.far.interface, "up")

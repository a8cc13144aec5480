"""The environment of faults of transfers: two pairs of hosts of the lab, each with a link.

A fault strikes the receiver of one transfer in the middle of a trial, and the sender of the other
between two, when it is ready and nothing is being measured.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from faults.places import BETWEEN, MB, MID, Place, Scene
from lab import Link

TRANSFER: dict[str, Any] = {
    "kind": "path",
    "title": "Disk to disk",
    "legs": ["disk"],
    "length": 8 * MB,
    "block": [65536],
    "streams": [2],
    "source_cache": "direct",
    "sink_cache": "direct",
    "sample_ms": 100,
    "order": "given",
}
"""Trials of 0.4 s with a disk of 20 MiB/s on either side."""

TIMES_REPEATED = 2
"""Repeats of the matrices for one of the transfers, whose trials take longer to prepare."""


@dataclass
class Peer(Place):
    """An end of a transfer."""

    marks: ClassVar[Mapping[str, bytes]] = {MID: b"link", BETWEEN: b"ready"}

    def join(self, other: "Peer", link: Link) -> None:
        """Be connected with the other end, which is the far end of the link if it is the sink."""
        self._other, self._link = other, link

    @property
    def link(self) -> Link:
        """The link between both ends."""
        return self._link

    def rebooted(self) -> None:
        """Restore the link, which ended with the host's network."""
        near, far = self._link.near, self._link.far
        source, sink = (self, self._other) if self.kind == "read" else (self._other, self)
        ends = (
            type(near)(near.interface, near.address, source.host.process),
            type(far)(far.interface, far.address, sink.host.process),
        )
        self._link = self._other._link = Link(*ends)

    def leftovers(self) -> list[str]:
        """Return what a run has left on both hosts."""
        return super().leftovers() + Place.leftovers(self._other)


class TransferScene(Scene):
    """An appliance and two pairs of hosts; a fault strikes one host of each pair."""

    kind = "transfers"
    usual_notices: Mapping[str, set[str]] = {
        kind: {"preparing", "prepared"} for kind in ("read", "write")
    }

    def raise_hosts(self) -> None:
        """Power on the hosts, connect and register them."""
        credential = self._credential()
        self.pairs = [
            (
                self._raise(Peer, "read", moment, credential),
                self._raise(Peer, "write", moment, credential),
            )
            for moment in (BETWEEN, MID)
        ]
        for source, sink in self.pairs:
            link = self.lab.link(source.host, sink.host)
            source.join(sink, link)
            sink.join(source, link)
        (sender, _), (_, receiver) = self.pairs
        self.places = [sender, receiver]

    def launch(self, repeats: int, watch_ms: int, **test: Any) -> list[int]:
        """Launch a transfer between the hosts of each pair; return the campaigns."""
        campaigns: list[int] = []
        for source, sink in self.pairs:
            values = (
                TRANSFER
                | {"repeats": max(1, repeats // TIMES_REPEATED)}
                | {"sink_address": source.link.far.address}
                | test
            )
            body = {"tests": [values], "watch_ms": watch_ms}
            name = f"transfer {time.monotonic_ns()}"
            profile = self._post("/profiles", {"name": name, "body": body})["id"]
            ends = {
                "sources": [{"target_id": source.target_id}],
                "sinks": [{"target_id": sink.target_id}],
            }
            made = self._post("/campaigns", {"profile_id": profile, **ends})
            campaigns.append(made["id"])
            (run,) = self.client.get(f"/campaigns/{made['id']}").json()["runs"]
            source.run_id = sink.run_id = run["id"]
        return campaigns

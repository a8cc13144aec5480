"""Planned runs that move data from a source to a sink."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self, TypeVar

from assay.kinds.kind import BaseTest
from assay.kinds.passes import PlannedCells
from assay.kinds.planning import Place

SENDER, RECEIVER = "sender", "receiver"

Connecting = TypeVar("Connecting", bound=BaseTest)


def with_ip_version(test: Connecting, listening: Place, other: Place) -> Connecting:
    """Return a test with the IP version of its hosts' addresses, if it leaves that open.

    Without an address of its own, it connects to the one by which Assay reaches the listening host;
    if that is this machine, to the one from which Assay reaches the other.
    """
    asked = test.model_dump(include={"family", "source_address", "sink_address"})
    if asked.pop("family") != "any" or any(asked.values()):
        return test
    version = listening.ip_version or other.ip_version
    return test.model_copy(update={"family": version}) if version == "ipv6" else test


@dataclass(frozen=True)
class PlannedTransfer(PlannedCells):
    """One end of a transfer: the sender is at the source, the receiver at the sink."""

    end: str
    source: Place
    sink: Place

    @property
    def participants(self) -> Sequence[Self]:
        """The sender and the receiver."""
        return [self, replace(self, end=RECEIVER, place=self.sink)]

    @property
    def role(self) -> str:
        """Whether it is the sender or the receiver."""
        return self.end

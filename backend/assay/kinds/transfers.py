"""Planned runs that move data from a source to a sink."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

from assay.kinds.passes import PlannedCells
from assay.kinds.planning import Place

SENDER, RECEIVER = "sender", "receiver"


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

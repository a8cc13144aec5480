"""Planned runs that measure cells, each of them repeated."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from assay.kinds.fields import Order
from assay.kinds.kind import BaseParameters
from assay.kinds.planning import Extent, PlannedRun, PlannedTrial


class RepeatedTest(Protocol):
    """The fields that every test of cells has."""

    kind: Any
    title: str
    repeats: int
    order: Order


@dataclass(frozen=True)
class PlannedCells(PlannedRun):
    """One test at one place whose cells are measured in passes."""

    test: RepeatedTest
    planned_cells: tuple[BaseParameters, ...]

    @property
    def kind(self) -> str:
        """Name of the kind."""
        return self.test.kind

    @property
    def title(self) -> str:
        """Title of the test."""
        return self.test.title

    @property
    def cells(self) -> int:
        """Number of parameter combinations."""
        return len(self.planned_cells)

    @property
    def trials(self) -> int:
        """Number of trials."""
        return self.cells * self.test.repeats

    @property
    def extents(self) -> list[Extent | None]:
        """What the duration of a trial of each cell depends on."""
        return [cell.extent for cell in self.planned_cells]

    @property
    def trial_order(self) -> Order:
        """The order of the cells in each pass."""
        return self.test.order

    def order(self) -> list[PlannedTrial]:
        """Return the trials in the order of measurement."""
        return _passes(self.planned_cells, self.test.repeats, self.trial_order)


def _passes(planned: Sequence[BaseParameters], repeats: int, order: Order) -> list[PlannedTrial]:
    """Return one pass per repeat, so that drift does not look like a parameter's effect."""
    found: list[PlannedTrial] = []
    for repeat in range(1, repeats + 1):
        cells = list(planned)
        if order == "shuffled":
            random.shuffle(cells)  # recorded as the trials' positions
        found.extend(
            PlannedTrial(repeat, cell.key, cell.model_dump(exclude={"kind"})) for cell in cells
        )
    return found

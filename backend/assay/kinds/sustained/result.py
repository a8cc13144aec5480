"""The result of a sustained test, as API type."""

from dataclasses import replace
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, PrivateAttr

from assay.analysis.edition import EDITION
from assay.analysis.recovery import Recovery
from assay.kinds.examples import example
from assay.kinds.fields import CacheMode
from assay.kinds.limits import gravest_first
from assay.kinds.metrics import MEAN_OF_RATE
from assay.kinds.result import BaseResult, HeadlineLevels, RunOutcome
from assay.kinds.run_record import RunRecord, TrialRecord
from assay.kinds.sustained.cells import gather
from assay.kinds.sustained.directions import ROLES, split
from assay.kinds.sustained.fields import (
    NAME,
    Access,
    Direction,
    Engine,
    IoPriority,
    Operation,
    Pace,
    Priority,
    TestOperation,
)
from assay.kinds.sustained.figures import SustainedCell
from assay.kinds.sustained.headline import (
    SustainedHeadline,
    SweetSpot,
    headline,
    leading_cell,
    sweet_spot,
)
from assay.kinds.sustained.joint import measured
from assay.kinds.sustained.limits import SustainedLimit, limits, merged
from assay.kinds.sustained.mixed import alone
from assay.kinds.sustained.modes import values_of
from assay.kinds.sustained.sweeps import contrasted, recovered

_TakenApart = dict[Direction, tuple[list[SustainedCell], list[SustainedCell]]]
"""The cells of a mixed test, and what of them is of one direction."""


class SustainedResult(BaseResult):
    """A run's cells with their evaluation, and the version of the rules."""

    model_config = ConfigDict(json_schema_extra=example("sustained", "result"))

    kind: Literal["sustained"]
    operation: TestOperation
    access: Access = "sequential"
    read_percent: int | None = None
    engine: Engine = "threads"
    pace: Pace
    cache: list[CacheMode]
    priority: list[Priority]
    io_priority: list[IoPriority]
    cells: list[SustainedCell]
    leading_cell: str | None
    sweet_spot: SweetSpot | None
    recovery: Recovery | None = None
    peak_limit_ns: int
    headline: SustainedHeadline | None
    headline_levels: HeadlineLevels
    best_bytes_per_s: Annotated[float | None, Field(description="The leading cell's mean")]
    warnings: list[SustainedLimit]

    _taken_apart: _TakenApart = PrivateAttr(default_factory=_TakenApart)

    @property
    def operations(self) -> tuple[Operation, ...]:
        """Its directions."""
        return ("write", "read") if self.operation == "both" else (self.operation,)

    def of(self, operation: Operation) -> "SustainedResult":
        """Return the result of one direction; its leading cell is that of the whole."""
        if self.operation == "mixed" and operation != "mixed":
            return self._apart(operation)
        own = [cell for cell in self.cells if cell.operation == operation]
        who = self.participants
        if self.operation == "both":
            who = [one for one in who if one.role == ROLES[operation]]
        return self.model_copy(update={"operation": operation, "cells": own, "participants": who})

    def _apart(self, operation: Direction) -> "SustainedResult":
        """Return one direction of a mixed test; its cells are taken apart once for all readings."""
        known = self._taken_apart.get(operation)
        if known is None or known[0] is not self.cells:
            known = self.cells, [alone(cell, operation) or cell for cell in self.cells]
            self._taken_apart[operation] = known
        return self.model_copy(update={"operation": operation, "cells": known[1]})


def judge(run: RunRecord) -> SustainedResult:
    """Return the result of a run in any state; each direction is judged by itself."""
    directions = list(split(run))
    first = directions[0][1]
    apart = len(directions) > 1 and run.parameters["read_pace"] != "same"
    found_cells = {
        each: _cells(each, own, apart=apart and each == "read") for each, own in directions
    }
    cells, *others = found_cells.values()
    leading = leading_cell(cells)
    limit: int = run.parameters["peak_limit_ns"]
    spot = sweet_spot(cells, limit)
    asked: TestOperation = run.parameters["operation"]
    found = headline(run.parameters, cells, others[0] if others else (), len(first.sites), spot)
    figure = found.figure if found else None
    return SustainedResult(
        kind=NAME,
        run_id=run.id,
        edition=EDITION,
        participants=run.participants,
        operation=asked,
        access=run.parameters.get("access", "sequential"),
        read_percent=run.parameters["read_percent"] if asked == "mixed" else None,
        engine=run.parameters.get("engine", "threads"),
        pace=run.parameters["pace"],
        cache=list(values_of(run.parameters, "cache")),
        priority=list(values_of(run.parameters, "priority")),
        io_priority=list(values_of(run.parameters, "io_priority")),
        cells=[cell for own in found_cells.values() for cell in own],
        leading_cell=leading[0].key if leading else None,
        sweet_spot=spot,
        recovery=recovered(run, cells, leading[0] if leading else None),
        peak_limit_ns=limit,
        headline=found,
        headline_levels=figure.levels.held if figure and figure.levels else None,
        best_bytes_per_s=leading[0].mean(leading[1]) if leading else None,
        warnings=gravest_first(
            merged(
                {
                    each: limits(found_cells[each], own.parameters, run.cut_short)
                    for each, own in directions
                }
            )
        ),
    )


def _cells(operation: Operation, run: RunRecord, *, apart: bool) -> list[SustainedCell]:
    """Return the cells of one direction, in the order of their parameters.

    `apart`: its reads have a pace of their own.
    """
    gathered: dict[str, list[TrialRecord]] = {}
    for trial in run.trials:
        gathered.setdefault(trial.cell, []).append(trial)
    cells = [
        gather(operation, records, [measured(run, one) for one in records], sweep=len(gathered) > 1)
        for records in gathered.values()
    ]
    return sorted(
        (replace(cell, paced_apart=apart) for cell in contrasted(cells, run.parameters)),
        key=lambda cell: (
            cell.block,
            cell.queue_depth,
            cell.rate_bytes_per_s or 0,
            cell.burst_blocks or 0,
            cell.idle_ms,
            cell.mode.place,
        ),
    )


def outcome(found: SustainedResult) -> RunOutcome:
    """Return the finding of an ended run, for lists."""
    cell = next((cell for cell in found.cells if cell.key == found.leading_cell), None)
    leading = leading_cell(found.of(found.operations[0]).cells)
    return RunOutcome(
        headline=found.headline,
        headline_levels=found.headline_levels,
        metric=MEAN_OF_RATE[leading[1]] if leading else None,
        best_trial_id=cell.shown_trial_id if cell else None,
    )

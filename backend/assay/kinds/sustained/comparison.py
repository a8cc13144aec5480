"""Comparison of sustained runs: each against the first, such as direct against buffered."""

from collections.abc import Sequence
from typing import Literal, cast

from pydantic import BaseModel, ConfigDict

from assay.analysis.flags import Rate
from assay.analysis.noise import Difference
from assay.analysis.served_by import Source
from assay.analysis.shape import Shaped
from assay.kinds.examples import example
from assay.kinds.result import BaseComparison
from assay.kinds.sustained.contrasts import against, source_of
from assay.kinds.sustained.fields import NAME, Access, Operation
from assay.kinds.sustained.figures import SustainedCell, TrialLevels
from assay.kinds.sustained.headline import (
    HighestCarried,
    highest_carried,
    levels_of,
    mean_of,
    shown,
)
from assay.kinds.sustained.modes import NO_MODE, Mode
from assay.kinds.sustained.result import SustainedResult


class SustainedSide(BaseModel):
    """One direction of a run: the mean of its leading cell, and that divided by the first run's.

    `rate` is durable if every run that has the direction has a durable rate.

    `slow_down` is how much slower the last tenth of the shown trial was than its first. The ratio
    is null for the first run, without reliable repeats of both, if the page cache served one of
    both, if one has a cliff, if they were paced at different rates, of reads against writes, of
    random against sequential access, and of mixtures with other shares of reads. `iops` are
    operations per second of the application rate.
    """

    run_id: int
    operation: Operation
    access: Access = "sequential"
    read_percent: int | None = None
    block: int | None = None
    queue_depth: int | None = None
    mode: Mode = NO_MODE
    iops: float | None = None
    rate: Rate
    cell: str | None
    served_by: Source | None
    shown_trial_id: int | None
    bytes_per_s: float | None
    offered_bytes_per_s: int | None
    levels: TrialLevels | None
    no_cliff_within_bytes: int | None
    shape: Shaped | None
    peak_ns: int | None
    slow_down: float | None
    carried: HighestCarried | None
    ratio: float | None
    p: float | None
    significant: bool
    too_few_repeats: bool


class SustainedComparison(BaseComparison):
    """The directions of two or more runs, in the order of the runs, the writes of each first."""

    model_config = ConfigDict(json_schema_extra=example("sustained", "comparison"))

    kind: Literal["sustained"]
    runs: list[SustainedSide]


def compare(results: Sequence[SustainedResult]) -> SustainedComparison:
    """Compare each run with the first: writes with writes, and reads with reads."""
    operations: tuple[Operation, ...] = ("write", "read", "mixed")
    rates: dict[Operation, Rate] = {one: _common_rate(results, one) for one in operations}
    sides: list[SustainedSide] = []
    for number, result in enumerate(results):
        for operation in result.operations:
            first = results[0] if number and _alike(results[0], result, operation) else None
            base = first and _leading(first.of(operation))
            cell, rate = _leading(result.of(operation)), rates[operation]
            found = against(base, cell, rate)
            sides.append(_run(result.of(operation), cell, rate, found))
    return SustainedComparison(kind=NAME, runs=sides)


def _alike(first: SustainedResult, result: SustainedResult, operation: Operation) -> bool:
    """Return whether two runs do the same kind of I/O in a direction."""
    same = (first.access, first.read_percent) == (result.access, result.read_percent)
    return same and operation in first.operations


def _common_rate(results: Sequence[SustainedResult], operation: Operation) -> Rate:
    """Return the rate by which runs of an operation are compared: durable if each has it."""
    leading = [_leading(one.of(operation)) for one in results if operation in one.operations]
    durable = all(cell is not None and cell.durable for cell in leading)
    return "durable" if durable else "application"


def _leading(result: SustainedResult) -> SustainedCell | None:
    return next((cell for cell in result.cells if cell.key == result.leading_cell), None)


def _run(
    result: SustainedResult,
    cell: SustainedCell | None,
    rate: Rate,
    found: Difference | None,
) -> SustainedSide:
    trial = shown(cell) if cell else None
    levels = levels_of(cell) if cell else None
    return SustainedSide(
        run_id=result.run_id,
        operation=cast(Operation, result.operation),
        access=result.access,
        read_percent=result.read_percent,
        block=cell.block if cell else None,
        queue_depth=cell.queue_depth if cell else None,
        iops=cell.iops.mean if cell and cell.iops else None,
        rate=rate,
        cell=cell.key if cell else None,
        served_by=source_of(cell, rate),
        mode=cell.mode if cell else NO_MODE,
        shown_trial_id=cell.shown_trial_id if cell else None,
        bytes_per_s=mean_of(cell, rate) if cell else None,
        offered_bytes_per_s=cell.offered_bytes_per_s if cell else None,
        levels=levels,
        no_cliff_within_bytes=trial.no_cliff_within_bytes if trial and not levels else None,
        shape=trial.shape if trial and not levels else None,
        peak_ns=cell.peak_ns if cell else None,
        slow_down=trial.slow_down.share if trial and trial.slow_down else None,
        carried=highest_carried(cell.carry) if cell else None,
        ratio=found.ratio if found else None,
        p=found.p if found else None,
        significant=found is not None and found.significant,
        too_few_repeats=found is not None and found.too_few,
    )

"""The result of a matrix, as API type."""

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from assay.kinds.examples import example
from assay.kinds.matrix.advice import Advice
from assay.kinds.matrix.build import build
from assay.kinds.matrix.cells import Cell, Measured
from assay.kinds.matrix.headline import MatrixHeadline
from assay.kinds.matrix.limits import Limit, cut_short
from assay.kinds.matrix.measured import measured
from assay.kinds.matrix.parameters import NAME, Operation
from assay.kinds.matrix.ranking import Setting
from assay.kinds.result import BaseResult, HeadlineLevels, RunOutcome
from assay.kinds.run_record import CutShort, RunRecord


class Axes(BaseModel):
    """Block sizes in bytes, and thread counts."""

    block: list[int]
    threads: list[int]


class BestSettings(BaseModel):
    """The best setting by each rate."""

    durable: Setting | None
    application: Setting | None


class Advices(BaseModel):
    """The recommendation by each rate."""

    durable: Advice | None
    application: Advice | None


class MatrixResult(BaseResult):
    """A run's cells with their evaluation, and the version of the rules."""

    model_config = ConfigDict(json_schema_extra=example("matrix", "result"))

    kind: Literal["matrix"]
    operation: Operation
    axes: Axes
    rates: list[Literal["durable", "application"]]
    cells: list[Cell]
    best: BestSettings
    advice: Advices
    headline: MatrixHeadline | None
    headline_levels: HeadlineLevels
    best_bytes_per_s: Annotated[
        float | None, Field(description="The mean of the best cell's repeats")
    ]
    warnings: list[Limit]


def judge(run: RunRecord) -> MatrixResult:
    """Return the matrix of a run in any state."""
    operation: Operation = run.parameters["operation"]
    trials = [measured(run, trial) for trial in run.trials]
    found = build(
        operation,
        str(run.parameters["open_mode"]),
        trials,
        len(run.sites),
        allocates=run.parameters.get("layout") != "overwrite",
    )
    return MatrixResult(
        run_id=run.id,
        kind=NAME,
        operation=operation,
        axes=Axes(
            block=sorted({cell.block for cell in found.cells}),
            threads=sorted({cell.threads for cell in found.cells}),
        ),
        rates=["durable", "application"] if operation == "write" else ["application"],
        cells=sorted(found.cells, key=lambda cell: (cell.block, cell.threads)),
        best=BestSettings(durable=found.durable.best, application=found.application.best),
        advice=Advices(durable=found.durable.advice, application=found.application.advice),
        headline=found.headline,
        headline_levels=found.headline_levels,
        best_bytes_per_s=found.best_bytes_per_s,
        warnings=[*_cut_short(run.cut_short, trials), *found.warnings],
        edition=found.edition,
        participants=run.participants,
    )


def _cut_short(why: CutShort | None, trials: Sequence[Measured]) -> list[Limit]:
    if why is None or all(trial.counts for trial in trials):
        return []
    return [cut_short(why, trials)]


def outcome(found: MatrixResult) -> RunOutcome:
    """Return the finding of an ended run, for lists."""
    durable = found.best.durable is not None
    best = found.best.durable or found.best.application
    trials = [
        (rate, trial.id)
        for cell in found.cells
        if cell.setting == best
        for trial in cell.trials
        if (rate := trial.durable_bytes_per_s if durable else trial.application_bytes_per_s)
        is not None
    ]
    return RunOutcome(
        headline=found.headline,
        headline_levels=found.headline_levels,
        best_bytes_per_s=found.best_bytes_per_s,
        best_trial_id=max(trials)[1] if trials else None,
    )

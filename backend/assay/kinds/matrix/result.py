"""The result of a matrix, as API type: cells, ranking, headline and recommendation.

If a cell that is excluded as unreliable was faster than all others, there is neither a headline nor
a best cell.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from assay.analysis.edition import EDITION
from assay.analysis.flags import BOTH, Rate
from assay.kinds.cells import excluding_flags
from assay.kinds.examples import example
from assay.kinds.limits import gravest_first
from assay.kinds.matrix.best import Best, best_of
from assay.kinds.matrix.cells import (
    Cell,
    MatrixTrial,
    MeasuredSetting,
    RankedRepeats,
    Setting,
    gather,
)
from assay.kinds.matrix.headline import (
    Advice,
    MatrixHeadline,
    advise,
    headline,
    levels_of,
    no_headline,
)
from assay.kinds.matrix.limits import Limit, cut_short, limits
from assay.kinds.matrix.parameters import NAME, Operation
from assay.kinds.matrix.trials import measured
from assay.kinds.metrics import MEAN_OF_RATE
from assay.kinds.result import BaseResult, HeadlineLevels, RunOutcome
from assay.kinds.run_record import RunRecord


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
    return evaluated(run, [measured(run, trial) for trial in run.trials])


def evaluated(run: RunRecord, trials: Sequence[MeasuredSetting]) -> MatrixResult:
    """Return the matrix of a run's trials; the headline is of the durable rate if there is one."""
    operation: Operation = run.parameters["operation"]
    cells = _cells(trials)
    found: dict[Rate, Best | None] = {each: best_of(list(cells.values()), each) for each in BOTH}
    # a cell that is excluded as unreliable may be faster than the best one
    bests: dict[Rate, Best | None] = {
        each: best if best and not best.excluding else None for each, best in found.items()
    }
    rate: Rate = "durable" if found["durable"] else "application"
    leading, shown = bests[rate], [one.figures for one in trials]
    levels = leading and levels_of(leading, leading.ranking.best)
    return MatrixResult(
        run_id=run.id,
        kind=NAME,
        operation=operation,
        axes=Axes(
            block=sorted({cell.block for cell in cells.values()}),
            threads=sorted({cell.threads for cell in cells.values()}),
        ),
        rates=["durable", "application"] if operation == "write" else ["application"],
        cells=sorted(
            (_ranked(cell, bests) for cell in cells.values()),
            key=lambda cell: (cell.block, cell.threads),
        ),
        best=BestSettings(**{each: best and best.ranking.best for each, best in bests.items()}),
        advice=Advices(**{each: _advice(run, cells, bests[each], each) for each in BOTH}),
        headline=headline(
            operation, len(run.sites), leading, rate, cells[leading.ranking.best].source(rate)
        )
        if leading
        else _no_headline(run, found[rate], shown),
        headline_levels=levels.held if levels else None,
        best_bytes_per_s=leading.mean if leading else None,
        warnings=gravest_first(
            [
                *cut_short(run.cut_short, list(cells.values())),
                *limits(
                    [trial for trial in shown if trial.status != "waiting"],
                    list(cells.values()),
                    allocates=run.parameters.get("layout") != "overwrite",
                ),
            ]
        ),
        edition=EDITION,
        participants=run.participants,
    )


def _cells(trials: Sequence[MeasuredSetting]) -> dict[Setting, Cell]:
    gathered: dict[Setting, list[MeasuredSetting]] = {}
    for trial in trials:
        gathered.setdefault(trial.setting, []).append(trial)
    return {setting: gather(members) for setting, members in gathered.items()}


def _advice(
    run: RunRecord, cells: Mapping[Setting, Cell], best: Best | None, rate: Rate
) -> Advice | None:
    """Return the recommendation by one rate.

    A cell that was served by a cache, or is slower than one measured only once, is not recommended.
    """
    if best is None or best.left_out_faster or cells[best.ranking.best].is_cached(rate):
        return None
    parameters = run.parameters
    return advise(parameters["operation"], best, str(parameters["open_mode"]), len(run.sites))


def _no_headline(
    run: RunRecord, best: Best | None, trials: Sequence[MatrixTrial]
) -> MatrixHeadline | None:
    """Return why there is no headline: the fastest cells, or else all, are unreliable."""
    flags = best.excluding if best else excluding_flags(trials)
    operation: Operation = run.parameters["operation"]
    return no_headline(operation, len(run.sites), flags, fastest_cells=best is not None)


def _ranked(cell: Cell, bests: Mapping[Rate, Best | None]) -> Cell:
    """Return a cell whose rates are compared with those of the best cells."""
    return replace(
        cell,
        durable=_stand(cell.setting, cell.durable, bests["durable"]),
        application=_stand(cell.setting, cell.application, bests["application"]),
    )


def _stand(setting: Setting, stat: RankedRepeats | None, best: Best | None) -> RankedRepeats | None:
    if stat is None or best is None:
        return stat
    if setting == best.ranking.best:
        return replace(stat, best=True)
    found = best.ranking.differences.get(setting)
    if found is None:
        return stat
    return replace(stat, within_noise=found.within_noise, too_few_repeats=found.too_few, p=found.p)


def outcome(found: MatrixResult) -> RunOutcome:
    """Return the finding of an ended run, for lists."""
    rate: Rate = "durable" if found.best.durable else "application"
    best = found.best.durable or found.best.application
    trials = [
        (value, trial.id)
        for cell in found.cells
        if cell.setting == best
        for trial in cell.trials
        if (value := trial.rate(rate)) is not None
    ]
    return RunOutcome(
        headline=found.headline,
        headline_levels=found.headline_levels,
        metric=MEAN_OF_RATE[rate] if found.best_bytes_per_s is not None else None,
        best_trial_id=max(trials)[1] if trials else None,
    )

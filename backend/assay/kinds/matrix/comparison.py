"""Comparison of matrices: which of the first two is faster, at its best and cell by cell."""

from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from assay.analysis.flags import BOTH, Rate
from assay.kinds.examples import example
from assay.kinds.matrix.answer import MatrixAnswer, Side, answer, ratios
from assay.kinds.matrix.best import look, sound_repeats
from assay.kinds.matrix.parameters import NAME
from assay.kinds.matrix.result import MatrixResult
from assay.kinds.result import BaseComparison


class CellRatio(BaseModel):
    """A divided by B in one cell; `significant` is of the leading rate.

    Each p-value, and whether there are too few repeats to compare A and B, is of its own rate.
    """

    block: int
    threads: int
    durable: float | None
    application: float | None
    significant: bool
    durable_p: float | None
    application_p: float | None
    durable_too_few_repeats: bool
    application_too_few_repeats: bool


class Ratios(BaseModel):
    """Run `a` divided by run `b`, in each cell that both measured."""

    a: int
    b: int
    rate: Literal["durable", "application"] = Field(
        description="The leading rate: durable if every run has it, else application"
    )
    cells: list[CellRatio]


class Scale(BaseModel):
    """Minimum and maximum mean of all cells of all runs, for a shared color scale."""

    min_bytes_per_s: float
    max_bytes_per_s: float


class Scales(BaseModel):
    """The shared scale of each rate."""

    durable: Scale | None
    application: Scale | None


class MatrixComparison(BaseComparison):
    """Two or more matrices; the ratio and the answer are of the first two."""

    model_config = ConfigDict(json_schema_extra=example("matrix", "comparison"))

    kind: Literal["matrix"]
    answer: MatrixAnswer
    ratio: Ratios
    scale: Scale | None
    scales: Scales


def compare(results: Sequence[MatrixResult]) -> MatrixComparison:
    """Compare the first matrix with the second."""
    a, b = results[:2]
    # a read has no durable rate: if a run is a read, the application rate leads
    leading: Rate = "durable" if all("durable" in r.rates for r in results) else "application"
    scales = Scales(durable=_scale(results, "durable"), application=_scale(results, "application"))
    return MatrixComparison(
        kind=NAME,
        answer=answer(
            Side.of(a.run_id, a.cells, leading), Side.of(b.run_id, b.cells, leading), leading
        ),
        ratio=_ratio(a, b, leading),
        scale=scales.durable if leading == "durable" else scales.application,
        scales=scales,
    )


def _ratio(a: MatrixResult, b: MatrixResult, leading: Rate) -> Ratios:
    durable, application = (
        ratios(sound_repeats(a.cells, rate), sound_repeats(b.cells, rate)) for rate in BOTH
    )
    cells: list[CellRatio] = []
    for setting in sorted(durable | application, key=lambda s: (s.block, s.threads)):
        d, app = durable.get(setting), application.get(setting)
        decisive = d if leading == "durable" else app
        cells.append(
            CellRatio(
                block=setting.block,
                threads=setting.threads,
                durable=d.ratio if d else None,
                application=app.ratio if app else None,
                significant=decisive is not None and decisive.significant,
                durable_p=d.p if d else None,
                application_p=app.p if app else None,
                durable_too_few_repeats=d is not None and d.too_few,
                application_too_few_repeats=app is not None and app.too_few,
            )
        )
    return Ratios(a=a.run_id, b=b.run_id, rate=leading, cells=cells)


def _scale(matrices: Sequence[MatrixResult], rate: Rate) -> Scale | None:
    means = [
        stat.mean_bytes_per_s
        for matrix in matrices
        for cell in matrix.cells
        if (stat := look(cell, rate)[0])
    ]
    return Scale(min_bytes_per_s=min(means), max_bytes_per_s=max(means)) if means else None

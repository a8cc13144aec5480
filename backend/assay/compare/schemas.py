"""What the API says of a comparison."""

from typing import Any, Literal

from pydantic import BaseModel, Field

from assay.runs.schemas import MatrixOut, RunOut


class ComparedRun(RunOut):
    """A run with its matrix."""

    matrix: MatrixOut


class ConditionDifference(BaseModel):
    """A condition that is not the same everywhere; `values` are in the order of the runs."""

    what: str
    name: str
    values: list[Any]


class CellRatio(BaseModel):
    """A against B in one cell; `significant` is of the leading rate, each p of its own."""

    block: int
    threads: int
    durable: float | None
    application: float | None
    significant: bool
    durable_p: float | None
    application_p: float | None


class RatioOut(BaseModel):
    """Run `a` divided by run `b`, in each cell that both measured."""

    a: int
    b: int
    rate: Literal["durable", "application"] = Field(description="The leading rate")
    cells: list[CellRatio]


class Scale(BaseModel):
    """Least and greatest mean of all cells of all runs, for one colour scale."""

    min: float
    max: float


class Scales(BaseModel):
    """The shared scale of each rate."""

    durable: Scale | None
    application: Scale | None


class Comparison(BaseModel):
    """Two or more runs; the ratio and the answer are of the first two."""

    runs: list[ComparedRun]
    differences: list[ConditionDifference]
    answer: str
    ratio: RatioOut | None
    scale: Scale | None
    scales: Scales

"""The figures of a result: the value of each metric for the run as a whole, and in each cell.

A figure is a reading of its metric with the arguments that name the cell, and so has the value and
the doubts of a criterion that names it. A metric with a required argument, such as the rate at
which data arrives, has no figures: only a criterion gives its argument.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from assay.kinds.kind import Kind
from assay.kinds.metrics import Arguments, Measurement, Metric
from assay.kinds.result import BaseResult


@dataclass(frozen=True)
class Figure:
    """The value of a metric in one cell of a run.

    `cell` are the arguments that name the cell in a criterion; without any, the value is that of
    the run: of its leading cell, or of all (`Metric.choices`). `leading`: it is the leading cell's.
    `headline`: lists show it as the run's. `shown_cell` is the cell in the words of the result.
    """

    metric: Metric
    cell: Arguments
    measurement: Measurement
    leading: bool
    headline: bool
    shown_cell: str | None = None

    @property
    def cell_name(self) -> str:
        """The arguments of the cell as text."""
        return cell_name(self.metric, self.cell)


def figures_of(kind: Kind, parameters: Mapping[str, Any], result: BaseResult) -> list[Figure]:
    """Return the figures of a run with these parameters that its test can give."""
    test = kind.resolved.model_validate({"kind": kind.name, **parameters})
    cells, headline = kind.cells(result), kind.outcome(result).metric
    found = [
        figure
        for metric in kind.metrics
        if not any(one.required for one in metric.arguments)
        for figure in _of_metric(metric, test, result, cells, headline=metric.name == headline)
    ]
    # a metric without a value says nothing of its cell, which others do
    words = {
        one.cell_name: one.measurement.evidence.cell
        for one in found
        if one.cell and one.measurement.evidence.cell
    }
    return [
        replace(one, shown_cell=one.measurement.evidence.cell or words.get(one.cell_name))
        for one in found
    ]


def headline_value(kind: Kind, result: BaseResult) -> float | None:
    """Return the value that lists show of a result, in bytes per second; None without one."""
    name = kind.outcome(result).metric
    found = (one.read(result, {}).value for one in kind.metrics if one.name == name)
    return next(found, None)


def cell_name(metric: Metric, cell: Arguments) -> str:
    """Return the arguments of a cell as text: `block=1048576,cache=direct`; empty for the run."""
    values = {
        one.name: one.choices[int(cell[one.name])] if one.choices else f"{cell[one.name]:.15g}"
        for one in metric.arguments
        if one.name in cell
    }
    return ",".join(f"{name}={value}" for name, value in values.items())


def cell_of(name: str) -> dict[str, float | str]:
    """Return the arguments in a text of `cell_name`; those that are words as such."""
    pairs = (one.split("=") for one in name.split(",") if one)
    return {argument: _value(value) for argument, value in pairs}


def _value(text: str) -> float | str:
    return text if text[0].isalpha() else float(text)


def _cells(metric: Metric, cells: Sequence[Any]) -> Iterator[Arguments]:
    """Yield the arguments by which a metric names each of these cells, each once."""
    seen = set[str]()
    for cell in cells:
        read = {one.name: one.of_cell(cell) for one in metric.arguments if one.of_cell}
        named = {name: float(value) for name, value in read.items() if value is not None}
        name = cell_name(metric, named)
        if name and name not in seen:
            seen.add(name)
            yield named


def _of_metric(
    metric: Metric, test: Any, result: BaseResult, cells: Sequence[Any], *, headline: bool
) -> Iterator[Figure]:
    leads = metric.choices is not None
    whole = None
    if metric.unavailable(test, {}) is None:
        whole = metric.read(result, {})
        yield Figure(metric, {}, whole, leads, headline)
    for cell in _cells(metric, cells):
        if metric.unavailable(test, cell) is not None:
            continue
        found = metric.read(result, cell)
        place = found.evidence.cell
        leading = leads and whole is not None and place is not None and place == whole.evidence.cell
        yield Figure(metric, cell, found, leading, headline=False)

"""Columns of tidy exports: what each kind adds to the rows of trials, samples and comparisons.

A column is read from plain data by a path, so that a kind lists its columns instead of coding them.
Names contain the unit of what they hold. Columns of the same name have the same type in all kinds.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

from assay.analysis.levels import Held, first_fall, lowest

ColumnType = Literal["text", "integer", "number", "boolean", "time"]


@dataclass(frozen=True)
class ExportedTrial:
    """A trial to be exported: the parameters of its run, its own, and its place in the result.

    `cell` is the cell of the result that has it, `figures` are its own there; both are null if the
    result does not have it.
    """

    run: Mapping[str, Any]
    trial: Mapping[str, Any]
    cell: Any = None
    figures: Any = None


@dataclass(frozen=True)
class ExportColumn:
    """A column of a kind: its name with its unit, its type, and how a trial's value is read.

    `is_parameter`: it needs no result, so rows of samples have it, too.
    """

    name: str
    type: ColumnType
    read: Callable[[ExportedTrial], Any]
    is_parameter: bool = False


@dataclass(frozen=True)
class ExportedRatio:
    """A figure of a run beside that of the base of a comparison, and their ratio, as Compare shows.

    `ratio` is the base ÷ the run, or the run ÷ the base if `of_base`. The unit of the two values is
    in the name of the `figure`; they are null where Compare shows only the ratio. `p` is Welch's.
    """

    base_run_id: int
    run_id: int
    cell: str
    figure: str
    base_value: float | None
    value: float | None
    ratio: float | None
    p: float | None
    answer: str
    of_base: bool = False


def of_run(name: str, type_: ColumnType = "text", field: str | None = None) -> ExportColumn:
    """Return the column of a parameter of the run; of several values, all of them."""
    return ExportColumn(name, type_, lambda one: _plain(one.run.get(field or name)), True)


def of_trial(name: str, type_: ColumnType = "integer", field: str | None = None) -> ExportColumn:
    """Return the column of a parameter of the trial."""
    return ExportColumn(name, type_, lambda one: _plain(one.trial.get(field or name)), True)


def of_mode(name: str) -> ExportColumn:
    """Return the column of a parameter that trials have if the test compares several values."""
    return ExportColumn(
        name, "text", lambda one: _plain(one.trial.get(name) or one.run.get(name)), True
    )


def figure(name: str, type_: ColumnType = "number", path: str | None = None) -> ExportColumn:
    """Return the column of a figure of the trial; a path leads to one within another."""
    steps = (path or name).split(".")
    return ExportColumn(name, type_, lambda one: _plain(_at(one.figures, steps)))


def figures(type_: ColumnType, *names: str) -> list[ExportColumn]:
    """Return the columns of figures that are called like their fields."""
    return [figure(name, type_) for name in names]


def within(path: str, prefix: str, type_: ColumnType, *names: str) -> list[ExportColumn]:
    """Return the columns of figures at a path, with a prefix to their names."""
    return [figure(f"{prefix}{name}", type_, f"{path}.{name}") for name in names]


def of_levels(read: Callable[[Any], Held]) -> list[ExportColumn]:
    """Return the columns of a trial's lasting levels, from its figures; empty with a single one."""

    def column(name: str, type_: ColumnType, value: Callable[[Held], Any]) -> ExportColumn:
        return ExportColumn(name, type_, lambda one: _plain(value(_levels(one))))

    def _levels(one: ExportedTrial) -> Held:
        return read(one.figures) if one.figures else ()

    def of_fall(name: str) -> Callable[[Held], Any]:
        return lambda levels: getattr(first_fall(levels), name, None)

    return [
        column("cliff_at_ns", "integer", of_fall("from_ns")),
        column("cliff_at_bytes", "integer", of_fall("from_bytes")),
        column("lowest_level_bytes_per_s", "number", lambda of: lowest(of) if of else None),
        column("last_level_bytes_per_s", "number", lambda of: of[-1].bytes_per_s if of else None),
        column("levels_bytes_per_s", "text", lambda of: [round(one.bytes_per_s) for one in of]),
        column("levels_to_ns", "text", lambda of: [one.to_ns for one in of]),
        column("levels_to_bytes", "text", lambda of: [one.to_bytes for one in of]),
    ]


def of_cell(name: str, type_: ColumnType, path: str | None = None) -> ExportColumn:
    """Return the column of a figure of the trial's cell, which all of its repeats share."""
    steps = (path or name).split(".")
    return ExportColumn(name, type_, lambda one: _plain(_at(one.cell, steps)))


def by_trial(cells: Iterable[Any]) -> Iterable[tuple[Any, Any]]:
    """Yield each trial of these cells after its cell."""
    return ((cell, trial) for cell in cells for trial in cell.trials)


def _at(found: Any, steps: Sequence[str]) -> Any:
    for step in steps:
        if found is None:
            return None
        found = getattr(found, step)
    return found


def _plain(value: Any) -> Any:
    """Return a value for a cell of a table; the elements of a list with commas between them."""
    if isinstance(value, list | tuple):
        return ",".join(map(str, cast("Sequence[Any]", value)))
    return value

"""Columns of tables: what every row of a trial has, and how each kind declares what it adds.

Exports and the CSV of a result have the same columns. Those of parameters follow from their
declarations. A figure is read from plain data by a path, so that a kind lists its columns instead
of coding them. Names contain the unit of what they hold. Columns of the same name have the same
type in all kinds.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, cast, get_args, get_origin, get_type_hints

from pydantic import BaseModel

from assay.analysis.flags import Flag, Rate
from assay.analysis.levels import Held, first_fall, lowest
from assay.kinds.parameters import declared

ColumnType = Literal["text", "integer", "number", "boolean", "time"]
Row = tuple[Any, ...]


@dataclass(frozen=True)
class TableColumn:
    """A column of an exported file."""

    name: str
    type: ColumnType


@dataclass(frozen=True)
class ExportedTrial:
    """A trial to be exported: the parameters of its run, its own, and its place in the result.

    `key` is its cell's, `participants` how many took part, `rules` the edition of the result, and
    `started_at` is by the host's clock. `cell` is the cell of the result that has it, `figures` are
    its own there; both are null if the result does not have it. `part` is null, or the number of
    the part of the trial, from 1, whose figures these are.
    """

    id: int
    position: int
    repeat: int
    key: str
    run: Mapping[str, Any]
    trial: Mapping[str, Any]
    participants: int
    rules: str
    started_at: datetime | None = None
    cell: Any = None
    figures: Any = None
    part: int | None = None

    def at(self, *steps: str) -> Any:
        """Return a figure by the fields that lead to it; a part lacks some of a trial's."""
        return _at(self.figures, steps, lenient=self.part is not None)


Read = Callable[[ExportedTrial], Any]


@dataclass(frozen=True)
class ExportColumn(TableColumn):
    """A column of trials: how its value is read.

    `is_parameter`: it needs no result, so rows of samples have it, too.
    """

    read: Read
    is_parameter: bool = False


@dataclass(frozen=True)
class ExportedRatio:
    """A figure of a run beside that of the base of a comparison, and their ratio, as Compare shows.

    `ratio` is the base ÷ the run, or the run ÷ the base if `of_base`. The unit of the two values is
    in the name of the `figure`. `p` is Welch's.
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


def of_parameters(
    test: type[BaseModel], resolved: type[BaseModel], trial: type[BaseModel]
) -> list[ExportColumn]:
    """Return the columns of a trial's parameters, then of the conditions that its run has for all.

    A parameter of both is the trial's, where it has a value. Objects have no column.
    """
    of_run, of_trial = declared(test) | declared(resolved), declared(trial)
    own = (name for name in trial.model_fields if name != "kind")
    conditions = (name for name, one in of_run.items() if one.condition)
    types = get_type_hints(resolved) | get_type_hints(trial)
    columns: dict[str, ExportColumn] = {}
    for field in (*own, *conditions):
        one, type_ = of_trial.get(field) or of_run.get(field), _column_type(types[field])
        name = one.column_name(field) if one else field
        if type_ and name not in columns:
            columns[name] = ExportColumn(name, type_, _parameter(field), is_parameter=True)
    return list(columns.values())


def _parameter(field: str) -> Read:
    def read(one: ExportedTrial) -> Any:
        value = one.trial.get(field)
        return _plain(one.run.get(field) if value is None else value)

    return read


def _column_type(of: Any) -> ColumnType | None:
    """Return the type of a column of parameters of a type; runs have resolved values."""
    if get_origin(of) is list:
        (each,) = get_args(of)
        return None if isinstance(each, type) and issubclass(each, BaseModel) else "text"
    if of is bool:
        return "boolean"
    return "integer" if int in (of, *get_args(of)) else "text"


def computed(name: str, type_: ColumnType, read: Read) -> ExportColumn:
    """Return the column of a figure that is computed from others."""
    return ExportColumn(name, type_, lambda one: _plain(read(one)))


def figure(name: str, type_: ColumnType = "number", path: str | None = None) -> ExportColumn:
    """Return the column of a figure of the trial; a path leads to one within another."""
    steps = (path or name).split(".")
    return computed(name, type_, lambda one: one.at(*steps))


def figures(type_: ColumnType, *names: str) -> list[ExportColumn]:
    """Return the columns of figures that are called like their fields."""
    return [figure(name, type_) for name in names]


def within(path: str, prefix: str, type_: ColumnType, *names: str) -> list[ExportColumn]:
    """Return the columns of figures at a path, with a prefix to their names."""
    return [figure(f"{prefix}{name}", type_, f"{path}.{name}") for name in names]


def of_part(name: str, type_: ColumnType = "number", path: str | None = None) -> ExportColumn:
    """Return the column of a figure that only the parts of a trial have."""
    read = figure(name, type_, path).read
    return ExportColumn(name, type_, lambda one: read(one) if one.part else None)


def of_load(end: str) -> list[ExportColumn]:
    """Return the columns of what the host of an end did, as shares of the time."""
    shares = ("busiest_core", "user", "system", "softirq", "iowait")
    path, prefix = f"{end}.load", f"{end}_"
    return [
        *within(path, prefix, "number", *shares),
        *within(path, prefix, "integer", "dirty_growth_bytes"),
    ]


def of_cell(name: str, type_: ColumnType, path: str | None = None) -> ExportColumn:
    """Return the column of a figure of the trial's cell, which all of its repeats share."""
    steps = (path or name).split(".")
    return computed(name, type_, lambda one: _at(one.cell, steps))


def of_levels(read: Callable[[ExportedTrial], Held | None]) -> list[ExportColumn]:
    """Return the columns of a trial's lasting levels; empty with a single one.

    With gaps, a level's own duration and bytes are less than from its start to its end.
    """

    def column(name: str, type_: ColumnType, value: Callable[[Held], Any]) -> ExportColumn:
        return computed(name, type_, lambda one: value(read(one) or ()))

    return [
        column("cliff_at_ns", "integer", lambda of: getattr(first_fall(of), "from_ns", None)),
        column("cliff_at_bytes", "integer", lambda of: getattr(first_fall(of), "from_bytes", None)),
        column("lowest_level_bytes_per_s", "number", lambda of: lowest(of) if of else None),
        column("last_level_bytes_per_s", "number", lambda of: of[-1].bytes_per_s if of else None),
        column("levels_bytes_per_s", "text", lambda of: [round(one.bytes_per_s) for one in of]),
        column("levels_to_ns", "text", lambda of: [one.to_ns for one in of]),
        column("levels_to_bytes", "text", lambda of: [one.to_bytes for one in of]),
        column("levels_ns", "text", lambda of: [one.duration_ns for one in of]),
        column("levels_bytes", "text", lambda of: [one.bytes for one in of]),
    ]


def codes(flags: Iterable[Flag] | None) -> str | None:
    """Return the codes of flags, separated by spaces; of one that affects one rate, with that rate.

    Such as `contended too_short:application`.
    """
    if flags is None:
        return None
    rates: dict[str, set[Rate]] = {}
    for flag in flags:
        rates.setdefault(flag.code, set()).update(flag.rates)
    return " ".join(code if len(of) > 1 else f"{code}:{min(of)}" for code, of in rates.items())


OF_TRIAL: tuple[ExportColumn, ...] = (
    ExportColumn("trial_id", "integer", lambda one: one.id, True),
    ExportColumn("position", "integer", lambda one: one.position, True),
    ExportColumn("repeat", "integer", lambda one: one.repeat, True),
    ExportColumn("cell", "text", lambda one: one.key, True),
)
"""What identifies a trial of any kind."""

JUDGED: tuple[ExportColumn, ...] = (
    ExportColumn("participants", "integer", lambda one: one.participants),
    ExportColumn("rules", "text", lambda one: one.rules),
    *figures("text", "status", "reason"),
    figure("attempts", "integer"),
    ExportColumn("trial_started_at", "time", lambda one: one.started_at),
    computed("flags", "text", lambda one: codes(one.at("flags"))),
)
"""What the result says of a trial of any kind."""

OF_PART = ExportColumn("part", "integer", lambda one: one.part)
"""The number of a part of a trial, such as a pair; empty in the row of all."""


def by_trial(cells: Iterable[Any]) -> Iterable[tuple[Any, Any]]:
    """Yield each trial of these cells after its cell."""
    return ((cell, trial) for cell in cells for trial in cell.trials)


def _at(found: Any, steps: Sequence[str], *, lenient: bool = False) -> Any:
    for step in steps:
        if found is None:
            return None
        found = getattr(found, step, None) if lenient else getattr(found, step)
    return found


def _plain(value: Any) -> Any:
    """Return a value for a cell of a table; the elements of a list with commas between them."""
    if isinstance(value, list | tuple):
        return ",".join(map(str, cast("Sequence[Any]", value)))
    return value

"""Reading the metrics of a matrix from its result.

Trials with an excluding flag (contended, too short, …) are ignored, as in the headline, unless
there are no others; then the value is in doubt.
"""

from collections.abc import Callable, Sequence

from assay.analysis.flags import EXCLUDED, Rate
from assay.analysis.levels import first_fall, lowest
from assay.base.words import block, count
from assay.kinds.cells import sound_trials
from assay.kinds.doubts import (
    PERCENTILES,
    bounded,
    few_repeats,
    interrupted,
    of_flags,
    of_levels,
    of_rate,
    unsound,
)
from assay.kinds.matrix.cells import Cell, MatrixTrial, Percentiles, RankedRepeats
from assay.kinds.matrix.result import MatrixResult
from assay.kinds.metrics import (
    Arguments,
    Bound,
    Concern,
    Doubt,
    EvidenceLocation,
    Measurement,
    Sense,
)
from assay.kinds.writeback import reading

_COLUMNS = {
    "p50": "p50_ns",
    "p90": "p90_ns",
    "p99": "p99_ns",
    "p99.9": "p999_ns",
    "p99.99": "p9999_ns",
    "p99.999": "p99999_ns",
}

Read = Callable[[MatrixResult, Arguments], Measurement]


def mean(rate: Rate, concern: Concern) -> Read:
    """Return a reader of a cell's mean rate."""

    def read(result: MatrixResult, arguments: Arguments) -> Measurement:
        cell = _cell(result, rate, arguments)
        stat = cell and cell.of(rate)
        if cell is None or stat is None:
            return Measurement(None, doubts=_nothing(result, cell))
        doubts = [
            *_unsound(result, cell, rate, arguments, "rate"),
            *of_rate(cell.served_by, rate, concern),
            *_of_mean(cell, rate, stat),
        ]
        trials = sound_trials(cell.trials, rate) or cell.trials
        best = max(trials, key=lambda trial: trial.rate(rate) or 0)
        return Measurement(stat.mean, _at(cell, best), doubts, stat.n, stat.cv)

    return read


def of_writeback(result: MatrixResult, arguments: Arguments) -> Measurement:
    """Return a cell's mean rate from the start of writeback, by its durable rate."""
    cell = _cell(result, "durable", arguments)
    return reading(mean("durable", "durability")(result, arguments), cell and cell.writeback)


def least(rate: Rate, concern: Concern) -> Read:
    """Return a reader of a cell's lowest rate."""

    def read(result: MatrixResult, arguments: Arguments) -> Measurement:
        cell = _cell(result, rate, arguments)
        if cell is None:
            return Measurement(None, doubts=_nothing(result, None))
        trials = sound_trials(cell.trials, rate) or cell.trials
        levels = {trial.id: value for trial in trials if (value := _lowest(trial, rate))}
        if not levels:
            return Measurement(None, doubts=_nothing(result, cell))
        slowest = min((trial for trial in trials if trial.id in levels), key=lambda t: levels[t.id])
        doubts = [
            *_unsound(result, cell, rate, arguments, "rate"),
            *of_rate(cell.served_by, rate, concern),
        ]
        if slowest.bounded and rate == "durable":
            doubts.append(bounded())
        return Measurement(levels[slowest.id], _at(cell, slowest), doubts, len(levels))

    return read


def percentile(name: str) -> Read:
    """Return a reader of a latency percentile of a cell."""
    share, column = PERCENTILES[name], _COLUMNS[name]

    def read(result: MatrixResult, arguments: Arguments) -> Measurement:
        rate = result.rates[0]
        cell = _cell(result, rate, arguments)
        latency: Percentiles | None = cell.latency if cell else None
        value = getattr(latency, column) if latency else None
        if cell is None or latency is None or value is None:
            return Measurement(None, doubts=_nothing(result, cell))
        doubts = _unsound(result, cell, "application", arguments, "latency")
        needed = round(1 / (1 - share))
        if latency.operations < needed:
            figures = {"operations": float(latency.operations), "least_operations": float(needed)}
            message = f"{latency.operations} operations were measured; {name} needs {needed}."
            doubts.append(Doubt("too_few_operations", message, figures))
        return Measurement(float(value), _at(cell, None), doubts, _merged(cell))

    return read


def longest(result: MatrixResult, arguments: Arguments) -> Measurement:
    """Return the longest operation of the run or of a named cell.

    Without a reliable trial it is that of those that measured the storage.
    """
    cells = _cells(result, arguments)
    measured = [(cell, one) for cell in cells for one in cell.trials if one.lat_max_ns is not None]
    found = [(cell, one) for cell, one in measured if one.is_sound("application")]
    found = found or [(cell, one) for cell, one in measured if one.is_counted]
    if not found:
        return Measurement(None, doubts=_none_sound(result, arguments))
    cell, trial = max(found, key=lambda one: one[1].lat_max_ns or 0)
    doubts = [
        *_incomplete(result, cells, "lower", named=bool(arguments)),
        *unsound(
            [one for _, one in found],
            "application",
            "latency",
            reads=_reads(result),
            concurrent=_is_concurrent(result, [cell for cell, _ in found]),
        ),
    ]
    return Measurement(float(trial.lat_max_ns or 0), _at(cell, trial), doubts, len(found))


def cliff_after(result: MatrixResult, arguments: Arguments) -> Measurement:
    """Return the bytes before the earliest permanent fall of the rate; else a lower bound."""
    found = [
        (cell, trial)
        for cell in _cells(result, arguments)
        for trial in sound_trials(cell.trials, "application")
    ]
    if not found:
        return Measurement(None, doubts=_none_sound(result, arguments))
    falls = [
        (fell.from_bytes, cell, trial)
        for cell, trial in found
        for flag in trial.flags
        if (fell := first_fall(flag.levels))
    ]
    cells = _cells(result, arguments)
    doubts = _incomplete(result, cells, None, named=bool(arguments))
    if falls:
        after, cell, trial = min(falls, key=lambda one: one[0])
        return Measurement(float(after), _at(cell, trial), doubts, len(found))
    cell, trial = max(found, key=lambda one: _searched(one[1]))
    within = float(_searched(trial))
    none = Doubt(
        "censored",
        "The rate did not fall permanently within the bytes of the longest trial.",
        {"measured_bytes": within},
        "lower",
        strict=True,
    )
    return Measurement(within, _at(cell, trial), [none, *doubts], len(found))


def _searched(trial: MatrixTrial) -> int:
    """Return the bytes in which a fall was searched: of several participants, in their window."""
    if trial.window_ns is None or trial.application_bytes_per_s is None:
        return trial.bytes
    return round(trial.application_bytes_per_s * trial.window_ns / 10**9)


def spread(result: MatrixResult, arguments: Arguments) -> Measurement:
    """Return the coefficient of variation of a cell's repeats."""
    rate = result.rates[0]
    cell = _cell(result, rate, arguments)
    stat = cell and cell.of(rate)
    if cell is None or stat is None:
        return Measurement(None, doubts=_nothing(result, cell))
    doubts = [*_unsound(result, cell, rate, arguments, "pattern"), *few_repeats(stat.n)]
    return Measurement(stat.cv, _at(cell, None), doubts, stat.n)


def wrong_sectors(result: MatrixResult, arguments: Arguments) -> Measurement:
    """Return the number of sectors that did not contain the written data."""
    if not any(cell.application for cell in result.cells):
        return Measurement(None, doubts=_nothing(result, None))
    wrong = [one.figures["sectors"] for one in result.warnings if one.code == "verify_errors"]
    doubts = _incomplete(result, _cells(result, arguments), "lower")
    return Measurement(sum(wrong), doubts=doubts, repeats=sum(c.repeats_done for c in result.cells))


def choices(result: MatrixResult, arguments: Arguments) -> int:
    """Return of how many cells the best one is read."""
    return len(_cells(result, arguments))


def _cells(result: MatrixResult, arguments: Arguments) -> list[Cell]:
    """Return the named cell, or all."""
    return [
        cell
        for cell in result.cells
        if all(getattr(cell, name) == value for name, value in arguments.items())
    ]


def _cell(result: MatrixResult, rate: Rate, arguments: Arguments) -> Cell | None:
    """Return the named cell, or the best by this rate; None if there is none."""
    if arguments:
        return next(iter(_cells(result, arguments)), None)
    best = result.best.durable if rate == "durable" else result.best.application
    return next((cell for cell in result.cells if cell.setting == best), None)


def _merged(cell: Cell) -> int:
    """Return how many trials the latencies of a cell are of."""
    sound = [t for t in cell.trials if t.is_sound("durable") or t.is_sound("application")]
    return len(sound) or cell.repeats_done


def _at(cell: Cell, trial: MatrixTrial | None) -> EvidenceLocation:
    named = f"{block(cell.block)}, {count(cell.threads, 'thread')}"
    axes = {"block": cell.block, "threads": cell.threads}
    return EvidenceLocation(trial and trial.id, axes, named)


def _lowest(trial: MatrixTrial, rate: Rate) -> float | None:
    """Return a trial's rate, or its lowest lasting level."""
    found = next((f.levels for f in trial.flags if f.levels and rate in f.rates), None)
    return lowest(found) if found else trial.rate(rate)


def _incomplete(
    result: MatrixResult, cells: Sequence[Cell], bound: Bound | None, *, named: bool = False
) -> list[Doubt]:
    """Return the doubt that not all planned trials of the run, or of these cells, have a result."""
    done = sum(cell.repeats_done for cell in cells)
    total = sum(cell.repeats_total for cell in cells)
    if named and done == total:
        return []
    return interrupted(result.warnings, done, total, bound)


def _unsound(
    result: MatrixResult, cell: Cell, rate: Rate, arguments: Arguments, sense: Sense
) -> list[Doubt]:
    """Return why the figures of a cell are unreliable."""
    return [
        *_incomplete(result, [cell], None, named=bool(arguments)),
        *unsound(
            cell.trials,
            rate,
            sense,
            reads=_reads(result),
            concurrent=_is_concurrent(result, [cell]),
        ),
    ]


def _reads(result: MatrixResult) -> bool:
    return result.operation == "read"


def _is_concurrent(result: MatrixResult, cells: Sequence[Cell]) -> bool:
    """Return whether one of the cells has several operations at once; a matrix has no pace."""
    return any(cell.threads * len(result.participants) > 1 for cell in cells)


def _of_mean(cell: Cell, rate: Rate, stat: RankedRepeats) -> list[Doubt]:
    """Return why a mean may not be the rate of a longer trial."""
    doubts = [bounded()] if stat.bounded else []
    used = sound_trials(cell.trials, rate) or cell.trials
    trials = [flag.levels for trial in used for flag in trial.flags if rate in flag.rates]
    shown = next((one for one in cell.flags if one.code == "cliff" and rate in one.rates), None)
    if shown:
        doubts += of_levels(stat.mean, trials, shown.evidence, shown.figures)
    return doubts


def _nothing(result: MatrixResult, cell: Cell | None) -> list[Doubt]:
    """Return why there is no value."""
    trials = cell.trials if cell else [trial for one in result.cells for trial in one.trials]
    flags = [flag for trial in trials for flag in trial.flags if flag.code in EXCLUDED]
    doubts = [*_incomplete(result, result.cells, None), *of_flags(flags)]
    what = "The cell was not measured." if cell else "No cell has a reliable rate."
    return doubts or [Doubt("not_measured", what)]


def _none_sound(result: MatrixResult, arguments: Arguments) -> list[Doubt]:
    cells = _cells(result, arguments)
    return _nothing(result, cells[0] if arguments and cells else None)

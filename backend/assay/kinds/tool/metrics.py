"""The metrics of a tool test: rate, CPU time, and what was lost."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from assay.kinds.doubts import few_repeats, interrupted, of_cut_short, of_flags, of_source, unsound
from assay.kinds.metrics import (
    Argument,
    Arguments,
    Doubt,
    EvidenceLocation,
    Measurement,
    Metric,
)
from assay.kinds.tool.cells import ToolCell
from assay.kinds.tool.report import input_words
from assay.kinds.tool.result import ToolResult, fastest

FILES = (
    Argument(
        "files", "count", "Number of files of the input", of_cell=lambda cell: cell.files or None
    ),
)

_BEST = "of the fastest tool that delivered everything, with any number of files or the given one"

_READS = True
"""A tool reads its input from the source's storage."""

Read = Callable[[ToolResult, Arguments], Measurement]


def _unavailable(test: Any, arguments: Arguments) -> str | None:
    if "files" in arguments and arguments["files"] not in test.files:
        return f"it has no such number of files: {', '.join(map(str, test.files))}"
    return None


def _cells(result: ToolResult, arguments: Arguments) -> list[ToolCell]:
    return [one for one in result.cells if arguments.get("files", one.files) == one.files]


def _leading(cells: Sequence[ToolCell]) -> ToolCell | None:
    """Return the fastest cell that delivered everything; without one, the fastest that counts."""
    rated = [one for one in cells if one.bytes_per_s]
    return fastest(cells) or max(
        rated, key=lambda one: one.bytes_per_s.mean if one.bytes_per_s else 0.0, default=None
    )


def _at(cell: ToolCell) -> EvidenceLocation:
    counted = [one for one in cell.trials if one.application_bytes_per_s]
    best = max(
        counted,
        key=lambda one: one.durable_bytes_per_s or one.application_bytes_per_s or 0.0,
        default=None,
    )
    axes = {name: getattr(cell, name) for name in ("files", "records", "record_bytes")}
    named = f"{cell.title}, {input_words({**axes, 'length_bytes': cell.length_bytes})}"
    files = {"files": cell.files} if cell.files else {}
    return EvidenceLocation(best.id if best else None, files, named)


def _nothing(result: ToolResult) -> list[Doubt]:
    found = of_flags(flag for cell in result.cells for one in cell.trials for flag in one.flags)
    found += of_cut_short(result.warnings)
    return found or [Doubt("not_measured", "No transfer by a tool was measured.")]


def _rate(result: ToolResult, arguments: Arguments) -> Measurement:
    cell = _leading(_cells(result, arguments))
    if cell is None or cell.bytes_per_s is None:
        return Measurement(None, doubts=_nothing(result))
    doubts: dict[str, Doubt] = {
        one.code: one for trial in cell.trials for one in of_source(trial.served_by, "durability")
    }
    found = [
        *unsound(cell.trials, cell.rate, "rate", reads=_READS),
        *interrupted(result.warnings, cell.repeats_done, cell.repeats_total, None),
        *doubts.values(),
    ]
    stat = cell.bytes_per_s
    return Measurement(stat.mean, _at(cell), found, stat.n, stat.cv)


def _cpu(result: ToolResult, arguments: Arguments) -> Measurement:
    cell = _leading(_cells(result, arguments))
    if cell is None or cell.cpu_s_per_gb is None:
        return Measurement(None, doubts=_nothing(result))
    doubts = [
        *unsound(cell.trials, cell.rate, "pattern", reads=_READS),
        *interrupted(result.warnings, cell.repeats_done, cell.repeats_total, None),
    ]
    repeats = cell.bytes_per_s.n if cell.bytes_per_s else 0
    return Measurement(cell.cpu_s_per_gb * 1e9, _at(cell), doubts, repeats)


def _spread(result: ToolResult, arguments: Arguments) -> Measurement:
    cell = _leading(_cells(result, arguments))
    stat = cell.bytes_per_s if cell else None
    if cell is None or stat is None or stat.cv is None:
        return Measurement(None, doubts=_nothing(result))
    doubts = [
        *unsound(cell.trials, cell.rate, "pattern", reads=_READS),
        *few_repeats(stat.n),
    ]
    return Measurement(stat.cv, _at(cell), doubts, stat.n)


def _counted(figure: str) -> Read:
    """Return a reader of the sum of a count over all tools."""

    def read(result: ToolResult, arguments: Arguments) -> Measurement:
        cells = [one for one in _cells(result, arguments) if getattr(one, figure) is not None]
        if not cells:
            return Measurement(None, doubts=_nothing(result))
        worst = max(cells, key=lambda one: getattr(one, figure))
        done = sum(one.repeats_done for one in result.cells)
        total = sum(one.repeats_total for one in result.cells)
        doubts = interrupted(result.warnings, done, total, "lower")
        value = float(sum(getattr(one, figure) for one in cells))
        return Measurement(value, _at(worst), doubts, sum(one.repeats_done for one in cells))

    return read


def _choices(result: ToolResult, arguments: Arguments) -> int:
    """Return of how many tools and numbers of files the leading one is read."""
    return len(_cells(result, arguments))


_metric = partial(
    Metric,
    needs="A test by a tool.",
    unavailable=_unavailable,
    arguments=FILES,
    choices=_choices,
)
"""A metric of the leading tool; with `choices` None, of all of them."""

METRICS: tuple[Metric, ...] = (
    _metric(
        "tool.rate",
        "rate of the transfer by a tool",
        "rate",
        "durability",
        "Mean over the repeats of the bytes that arrived intact per second, up to the end of the "
        f"transfer and with the time of the final sync, {_BEST}.",
        read=_rate,
        sense="rate",
    ),
    _metric(
        "tool.cpu",
        "CPU time per GB of a tool",
        "duration",
        "application",
        "CPU time of both hosts for 10^9 bytes that arrived intact, without what the hosts use "
        f"anyway, {_BEST}.",
        read=_cpu,
        sense="pattern",
    ),
    _metric(
        "tool.cv",
        "variation of a tool between repeats",
        "share",
        "application",
        f"Standard deviation ÷ mean of the rates of the repeats, {_BEST}.",
        read=_spread,
        sense="pattern",
    ),
    _metric(
        "tool.lost",
        "number of files or records that a tool lost",
        "count",
        "application",
        "Files or records of the input that did not arrive completely, in all trials of all tools.",
        read=_counted("lost"),
        choices=None,
        sense="defects",
    ),
    _metric(
        "tool.wrong",
        "number of files or records that did not arrive as sent",
        "count",
        "application",
        "Files with other content than the input, or lines that are none of its records, in all "
        "trials of all tools.",
        read=_counted("wrong"),
        choices=None,
        sense="defects",
    ),
    _metric(
        "tool.duplicate",
        "number of records that arrived more than once",
        "count",
        "application",
        "Records that arrived again after they had arrived, in all trials of all tools.",
        read=_counted("duplicate"),
        choices=None,
        sense="defects",
    ),
)

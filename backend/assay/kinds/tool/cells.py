"""The cells of a tool test: the repeats of each tool with each number of files."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from assay.analysis.flags import Rate, excluded
from assay.analysis.repeats import Repeats, describe
from assay.analysis.statuses import COUNTED
from assay.kinds.cells import CellState, rate_of, state_of
from assay.kinds.programs import UNITS, Input, ToolDefinition
from assay.kinds.run_record import RunRecord
from assay.kinds.tool.parameters import ToolParameters
from assay.kinds.tool.trials import GB, ToolTrial, measured


@dataclass(frozen=True)
class ToolCell:
    """A tool with one number of files. Figures are of the trials that `rates_of` uses.

    `lost`, `wrong` and `duplicate` count files or records (`unit`) in all trials that counted; null
    if the data was the tool's own. `checked` is whether what arrived was compared with the input.
    """

    tool: str
    title: str
    input: Input
    unit: str
    checked: bool
    files: int
    length_bytes: int
    records: int
    record_bytes: int
    state: CellState
    repeats_done: int
    repeats_total: int
    rate: Rate
    bytes_per_s: Repeats | None
    application: Repeats | None
    durable: Repeats | None
    sync_share: float | None
    cpu_s_per_gb: float | None
    lost: int | None
    wrong: int | None
    duplicate: int | None
    unexpected: int | None
    reliable: bool
    trials: Sequence[ToolTrial]


def cells_of(run: RunRecord) -> list[ToolCell]:
    """Return the cells of a run: the tools in the order of the test, then by number of files."""
    definitions = {
        one["name"]: ToolDefinition.model_validate(one) for one in run.parameters["definitions"]
    }
    gathered: dict[tuple[str, int], list[ToolTrial]] = {}
    cells: dict[tuple[str, int], ToolParameters] = {}
    for trial in run.trials:
        cell = ToolParameters.model_validate({"kind": "tool", **trial.parameters})
        key = cell.tool, cell.files
        cells[key] = cell
        gathered.setdefault(key, []).append(measured(run, trial, definitions[cell.tool]))
    order = list(definitions)
    keys = sorted(gathered, key=lambda key: (order.index(key[0]), key[1]))
    return [
        _cell(definitions[key[0]], cells[key], sorted(gathered[key], key=lambda one: one.repeat))
        for key in keys
    ]


def rates_of(cell: ToolCell) -> list[float]:
    """Return the leading rates of the reliable trials; none if there is no reliable one."""
    if not cell.reliable:
        return []
    return [rate for one in _used(cell.trials, cell.rate) if (rate := rate_of(one, cell.rate))]


def whole_cpu_of(cell: ToolCell, *, same_host: bool) -> float | None:
    """Return the CPU seconds per 10^9 bytes of both hosts with what they use anyway; None without.

    This is how the CPU time of Assay's own transfers is counted.
    """
    costs: list[float] = []
    for one in _used(cell.trials, cell.rate):
        busy = [end.busy_s for end in (one.source, one.sink) if end is not None]
        if len(busy) == 2 and one.bytes:
            costs.append((max(busy) if same_host else sum(busy)) * GB / one.bytes)
    return fmean(costs) if costs else None


def _used(trials: Sequence[ToolTrial], rate: Rate) -> list[ToolTrial]:
    """Return the reliable trials in which something arrived; all that count, without any."""
    counted = [one for one in trials if one.status in COUNTED and rate_of(one, rate)]
    sound = [one for one in counted if not excluded(one.flags, rate)]
    return sound or counted


def _cell(
    definition: ToolDefinition, cell: ToolParameters, trials: Sequence[ToolTrial]
) -> ToolCell:
    rate: Rate = "application" if cell.input == "memory" else "durable"
    counted = [one for one in trials if one.status in COUNTED]
    used = _used(trials, rate)

    def figures(of: Rate) -> Repeats | None:
        values = [value for one in used if (value := rate_of(one, of))]
        return describe(values) if values else None

    application, durable = figures("application"), figures("durable")
    costs = [one.cpu_s_per_gb for one in used if one.cpu_s_per_gb is not None]
    shares = [
        one.sync_ns / (one.transfer_ns + one.sync_ns)
        for one in used
        if one.sync_ns is not None and one.transfer_ns
    ]
    arrived = [one.arrived for one in counted if one.arrived]
    return ToolCell(
        tool=definition.name,
        title=definition.title,
        input=cell.input,
        unit=UNITS[cell.input],
        checked=cell.input != "memory",
        files=cell.files,
        length_bytes=cell.length_bytes,
        records=cell.records,
        record_bytes=cell.record_bytes,
        state=state_of([(one.status, one.again) for one in trials], len(counted)),
        repeats_done=len(counted),
        repeats_total=len(trials),
        rate=rate,
        bytes_per_s=durable if rate == "durable" else application,
        application=application,
        durable=durable,
        sync_share=fmean(shares) if shares else None,
        cpu_s_per_gb=fmean(costs) if costs else None,
        lost=sum(one.lost for one in arrived) if arrived else None,
        wrong=sum(one.wrong for one in arrived) if arrived else None,
        duplicate=sum(one.duplicate for one in arrived) if arrived else None,
        unexpected=sum(one.unexpected for one in arrived) if arrived else None,
        reliable=any(not excluded(one.flags, rate) and rate_of(one, rate) for one in counted),
        trials=trials,
    )

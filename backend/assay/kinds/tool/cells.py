"""The cells of a tool test: the repeats of each tool with each number of files."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from assay.analysis.flags import Rate, excluded
from assay.analysis.repeats import Repeats
from assay.kinds.cells import BaseCell, repeats_of, repeats_words, state_of, with_left_out
from assay.kinds.programs import UNITS, Input, ToolDefinition
from assay.kinds.run_record import RunRecord
from assay.kinds.tool.parameters import ToolParameters
from assay.kinds.tool.trials import ToolTrial, measured
from assay.kinds.transfer.cells import counted
from assay.kinds.transfer.comparison import GB
from assay.kinds.transfer.observations import mean


@dataclass(frozen=True, kw_only=True)
class ToolCell(BaseCell):
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
    rate: Rate
    bytes_per_s: Repeats | None
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
    return [rate for one in _used(cell.trials, cell.rate) if (rate := one.rate(cell.rate))]


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
    rated = [one for one in counted(trials) if one.rate(rate)]
    return [one for one in rated if not excluded(one.flags, rate)] or rated


def _cell(
    definition: ToolDefinition, cell: ToolParameters, trials: Sequence[ToolTrial]
) -> ToolCell:
    rate: Rate = "application" if cell.input == "memory" else "durable"
    done, used = counted(trials), _used(trials, rate)
    application, durable = repeats_of(used, "application"), repeats_of(used, "durable")
    leading = durable if rate == "durable" else application
    kept = with_left_out(
        trials, {rate: used}, lambda one: None if one.rate(rate) else "nothing_arrived"
    )
    arrived = [one.arrived for one in done if one.arrived]

    def summed(count: str) -> int | None:
        return sum(getattr(one, count) for one in arrived) if arrived else None

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
        state=state_of(trials, len(done)),
        repeats_done=len(done),
        repeats_total=len(trials),
        rate=rate,
        bytes_per_s=leading,
        application=application,
        durable=durable,
        sync_share=mean(map(_sync_share, used)),
        cpu_s_per_gb=mean(one.cpu_s_per_gb for one in used),
        lost=summed("lost"),
        wrong=summed("wrong"),
        duplicate=summed("duplicate"),
        unexpected=summed("unexpected"),
        reliable=any(not excluded(one.flags, rate) and one.rate(rate) for one in done),
        trials=kept,
        repeats=repeats_words(kept, rate, leading, done=len(done)),
    )


def _sync_share(trial: ToolTrial) -> float | None:
    """Return the part of a trial's time that the final sync took; None without one."""
    if trial.sync_ns is None or not trial.transfer_ns:
        return None
    return trial.sync_ns / (trial.transfer_ns + trial.sync_ns)

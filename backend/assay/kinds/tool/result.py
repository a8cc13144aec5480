"""The result of a tool test: a cell for each tool on the same input, and the headline."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import ConfigDict, Field

from assay.analysis.edition import EDITION
from assay.analysis.flags import FlagCode, Rate
from assay.base import words
from assay.base.worded import Part, joined
from assay.kinds.examples import example
from assay.kinds.headline import BaseHeadline, HeadlineWords, no_rate_words, nothing
from assay.kinds.limits import BaseLimit, gravest_first, unreliable, unstable
from assay.kinds.programs import Input
from assay.kinds.result import BaseResult, RunOutcome
from assay.kinds.run_record import RunRecord
from assay.kinds.selected import selected
from assay.kinds.tool.cells import ToolCell, cells_of, rates_of, whole_cpu_of
from assay.kinds.tool.parameters import NAME
from assay.kinds.tool.report import input_words
from assay.kinds.tool.trials import ToolTrial, on_one_host
from assay.kinds.transfer.cells import counted, ended, excluding_cells, of_cut_short
from assay.kinds.transfer.comparison import Delivery

NoToolResult = Literal["data_lost", "unreliable", "not_measured"]
ToolLimitCode = Literal[
    "cut_short",
    "lost",
    "wrong_data",
    "duplicates",
    "written_elsewhere",
    "not_checked",
    "unreliable",
    "unstable",
]


@dataclass(frozen=True)
class ToolLimit(BaseLimit):
    """A limitation of a tool test's result."""

    code: ToolLimitCode


class ToolHeadline(BaseHeadline):
    """The fastest tool that delivered everything; `no_result` is why there is none.

    `of_tools` is how many tools were compared. `flags` are those that exclude the trials if none is
    reliable.
    """

    kind: Literal["tool"]
    tool: str | None
    title: str | None
    input: Input | None
    files: int | None
    rate: Rate | None
    bytes_per_s: float | None
    cpu_s_per_gb: float | None
    of_tools: int
    no_result: NoToolResult | None
    flags: list[FlagCode] = Field(default_factory=list[FlagCode])

    def worded(self) -> HeadlineWords:
        """Return the rate of the fastest tool and its cost, or why there is none."""
        if self.bytes_per_s is None:
            return nothing(no_rate_words(self.no_result, self.flags, _NO_RESULT))
        durable = "durable, " if self.rate == "durable" else ""
        files = "" if self.files is None else f" with {words.count(self.files, 'file')}"
        cost, tools = self.cpu_s_per_gb, self.of_tools
        rest: list[Part] = [
            f"{durable}{self.title}{files}",
            "" if cost is None else f"{words.figure(cost)} CPU s/GB",
            f"fastest of {words.count(tools, 'tool')}" if tools > 1 else "",
        ]
        return HeadlineWords(None, {"bytes_per_s": self.bytes_per_s}, joined("; ", rest))


_NO_RESULT: dict[str, str] = {
    "data_lost": "no tool delivered all data as it was",
}
"""Why there is no rate, beside what all kinds have."""


class ToolResult(BaseResult):
    """The tools of a test side by side: all moved the same input between the same ends."""

    model_config = ConfigDict(json_schema_extra=example("tool", "result"))

    kind: Literal["tool"]
    cells: list[ToolCell]
    best: int | None
    headline: ToolHeadline | None
    same_host: bool
    warnings: list[ToolLimit]

    def cell(self, tool: str, files: int) -> ToolCell | None:
        """Return the cell of a tool with a number of files."""
        return next(
            (one for one in self.cells if (one.tool, one.files) == (tool, files)),
            None,
        )

    def deliveries(self) -> list[Delivery]:
        """Return what each tool reached, to compare with other ways of moving data."""
        return [
            Delivery(
                name=cell.title if len(self.cells) == 1 else _cell_words(cell),
                length_bytes=cell.length_bytes or None,
                rates=rates_of(cell),
                bytes_per_s=cell.bytes_per_s.mean if cell.bytes_per_s else None,
                cpu_s_per_gb=whole_cpu_of(cell, same_host=self.same_host),
                lost=None if cell.lost is None else cell.lost + (cell.wrong or 0),
            )
            for cell in self.cells
        ]


def judge(run: RunRecord) -> ToolResult:
    """Return the result of a run in any state."""
    cells = cells_of(run)
    leading = fastest(cells)
    return ToolResult(
        kind=NAME,
        run_id=run.id,
        edition=EDITION,
        participants=run.participants,
        cells=cells,
        best=cells.index(leading) if leading else None,
        headline=_headline(cells, leading),
        same_host=on_one_host(run),
        warnings=gravest_first(_warnings(run, cells)),
    )


def outcome(result: ToolResult) -> RunOutcome:
    """Return the finding of an ended run."""
    if result.headline is None:
        return RunOutcome()
    best = result.cells[result.best] if result.best is not None else None
    rated = [one for one in best.trials if one.application_bytes_per_s] if best else []
    trial = max(
        rated,
        key=lambda one: one.durable_bytes_per_s or one.application_bytes_per_s or 0.0,
        default=None,
    )
    return RunOutcome(
        headline=result.headline,
        metric="tool.rate" if best and best.bytes_per_s else None,
        best_trial_id=trial.id if trial else None,
    )


def is_whole(cell: ToolCell) -> bool:
    """Return whether all counted trials of a cell delivered the input as it was."""
    return not (cell.lost or cell.wrong or cell.duplicate)


def fastest(cells: Sequence[ToolCell]) -> ToolCell | None:
    """Return the fastest reliable cell that delivered everything; without one, None."""
    return max(
        compared(cells),
        key=lambda one: one.bytes_per_s.mean if one.bytes_per_s else 0.0,
        default=None,
    )


def compared(cells: Sequence[ToolCell]) -> list[ToolCell]:
    """Return the cells among which `fastest` chooses: reliable, and everything was delivered."""
    return [one for one in cells if one.reliable and is_whole(one) and one.bytes_per_s]


def _headline(cells: Sequence[ToolCell], best: ToolCell | None) -> ToolHeadline | None:
    """Return the headline, or why there is none; None if nothing ended."""
    tools = len({one.tool for one in cells})
    if best is not None and best.bytes_per_s is not None:
        return ToolHeadline(
            kind=NAME,
            tool=best.tool,
            title=best.title,
            input=best.input,
            files=best.files or None,
            rate=best.rate,
            bytes_per_s=best.bytes_per_s.mean,
            cpu_s_per_gb=best.cpu_s_per_gb,
            of_tools=tools,
            no_result=None,
            selected=selected(one.bytes_per_s for one in compared(cells)),
        )
    done = ended(one for cell in cells for one in cell.trials)
    if not done:
        return None
    why: NoToolResult = "not_measured"
    if counted(done):
        why = "unreliable" if any(map(is_whole, cells)) else "data_lost"
    flags = excluding_cells(cells) if why == "unreliable" else []
    return ToolHeadline(
        kind=NAME,
        tool=None,
        title=None,
        input=None,
        files=None,
        rate=None,
        bytes_per_s=None,
        cpu_s_per_gb=None,
        of_tools=tools,
        no_result=why,
        flags=flags,
    )


def _warnings(run: RunRecord, cells: Sequence[ToolCell]) -> list[ToolLimit]:
    trials = [one for cell in cells for one in cell.trials]
    found = [ToolLimit("cut_short", *said) for said in of_cut_short(run, trials)]
    for cell in cells:
        found += _of_cell(cell)
    return found


def _of_cell(cell: ToolCell) -> list[ToolLimit]:
    """Return what a tool did other than delivering its input."""
    found: list[ToolLimit] = []
    total = (cell.files or cell.records) * cell.repeats_done

    def add(code: ToolLimitCode, number: int, said: str) -> None:
        figures = {f"{cell.unit}s": float(number), f"expected_{cell.unit}s": float(total)}
        counted = words.capital(words.count(number, cell.unit))
        found.append(ToolLimit(code, f"{cell.title}: {counted} of {total} {said}", figures))

    if cell.lost:
        add("lost", cell.lost, "did not arrive completely.")
    if cell.wrong:
        add("wrong_data", cell.wrong, "did not arrive as sent. Do not trust data moved by it.")
    if cell.duplicate:
        add("duplicates", cell.duplicate, "arrived more than once.")
    if cell.unexpected:
        names = [one.arrived.unexpected_name for one in cell.trials if one.arrived]
        name = next((one for one in names if one), "")
        said = (
            f"{cell.title}: {words.count(cell.unexpected, 'file')} in the sink's directory "
            f"{'is' if cell.unexpected == 1 else 'are'} not in the input, such as '{name}'. They "
            "count as nothing, and were removed."
        )
        found.append(ToolLimit("written_elsewhere", said, {"files": float(cell.unexpected)}))
    if elsewhere := max(map(_written_elsewhere, cell.trials), default=0):
        said = (
            f"{cell.title}: the sink's file system took in {words.size(elsewhere)} outside of the "
            "test directory, about as much as is missing: the tool seems to write elsewhere. Check "
            "its command, and remove what it left."
        )
        found.append(ToolLimit("written_elsewhere", said, {"bytes": float(elsewhere)}))
    if cell.repeats_done and not cell.reliable:
        none = "Nothing arrived intact." if cell.checked else "The tool printed no number of bytes."
        found.append(
            ToolLimit("unreliable", unreliable(cell.title, counted(cell.trials), cell.rate, none))
        )
    if varying := unstable(_cell_words(cell), cell.rate, cell.bytes_per_s):
        found.append(ToolLimit("unstable", *varying))
    if not cell.checked and cell.repeats_done:
        said = f"{cell.title}: the rate is as the tool reports it; what arrived was not checked."
        found.append(ToolLimit("not_checked", said))
    return found


def _cell_words(cell: ToolCell) -> str:
    """Return the tool and its input: a test may have several."""
    fields = "files", "length_bytes", "records", "record_bytes"
    return f"{cell.title}, {input_words({name: getattr(cell, name) for name in fields})}"


ELSEWHERE = 0.9, 1.5
"""What a file system took in elsewhere, as parts of what is missing, that suggest the same data."""

LEAST_ELSEWHERE = 2**20
"""Less than these bytes any other program may have written."""


def _written_elsewhere(trial: ToolTrial) -> int:
    """Return the bytes that a tool seems to have written outside of the test directory, or 0."""
    found = trial.arrived
    if found is None or found.elsewhere_bytes is None or not found.lost:
        return 0
    missing = trial.length_bytes - found.intact_bytes
    low, high = ELSEWHERE
    similar = low * missing <= found.elsewhere_bytes <= high * missing
    return found.elsewhere_bytes if similar and missing >= LEAST_ELSEWHERE else 0

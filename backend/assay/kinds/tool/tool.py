"""The kind *tool*: the same input, moved from a source to a sink by other programs."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from assay.base.field_errors import FieldError
from assay.kinds.export import ExportedRatio
from assay.kinds.kind import Kind
from assay.kinds.planning import FieldName, Place
from assay.kinds.programs import ToolDefinition
from assay.kinds.result import Report, RunOutcome
from assay.kinds.run_record import RunRecord
from assay.kinds.tool import estimate, export
from assay.kinds.tool.comparison import ToolComparison, compare
from assay.kinds.tool.detail import ToolDetail
from assay.kinds.tool.metrics import METRICS
from assay.kinds.tool.parameters import NAME, ResolvedTool, ToolParameters, ToolTest, definition_of
from assay.kinds.tool.report import report, trial_words
from assay.kinds.tool.result import ToolHeadline, ToolResult, judge, outcome
from assay.kinds.transfer.planned import RECEIVER

SINK_GRACE_MS = 30_000
"""How much longer than the source the sink waits, so that the source's reason is the one given."""


class ToolKind(Kind):
    """Transfers by other programs, measured from outside."""

    name = NAME
    transfers = True
    compares = frozenset({NAME, "path"})
    test = ToolTest
    resolved = ResolvedTool
    trial = ToolParameters
    detail = ToolDetail
    result = ToolResult
    headline = ToolHeadline
    comparison = ToolComparison
    paced_by = ("family",)
    cautions = estimate.CAUTIONS
    metrics = METRICS
    figure_columns = export.COLUMNS

    def plan_transfer(
        self, number: int, test: ToolTest, source: Place, sink: Place, field: FieldName
    ) -> tuple[estimate.PlannedTool | None, list[FieldError]]:
        """Plan the test from a source to a sink."""
        return estimate.plan(number, test, source, sink, field)

    def plan_fields(
        self, parameters: Mapping[str, Any], trial: Mapping[str, Any], *, role: str, direct: bool
    ) -> dict[str, object]:
        """Return the fields of a trial's line in the plan of a participant's probe."""
        quiet_ms = definition_of(parameters, trial["tool"]).quiet_ms
        return self.copied_fields(parameters) | {
            "input": trial["input"],
            "files": trial["files"],
            "file_bytes": trial["file_bytes"],
            "records": trial["records"],
            "record_bytes": trial["record_bytes"],
            "port": parameters["port"],
            "quiet_ms": quiet_ms,
            "timeout_ms": parameters["timeout_ms"]
            + (SINK_GRACE_MS + quiet_ms if role == RECEIVER else 0),
        }

    def program(self, parameters: Mapping[str, Any], trial: Mapping[str, Any]) -> ToolDefinition:
        """Return the definition of a trial's tool, as it was at the launch."""
        return definition_of(parameters, trial["tool"])

    def program_input(self, trial: Mapping[str, Any]) -> dict[str, object]:
        """Return the values of the placeholders that describe what a program moves."""
        return {
            "files": trial["files"],
            "file_bytes": trial["file_bytes"],
            "bytes": trial["length_bytes"],
            "records": trial["records"],
            "record_bytes": trial["record_bytes"],
            "seconds": trial["duration_ms"] // 1000,
        }

    def peak_bytes(self, trials: Sequence[Mapping[str, Any]], role: str) -> int:
        """Return the size of the largest trial's input, which each end has."""
        return max((one["length_bytes"] for one in trials), default=0)

    def scored_role(self, parameters: Mapping[str, Any]) -> str:
        """Return the sink: what arrived there counts."""
        return RECEIVER

    def judge(self, run: RunRecord) -> ToolResult:
        """Return the tools of a run side by side."""
        return judge(run)

    def outcome(self, result: ToolResult) -> RunOutcome:
        """Return the finding of an ended run."""
        return outcome(result)

    def compare(self, results: Sequence[Any]) -> ToolComparison:
        """Compare the first run with the second; one of them may be of Assay's own engine."""
        return compare([(one.run_id, one.kind, one.deliveries()) for one in results])

    def export_ratios(self, comparison: ToolComparison) -> Iterable[ExportedRatio]:
        """Return the figures of both runs side by side."""
        return export.ratios(comparison)

    def trial_words(self, parameters: Mapping[str, Any]) -> str:
        """Format a trial's tool and input."""
        return trial_words(parameters)

    def report(self, result: Mapping[str, Any]) -> Report:
        """Format the tools of a run for a terminal."""
        return report(result)

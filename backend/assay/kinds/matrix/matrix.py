"""The kind *matrix*: blocks × threads, each cell repeated, written or read."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from assay.base.field_errors import FieldError
from assay.kinds.export import ExportColumn, ExportedRatio, ExportedTrial
from assay.kinds.kind import Kind
from assay.kinds.matrix import estimate, export
from assay.kinds.matrix.comparison import MatrixComparison, compare
from assay.kinds.matrix.headline import MatrixHeadline
from assay.kinds.matrix.metrics import METRICS
from assay.kinds.matrix.parameters import (
    NAME,
    MatrixParameters,
    MatrixTest,
    ResolvedMatrix,
)
from assay.kinds.matrix.report import report, trial_words
from assay.kinds.matrix.result import MatrixResult, judge, outcome
from assay.kinds.planning import FieldName, Place
from assay.kinds.result import Report, RunOutcome
from assay.kinds.run_record import RunRecord


class MatrixKind(Kind):
    """A matrix of block sizes and thread counts."""

    name = NAME
    together = True
    test = MatrixTest
    resolved = ResolvedMatrix
    trial = MatrixParameters
    result = MatrixResult
    headline = MatrixHeadline
    comparison = MatrixComparison
    paced_by = ("operation", "cache", "open_mode", "layout")
    cautions = estimate.CAUTIONS
    metrics = METRICS
    figure_columns = export.COLUMNS

    def plan(
        self, number: int, test: MatrixTest, place: Place, field: FieldName
    ) -> tuple[estimate.PlannedMatrix | None, list[FieldError]]:
        """Plan one matrix on a place."""
        return estimate.plan(number, test, place, field)

    def plan_fields(
        self, parameters: Mapping[str, Any], trial: Mapping[str, Any], *, role: str, direct: bool
    ) -> dict[str, object]:
        """Return the fields of a trial's line in the probe's plan."""
        cache = parameters["cache"]
        if cache == "direct_if_real":
            cache = "direct" if direct else "page"
        # the size is the requested one: the probe rounds it up to whole blocks and identifies the
        # file set by it
        return self.copied_fields(parameters) | {
            "block": trial["block"],
            "threads": trial["threads"],
            "files": trial["files"],
            "cache": cache,
        }

    def peak_bytes(self, trials: Sequence[Mapping[str, Any]], role: str) -> int:
        """Return the size of one trial's files, or of the file set that all trials share.

        The set has the largest size and the largest number of files of all trials.
        """
        sizes, files = ([trial[name] for trial in trials] for name in ("file_size", "files"))
        return max(sizes, default=0) * max(files, default=0)

    def judge(self, run: RunRecord) -> MatrixResult:
        """Return the matrix of a run."""
        return judge(run)

    def outcome(self, result: MatrixResult) -> RunOutcome:
        """Return the finding of an ended run."""
        return outcome(result)

    def compare(self, results: Sequence[MatrixResult]) -> MatrixComparison:
        """Compare the first matrix with the second."""
        return compare(results)

    def csv_columns(self, result: MatrixResult) -> Sequence[ExportColumn]:
        """Return the columns of cells."""
        return (*self.parameter_columns, *export.CELL, *export.of_participants(result))

    def csv_rows(
        self, result: MatrixResult, trials: Mapping[int, ExportedTrial]
    ) -> Iterable[ExportedTrial]:
        """Yield each cell, as its first repeat."""
        return (replace(trials[cell.trials[0].id], cell=cell) for cell in result.cells)

    def export_ratios(self, comparison: MatrixComparison) -> Iterable[ExportedRatio]:
        """Return the figures of both runs side by side."""
        return export.ratios(comparison)

    def trial_words(self, parameters: Mapping[str, Any]) -> str:
        """Format a trial's setting."""
        return trial_words(parameters)

    def report(self, result: Mapping[str, Any]) -> Report:
        """Format a matrix for a terminal."""
        return report(result)

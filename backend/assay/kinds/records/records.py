"""The kind *records*: senders stream records into one file, or into memory as the control."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from assay.analysis.served_by import Source
from assay.base.field_errors import FieldError
from assay.kinds.export import ExportedRatio
from assay.kinds.kind import Kind
from assay.kinds.planning import FieldName, Place, PlannedRun
from assay.kinds.records import estimate, export
from assay.kinds.records.cells import is_reliable
from assay.kinds.records.comparison import RecordsComparison, compare
from assay.kinds.records.detail import RecordsDetail
from assay.kinds.records.figures import RecordsCell, RecordsSender, RecordsTrial
from assay.kinds.records.metrics import METRICS
from assay.kinds.records.parameters import NAME, RecordsParameters, RecordsTest, ResolvedRecords
from assay.kinds.records.report import report, trial_words
from assay.kinds.records.result import RecordsHeadline, RecordsResult, judge, outcome
from assay.kinds.result import Report, RunOutcome
from assay.kinds.run_record import RunRecord
from assay.kinds.scaling import JointRate, ParticipantRate, RateDoubt, ReachedRate
from assay.kinds.transfer.fields import ip_version
from assay.kinds.transfer.planned import RECEIVER

GRACE_MS = 60_000
"""How long the receiver may take to store what is under way at the end of the window."""


class RecordsKind(Kind):
    """Records of many senders to one receiver."""

    name = NAME
    transfers = True
    scales_out = True
    counts_left = True
    test = RecordsTest
    resolved = ResolvedRecords
    trial = RecordsParameters
    detail = RecordsDetail
    result = RecordsResult
    headline = RecordsHeadline
    comparison = RecordsComparison
    paced_by = ("sink", "acknowledge", "sync_ms", "sync_bytes")
    cautions = estimate.CAUTIONS
    metrics = METRICS
    figure_columns = export.COLUMNS
    part_columns = export.OF_SENDER

    def plan_transfer(
        self, number: int, test: RecordsTest, source: Place, sink: Place, field: FieldName
    ) -> tuple[estimate.PlannedRecords | None, list[FieldError]]:
        """Plan the test for one sender."""
        return estimate.plan(number, test, source, sink, field)

    def joined(self, planned: Sequence[PlannedRun]) -> list[PlannedRun]:
        """Return the senders of all pairs, and one receiver."""
        return estimate.joined(planned)

    def refused_of_several(
        self, planned: Sequence[PlannedRun], field: FieldName, *, at_once: bool
    ) -> Iterator[FieldError]:
        """Yield why the records of these pairs cannot go to one receiver."""
        return estimate.refused_of_several(planned, at_once=at_once)

    def exchange(self, position: int) -> int:
        """Return 0: all participants exchange data with the one receiver."""
        return 0

    def plan_fields(
        self, parameters: Mapping[str, Any], trial: Mapping[str, Any], *, role: str, direct: bool
    ) -> dict[str, object]:
        """Return the fields of a trial's line in the plan of a participant's probe."""
        receives = role == RECEIVER
        return self.copied_fields(parameters) | {
            "senders": parameters["senders"],
            "sink": parameters["medium"],
            "record_bytes": trial["record_bytes"],
            "timeout_ms": parameters["warm_up_ms"] + parameters["window_ms"] + GRACE_MS,
            "socket_buffer_bytes": parameters["socket_buffer_bytes"],
            "congestion": parameters["congestion_control"],
            "family": ip_version(parameters),
            "bind": parameters["sink_address"] if receives else None,
            "port_first": parameters["port"],
            "port_last": parameters["last_port"] or parameters["port"],
        }

    def own_fields(self, parameters: Mapping[str, Any], role: str, place: int) -> dict[str, object]:
        """Return the number of a sender."""
        return {} if role == RECEIVER else {"sender": place}

    def peak_bytes(self, trials: Sequence[Mapping[str, Any]], role: str) -> int:
        """Return the size of the receiver's largest file, if the trials are paced."""
        if role != RECEIVER:
            return 0
        return max((one["file_bytes"] for one in trials), default=0)

    def scored_role(self, parameters: Mapping[str, Any]) -> str:
        """Return the end whose records count."""
        return RECEIVER

    def trial_ms(self, parameters: Mapping[str, Any]) -> int:
        """Return the duration of a trial: its warm-up and its window."""
        return parameters["duration_ms"]

    def judge(self, run: RunRecord) -> RecordsResult:
        """Return the records of a run."""
        return judge(run)

    def outcome(self, result: RecordsResult) -> RunOutcome:
        """Return the finding of an ended run."""
        return outcome(result)

    def compare(self, results: Sequence[RecordsResult]) -> RecordsComparison:
        """Compare the first result with the second."""
        return compare(results)

    def joint_rates(self, result: RecordsResult) -> Iterable[JointRate]:
        """Return what all senders reach together with each record length."""
        return joint_rates(result)

    def parts(self, trial: RecordsTrial) -> Sequence[RecordsSender]:
        """Return the senders of a trial."""
        return trial.senders

    def export_ratios(self, comparison: RecordsComparison) -> Iterable[ExportedRatio]:
        """Return the figures of both runs side by side."""
        return export.ratios(comparison)

    def trial_words(self, parameters: Mapping[str, Any]) -> str:
        """Format a trial's record length."""
        return trial_words(parameters)

    def report(self, result: Mapping[str, Any]) -> Report:
        """Format a result for a terminal."""
        return report(result)


def joint_rates(result: RecordsResult) -> Iterator[JointRate]:
    """Yield what the senders of a run reach together with each record length, as payload."""
    for cell in result.cells:
        shown = next((one for one in cell.trials if one.id == cell.trial_id), None)
        yield JointRate(
            cell=str(cell.record_bytes),
            label=trial_words({"record_bytes": cell.record_bytes}),
            application=ReachedRate(
                bytes_per_s=cell.bytes_per_s.mean if cell.bytes_per_s else None,
                served_by=_source(shown),
                doubt=_doubt(cell, paced=result.rate_records_per_s is not None),
            ),
            durable=None,
            fairness=shown.fairness if shown else None,
            slowest_participant_id=shown.slowest_participant_id if shown else None,
            participants=[
                ParticipantRate(one.participant_id, one.bytes_per_s, one.share)
                for one in (shown.senders if shown else ())
            ],
        )


def _source(trial: RecordsTrial | None) -> Source | None:
    return trial.served_by.source if trial and trial.served_by else None


def _doubt(cell: RecordsCell, *, paced: bool) -> RateDoubt | None:
    if cell.bytes_per_s is None:
        return "not_measured"
    if not cell.reliable:
        return "unreliable"
    if paced:
        return "paced"  # the pace decides the rate, not what the senders share
    if any(one.levels or one.faded for one in cell.trials if is_reliable(one)):
        return "cliff"  # the mean is a rate that was never reached
    return None

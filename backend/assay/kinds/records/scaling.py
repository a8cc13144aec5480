"""The cells of a records test in a scale-out over growing numbers of senders."""

from collections.abc import Iterator

from assay.analysis.served_by import Source
from assay.kinds.records.cells import is_reliable
from assay.kinds.records.figures import RecordsCell, RecordsTrial
from assay.kinds.records.report import trial_words
from assay.kinds.records.result import RecordsResult
from assay.kinds.scaling import JointRate, ParticipantRate, RateDoubt, ReachedRate


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

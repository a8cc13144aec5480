"""The cells of a sustained test in a scale-out."""

from collections.abc import Iterator

from assay.analysis.flags import Rate
from assay.kinds.cells import is_sound
from assay.kinds.scaling import JointRate, ParticipantRate, RateDoubt, ReachedRate
from assay.kinds.sustained.figures import SustainedCell
from assay.kinds.sustained.headline import mean_of, shown
from assay.kinds.sustained.report import trial_words
from assay.kinds.sustained.result import SustainedResult


def joint_rates(result: SustainedResult) -> Iterator[JointRate]:
    """Yield what the participants of a run reach in each cell."""
    alone = result.participants[0].id
    for cell in result.cells:
        trial = shown(cell)
        label = trial_words(
            {
                "block": cell.block,
                "queue_depth": cell.queue_depth,
                "rate_bytes_per_s": cell.rate_bytes_per_s,
                "burst_blocks": cell.burst_blocks,
                "idle_ms": cell.idle_ms,
                **cell.mode.given,
            }
        )
        application = _reached(cell, "application")
        several = trial.participants if trial else []
        own = [ParticipantRate(alone, application.bytes_per_s, 1.0)] if trial else []
        yield JointRate(
            cell=cell.key,
            label=label,
            application=application,
            durable=_reached(cell, "durable") if result.operation != "read" else None,
            fairness=trial.fairness if trial else None,
            slowest_participant_id=trial.slowest_participant_id if trial else None,
            participants=[
                ParticipantRate(one.participant_id, one.application_bytes_per_s, one.share)
                for one in several
            ]
            or own,
        )


def _reached(cell: SustainedCell, rate: Rate) -> ReachedRate:
    source = cell.served_by.of(rate) if cell.served_by else None
    mean = mean_of(cell, rate)
    return ReachedRate(
        bytes_per_s=mean,
        served_by=source.source if source else None,
        doubt=_doubt(cell, rate, source.source if source else None)
        if mean is not None
        else "not_measured",
    )


def _doubt(cell: SustainedCell, rate: Rate, source: str | None) -> RateDoubt | None:
    sound = [trial for trial in cell.trials if is_sound(trial, rate)]
    if not sound:
        return "unreliable"
    if cell.offered_bytes_per_s is not None:
        return "paced"  # the pace decides the rate, not what the targets share
    if rate == "durable" and any(trial.bounded for trial in sound):
        return "bounded"  # the true rate is lower
    if any(trial.levels for trial in sound):
        return "cliff"  # the mean is a rate that was never reached
    return "page_cache" if source == "page_cache" else None

"""The cells of a path test in a scale-out over pairs of source and sink."""

from collections.abc import Iterator, Sequence
from statistics import median

from assay.analysis.flags import Rate, excluded
from assay.analysis.statuses import COUNTED
from assay.kinds.path.fields import WRITING
from assay.kinds.path.legs import PathLeg
from assay.kinds.path.parameters import PathParameters
from assay.kinds.path.report import trial_words
from assay.kinds.path.result import PathResult
from assay.kinds.path.trials import PathPair, PathTrial
from assay.kinds.scaling import JointRate, ParticipantRate, RateDoubt, ReachedRate


def joint_rates(result: PathResult) -> Iterator[JointRate]:
    """Yield what the pairs of a run reach in each leg with each setting.

    Both ends of a pair have its rate. The slowest participant is an end that other pairs do not
    share.
    """
    senders = [one for one in result.participants if one.role == "sender"]
    one_source = len({(one.host, one.path) for one in senders}) == 1
    for leg in result.legs:
        trial, paced = _shown(leg), _is_paced(result, leg)
        pairs: Sequence[PathPair] = trial.pairs if trial else ()
        slowest = None
        if trial and trial.slowest_pair is not None:
            pair = pairs[trial.slowest_pair]
            slowest = pair.receiver_id if one_source else pair.sender_id
        cell = PathParameters(
            kind="path",
            leg=leg.leg,
            block=leg.block,
            streams=leg.streams or 0,
            length_bytes=0,
            duration_ms=0,
        )
        application = _reached(leg, "application", paced=paced)
        alone = [
            ParticipantRate(one.id, application.bytes_per_s, 1.0)
            for one in (result.participants if trial else ())
        ]
        yield JointRate(
            cell=cell.key,
            label=trial_words(cell.model_dump(), several=len(senders) > 1),
            application=application,
            durable=_reached(leg, "durable", paced=paced) if leg.leg in WRITING else None,
            fairness=trial.fairness if trial else None,
            slowest_participant_id=slowest,
            participants=[
                ParticipantRate(end, one.application_bytes_per_s, one.share)
                for one in pairs
                for end in (one.sender_id, one.receiver_id)
            ]
            or alone,
        )


def _is_paced(result: PathResult, leg: PathLeg) -> bool:
    """Return whether the pacing that the test asked for limits a leg."""
    return any(
        one.bottleneck is not None and one.bottleneck.limit == "pacing"
        for one in result.settings
        if (one.transfer, one.block, one.streams) == (leg.leg, leg.block, leg.streams)
    )


def _shown(leg: PathLeg) -> PathTrial | None:
    """Return the trial whose rate is the median of those that the leg's figures rest on."""
    rated = [one for one in leg.trials if one.status in COUNTED and one.leading_bytes_per_s]
    if not rated:
        return None
    middle = median(one.leading_bytes_per_s or 0.0 for one in rated)
    return min(rated, key=lambda one: abs((one.leading_bytes_per_s or 0.0) - middle))


def _reached(leg: PathLeg, rate: Rate, *, paced: bool) -> ReachedRate:
    found = leg.durable if rate == "durable" else leg.application
    sources = [one.served_by for one in leg.trials if one.served_by]
    return ReachedRate(
        bytes_per_s=found.mean if found else None,
        served_by=sources[0].source if sources else None,
        doubt=_doubt(leg.trials, rate, paced=paced) if found else "not_measured",
    )


def _doubt(trials: Sequence[PathTrial], rate: Rate, *, paced: bool) -> RateDoubt | None:
    counted = [one for one in trials if one.status in COUNTED]
    sound = [one for one in counted if not excluded(one.flags, rate) and not one.wrong_blocks]
    if not sound:
        return "unreliable"
    if any(one.inflated for one in sound):
        return "page_cache"
    if paced:
        return "paced"  # the pace decides the rate, not what the pairs share
    if rate == "durable" and any(one.bounded for one in sound):
        return "bounded"  # the true rate is lower
    served = any(one.served_by and one.served_by.source == "page_cache" for one in sound)
    return "page_cache" if served else None

"""The cells of a records test: the repeats with each record length, and what limits them."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from statistics import fmean

from assay.analysis import flags as rules
from assay.analysis import words
from assay.analysis.flags import Flag, excluded
from assay.analysis.histogram import merge
from assay.analysis.repeats import Repeats, describe
from assay.analysis.statuses import COUNTED
from assay.kinds.cells import state_of
from assay.kinds.kind import RunRecord
from assay.kinds.path import bottleneck
from assay.kinds.path.bottleneck import Bottleneck, Rates
from assay.kinds.path.causes import DOMINANT, Reason, Seen, Waits
from assay.kinds.records.figures import RecordsCell, RecordsTrial, added
from assay.kinds.records.trials import MeasuredRecords, curve, measured


def cells_of(run: RunRecord) -> list[RecordsCell]:
    """Return the cells of a run in any state, the shortest records first."""
    gathered: dict[int, list[MeasuredRecords]] = {}
    for trial in run.trials:
        gathered.setdefault(trial.parameters["record_bytes"], []).append(measured(run, trial))
    return [
        _cell(run, length, sorted(gathered[length], key=lambda one: one.figures.repeat))
        for length in sorted(gathered)
    ]


def _cell(run: RunRecord, length: int, every: Sequence[MeasuredRecords]) -> RecordsCell:
    trials = [one.figures for one in every]
    counted = [one for one in every if one.figures.status in COUNTED]
    sound = [one for one in counted if is_reliable(one.figures)]
    used = sound or counted
    figures = [one.figures for one in used]
    rate = _repeats(figures, lambda one: one.records_per_s)
    latencies = [one.latency for one in used if one.latency]
    return RecordsCell(
        record_bytes=length,
        state=state_of([(one.status, one.again) for one in trials], len(counted)),
        repeats_done=len(counted),
        repeats_total=len(trials),
        records_per_s=rate,
        bytes_per_s=_repeats(figures, lambda one: one.bytes_per_s),
        stored_bytes_per_s=_repeats(figures, lambda one: one.stored_bytes_per_s),
        durable_bytes_per_s=_repeats(figures, lambda one: one.durable_bytes_per_s),
        expansion=_mean(one.expansion for one in figures),
        receiver_ns_per_record=_mean(one.receiver_ns_per_record for one in figures),
        fairness=min((one.fairness for one in figures if one.fairness is not None), default=None),
        counts=added(one.counts for one in trials if one.counts),
        lost=lost_of(trials),
        latency=curve(merge(latencies)) if latencies else [],
        reliable=bool(sound),
        bottleneck=_bottleneck(run, length, figures),
        flags=_cell_flags(trials, rate),
        trial_id=_shown(figures),
        trials=trials,
    )


def lost_of(trials: Sequence[RecordsTrial]) -> int | None:
    """Return the records that were lost in the trials that ended; None if none is known."""
    known = [one.lost for one in trials if (one.counts or one.left) and one.lost is not None]
    return sum(known) if known else None


def is_reliable(trial: RecordsTrial) -> bool:
    """Return whether a trial's rate counts: nothing excludes it, and its records are whole."""
    whole = trial.counts is None or trial.counts.is_whole
    return whole and not excluded(trial.flags, "application")


def _repeats(
    trials: Sequence[RecordsTrial], value: Callable[[RecordsTrial], float | None]
) -> Repeats | None:
    values = [rate for one in trials if (rate := value(one)) is not None]
    return describe(values) if values else None


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def _shown(trials: Sequence[RecordsTrial]) -> int | None:
    """Return the trial with the median rate; the lower one of two."""
    rated = sorted((one.records_per_s or 0.0, one.id) for one in trials)
    return rated[(len(rated) - 1) // 2][1] if rated else None


def _cell_flags(trials: Sequence[RecordsTrial], rate: Repeats | None) -> list[Flag]:
    found = rules.of_cell([one.flags for one in trials if one.status != "waiting"])
    if rate is None or rate.cv is None:
        return found
    loose = rules.unstable("application", rate.mean, rate.cv * rate.mean)
    return [*found, loose] if loose else found


def _bottleneck(run: RunRecord, length: int, trials: Sequence[RecordsTrial]) -> Bottleneck | None:
    """Return what limits the rate of a cell, by the evidence in its trials themselves."""
    rates = [one.bytes_per_s for one in trials if one.bytes_per_s]
    if not rates:
        return None
    exhausted = [one.cliff for one in trials if one.cliff and one.cliff.cause == "cache_exhausted"]
    if exhausted:
        (first, *_) = exhausted
        return Bottleneck(
            limit="sink_disk",
            others=[],
            rule="own_evidence",
            sentence="The sink's disk limits the records once its cache is exhausted.",
            evidence=[Reason("cache_exhausted", first.message, {"at_ns": float(first.at_ns)})],
            expected_bytes_per_s=None,
            efficiency=None,
        )
    offered = run.parameters["rate_records_per_s"] * length * run.parameters["senders"]
    seen = _seen(trials, offered or None)
    found = bottleneck.name(Rates(transfer=rates), seen, Seen(), needs=["memory"])
    return found and replace(found, evidence=[_reworded(one) for one in found.evidence])


def _reworded(reason: Reason) -> Reason:
    """Return evidence about a ring, which records do not have, in words about the receiver."""
    if reason.code == "receiver_full":
        share = words.percent(reason.figures["share"])
        said = f"The receiver waited for its disk for at least {share} of the time."
        return Reason("receiver_blocked", said, reason.figures)
    if reason.code == "receive_window":
        return replace(
            reason, message=f"{reason.message.split(',', maxsplit=1)[0]}.".replace("..", ".")
        )
    return reason


def _seen(trials: Sequence[RecordsTrial], offered_bytes_per_s: float | None) -> Seen:
    """Return the evidence of these trials, as means; the senders' together.

    The line is the receiver's card, or all cards of the senders if those are slower together.
    """
    receivers = [one.receiver for one in trials if one.receiver]
    times = [one.receiver_time for one in trials if one.receiver_time]
    waits_for_data = (_mean(one.receiving for one in times) or 0.0) >= DOMINANT
    ends = [end for one in trials for sender in one.senders if (end := sender.end)]
    links = [link for one in trials for sender in one.senders if (link := sender.link)]
    return Seen(
        bytes_per_s=_mean(one.bytes_per_s for one in trials),
        waits=Waits(receiver_full=_mean(one.blocked for one in times)),
        # of a receiver that is busy, the window says nothing
        receive_window_limited=_mean(one.receive_window_limited for one in links)
        if waits_for_data
        else None,
        send_buffer_limited=_mean(one.send_buffer_limited for one in links),
        retransmitted=_mean(one.retransmitted for one in links),
        rtt_idle_ns=_mean(one.rtt_idle_ns for one in links),
        rtt_load_ns=_mean(one.rtt_load_ns for one in links),
        link_bytes_per_s=_mean(map(_line, trials)),
        pacing_bytes_per_s=offered_bytes_per_s,
        sender_busiest_core=_mean(one.load.busiest_core for one in ends if one.load),
        receiver_busiest_core=_mean(one.load.busiest_core for one in receivers if one.load),
        sender_own_cores=_mean(one.own_cores for one in ends),
        receiver_own_cores=_mean(one.own_cores for one in receivers),
    )


def _line(trial: RecordsTrial) -> float | None:
    """Return the bytes per second of the receiver's card, or of the senders' cards together."""
    own = trial.receiver.card if trial.receiver else None
    cards = [sender.end.card if sender.end else None for sender in trial.senders]
    speeds = [one.speed_bits_per_s if one else None for one in cards]
    theirs = [one for one in speeds if one]
    if own is None or not own.speed_bits_per_s or len(theirs) < len(speeds):
        return None
    return min(own.speed_bits_per_s, sum(theirs)) / 8

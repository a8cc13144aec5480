"""What limits the rate of records, by the evidence in the trials themselves.

The rules are those of a transfer (`docs/measuring.md`, *Bottleneck*), for each sender; the receiver
and its card are shared.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from statistics import fmean

from assay.analysis import words
from assay.kinds.path import bottleneck as rules
from assay.kinds.path.bottleneck import Bottleneck, Rates
from assay.kinds.path.causes import WINDOW, causes_of
from assay.kinds.path.evidence import DOMINANT, CardLoad, Cause, Reason, Seen, Waits
from assay.kinds.path.streams import is_loopback, same
from assay.kinds.records.figures import RecordsSender, RecordsTrial
from assay.kinds.run_record import RunRecord


def bottleneck_of(
    run: RunRecord, record_bytes: int, trials: Sequence[RecordsTrial]
) -> Bottleneck | None:
    """Return what limits the rate of these trials; None if they have none."""
    rates = [one.bytes_per_s for one in trials if one.bytes_per_s]
    if not rates:
        return None
    exhausted = [one.cliff for one in trials if one.cliff and one.cliff.cause == "cache_exhausted"]
    if exhausted:
        first = exhausted[0]
        return Bottleneck(
            limit="sink_disk",
            others=[],
            rule="own_evidence",
            sentence="The sink's disk limits the records once its cache is exhausted.",
            evidence=[Reason("cache_exhausted", first.message, {"at_ns": float(first.at_ns)})],
            expected_bytes_per_s=None,
            efficiency=None,
        )
    offered = run.parameters["rate_records_per_s"] * record_bytes or None
    names, hosts = [site.name for site in run.sites[:-1]], [site.machine for site in run.sites]
    each = [
        replace(
            _seen(trials, [one.senders[place] for one in trials], offered, name),
            # CPUs for which one end on a host waits may be used by the other one
            **{
                f"{end}_waiting": None
                for end, host in (("sender", hosts[place]), ("receiver", hosts[-1]))
                if hosts.count(host) > 1
            },
        )
        for place, name in enumerate(names)
    ]
    found = rules.name(Rates(transfer=rates), each, {}, needs=["memory"], causes=_causes_of)
    if found is None or found.limit != "undetermined":
        return found
    return replace(found, evidence=[*found.evidence, *_waits_for_acknowledgements(trials)])


def _waits_for_acknowledgements(trials: Sequence[RecordsTrial]) -> Iterator[Reason]:
    """Yield that both ends waited: the senders for acknowledgements, the receiver for data.

    The round trip, or an end's delay, may then be the limit; the evidence cannot tell which.
    """
    ends = [end for trial in trials for one in trial.senders if (end := one.end)]
    waited = _mean(stage.full for end in ends if (stage := end.stage("send"))) or 0.0
    if waited >= DOMINANT and _waits_for_data(trials):
        said = (
            f"The senders waited {words.percent(waited)} of the time for acknowledgements, and the "
            "receiver for data: more or larger batches in flight show whether the round trip is "
            "the limit."
        )
        yield Reason("acknowledgements", said, {"share": waited})


def _waits_for_data(trials: Sequence[RecordsTrial]) -> bool:
    """Return whether the receiver waited for data for most of the time."""
    times = [one.receiver_time for one in trials if one.receiver_time]
    return (_mean(one.receiving for one in times) or 0.0) >= DOMINANT


def _seen(
    trials: Sequence[RecordsTrial],
    senders: Sequence[RecordsSender],
    offered_bytes_per_s: int | None,
    name: str,
) -> Seen:
    """Return the evidence of a sender and of the receiver in these trials, as means."""
    several = any(len(one.senders) > 1 for one in trials)
    ends = [one.end for one in senders if one.end]
    links = [one.link for one in senders if one.link]
    receivers = [one.receiver for one in trials if one.receiver]
    times = [one.receiver_time for one in trials if one.receiver_time]
    speeds = [end.card.speed_bits_per_s if end.card else None for end in (*ends, *receivers)]
    known = [speed for speed in speeds if speed]
    return Seen(
        pair=name if several else None,
        bytes_per_s=_mean(one.bytes_per_s for one in senders),
        waits=Waits(receiver_full=_mean(one.blocked for one in times)),
        # of a receiver that is busy, the window says nothing
        receive_window_limited=_mean(one.receive_window_limited for one in links)
        if _waits_for_data(trials)
        else None,
        send_buffer_limited=_mean(one.send_buffer_limited for one in links),
        retransmitted=_mean(one.retransmitted for one in links),
        streams=1,
        mss_bytes=_mean(one.mss_bytes for one in links),
        congestion_control=same(one.congestion_control for one in links),
        rtt_idle_ns=_mean(one.rtt_idle_ns for one in links),
        rtt_load_ns=_mean(one.rtt_load_ns for one in links),
        loopback=is_loopback((*ends, *receivers)),
        link_bytes_per_s=min(known) / 8 if known and len(known) == len(speeds) else None,
        sink_card=_card(trials) if several else None,
        pacing_bytes_per_s=offered_bytes_per_s,
        sender_busiest_core=_mean(one.load.busiest_core for one in ends if one.load),
        receiver_busiest_core=_mean(one.load.busiest_core for one in receivers if one.load),
        sender_own_cores=_mean(one.own_cores for one in ends),
        receiver_own_cores=_mean(one.own_cores for one in receivers),
        sender_softirq=_mean(one.load.softirq_of_used for one in ends if one.load),
        receiver_softirq=_mean(one.load.softirq_of_used for one in receivers if one.load),
        sender_waiting=_mean(one.waiting for one in ends),
        receiver_waiting=_mean(one.waiting for one in receivers),
        sender_withheld=_mean(one.withheld for one in ends),
        receiver_withheld=_mean(one.withheld for one in receivers),
        acknowledgement_wait=_mean(stage.full for one in ends if (stage := one.stage("send"))),
        receiver_idle=_mean(map(_idle, trials)),
    )


def _idle(trial: RecordsTrial) -> float | None:
    """Return which part of the time the receiver's threads at least waited for data.

    They also receive what is there, which takes CPU time; None if either is unknown.
    """
    time, receiver = trial.receiver_time, trial.receiver
    if time is None or receiver is None or receiver.own_cores is None:
        return None
    return max(0.0, time.receiving - receiver.own_cores / len(trial.senders))


def _card(trials: Sequence[RecordsTrial]) -> CardLoad | None:
    """Return what all senders together moved through the receiver's card; None if unknown."""
    cards = [one.receiver.card if one.receiver else None for one in trials]
    speeds = {one.speed_bits_per_s if one else None for one in cards}
    moved = _mean(one.bytes_per_s for one in trials)
    speed = speeds.pop() if len(speeds) == 1 else None
    return CardLoad(moved, speed / 8) if speed and moved is not None else None


def _causes_of(seen: Seen) -> Iterator[Cause]:
    """Yield the causes; evidence about a ring, which records do not have, is about the receiver."""
    for limit, reason in causes_of(seen):
        yield limit, _reworded(reason)


def _reworded(reason: Reason) -> Reason:
    if reason.code not in ("receiver_full", "receive_window"):
        return reason
    share = words.percent(reason.figures["share"])
    if reason.code == "receive_window":
        return replace(reason, message=f"{WINDOW.format(share=share)}.")
    said = f"The receiver waited for its disk for at least {share} of the time."
    return Reason("receiver_blocked", said, reason.figures)


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None

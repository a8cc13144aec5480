"""What limits the rate of records, by the evidence in the trials themselves.

The rules are those of a transfer (`docs/measuring.md`, *Bottleneck*), for each sender; the receiver
and its card are shared.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from assay.base import words
from assay.base.worded import Quantity, say
from assay.kinds.records.figures import RecordsSender, RecordsTrial
from assay.kinds.run_record import RunRecord
from assay.kinds.transfer.bottleneck import Bottleneck, decide
from assay.kinds.transfer.causes import WINDOW, causes_of
from assay.kinds.transfer.evidence import (
    DOMINANT,
    CardLoad,
    Cause,
    EndSeen,
    Reason,
    Seen,
    Waits,
    joint,
    limited_words,
)
from assay.kinds.transfer.observations import mean, seen_of


def bottleneck_of(
    run: RunRecord, record_bytes: int, trials: Sequence[RecordsTrial]
) -> Bottleneck | None:
    """Return what limits the rate of these trials; None if they have none."""
    if not any(one.bytes_per_s for one in trials):
        return None
    exhausted = [one.cliff for one in trials if one.cliff and one.cliff.cause == "cache_exhausted"]
    if exhausted:
        first = exhausted[0]
        return Bottleneck(
            limit="sink_disk",
            others=[],
            rule="own_evidence",
            sentence="The sink's disk limits the records once its cache is exhausted.",
            limited=limited_words("sink_disk", []),
            evidence=[Reason("cache_exhausted", first.message, {"at_ns": float(first.at_ns)})],
            expected_bytes_per_s=None,
            efficiency=None,
        )
    offered = run.parameters["rate_records_per_s"] * record_bytes or None
    each = [_seen(run, trials, place, offered) for place in range(len(run.sites) - 1)]
    found = decide(joint(each, _causes_of), "own_evidence")
    if found.limit != "undetermined":
        return found
    return replace(found, evidence=[*found.evidence, *_waits_for_acknowledgements(trials)])


def _waits_for_acknowledgements(trials: Sequence[RecordsTrial]) -> Iterator[Reason]:
    """Yield that both ends waited: the senders for acknowledgements, the receiver for data.

    The round trip, or an end's delay, may then be the limit; the evidence cannot tell which.
    """
    waited = _unacknowledged(one for trial in trials for one in trial.senders) or 0.0
    if waited >= DOMINANT and _waits_for_data(trials):
        said = (
            f"The senders waited {words.percent(waited)} of the time for acknowledgements, and the "
            "receiver for data: more or larger batches in flight show whether the round trip is "
            "the limit."
        )
        yield Reason("acknowledgements", said, {"share": waited})


def _unacknowledged(senders: Iterable[RecordsSender]) -> float | None:
    """Return which part of the time senders waited for acknowledgements."""
    stages = [one.end.stage("send") for one in senders if one.end]
    return mean(one.full for one in stages if one)


def _waits_for_data(trials: Sequence[RecordsTrial]) -> bool:
    """Return whether the receiver waited for data for most of the time."""
    times = [one.receiver_time for one in trials if one.receiver_time]
    return (mean(one.receiving for one in times) or 0.0) >= DOMINANT


def _seen(
    run: RunRecord, trials: Sequence[RecordsTrial], place: int, offered_bytes_per_s: int | None
) -> Seen:
    """Return the evidence of a sender and of the receiver in these trials, as means."""
    senders = [one.senders[place] for one in trials]
    several = len(run.sites) > 2
    times = [one.receiver_time for one in trials if one.receiver_time]
    found = seen_of(
        [one.end for one in senders],
        [one.receiver for one in trials],
        [one.link for one in senders],
    )
    return replace(
        found,
        pair=run.sites[place].name if several else None,
        bytes_per_s=mean(one.bytes_per_s for one in senders),
        waits=Waits(receiver_full=mean(one.blocked for one in times)),
        # of a receiver that is busy, the window says nothing
        receive_window_limited=found.receive_window_limited if _waits_for_data(trials) else None,
        # how full a buffer is tells only of a stream that always has data
        send_buffer_bytes=None,
        receive_buffer_bytes=None,
        streams=1,
        pacing_bytes_per_s=offered_bytes_per_s,
        sender=_at(run, place, found.sender),
        receiver=replace(_at(run, -1, found.receiver), card=_card(trials) if several else None),
        acknowledgement_wait=_unacknowledged(senders),
        receiver_idle=mean(map(_idle, trials)),
    )


def _at(run: RunRecord, place: int, end: EndSeen) -> EndSeen:
    """Return the evidence at an end: CPUs for which it waits may be used by another on its host."""
    hosts = [site.machine for site in run.sites]
    return end if hosts.count(hosts[place]) == 1 else replace(end, waiting=None)


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
    moved = mean(one.bytes_per_s for one in trials)
    speed = speeds.pop() if len(speeds) == 1 else None
    return CardLoad(moved, speed / 8) if speed and moved is not None else None


def _causes_of(seen: Seen) -> Iterator[Cause]:
    """Yield the causes; evidence about a ring, which records do not have, is about the receiver."""
    for limit, reason in causes_of(seen):
        yield limit, _reworded(reason)


def _reworded(reason: Reason) -> Reason:
    if reason.code not in ("receiver_full", "receive_window"):
        return reason
    share: Quantity = {"share": reason.figures["share"]}
    if reason.code == "receive_window":
        return replace(reason, message=say(f"{WINDOW}.", share))
    said = say("The receiver waited for its disk for at least {} of the time.", share)
    return Reason("receiver_blocked", said, reason.figures)

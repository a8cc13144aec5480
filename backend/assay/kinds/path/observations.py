"""The evidence of a leg's trials, in the form of the rules for bottlenecks."""

from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean

from assay.kinds.path.figures import PathPair, PathTrial
from assay.kinds.path.legs import PathLeg
from assay.kinds.transfer.cells import counted, ended
from assay.kinds.transfer.evidence import (
    SIDES,
    SINK,
    SOURCE,
    CardLoad,
    EndSeen,
    Seen,
    TransferSide,
    Waits,
)
from assay.kinds.transfer.observations import mean, seen_of
from assay.kinds.transfer.streams import Card, EndFigures, total

View = PathTrial | PathPair
"""What one pair did in a trial."""


def seen(leg: PathLeg, pacing_bytes_per_s: float | None) -> list[Seen]:
    """Return the means of the evidence of each pair in the trials that count; None where no trial
    has it.

    A card's speed counts only if both ends have one: the slower card is the line.
    """
    over, done = ended(leg.trials), counted(leg.trials)
    pairs = max((len(one.pairs) for one in leg.trials), default=0)
    if not pairs:
        return [_seen(done, over, leg.streams, pacing_bytes_per_s)]
    found = [
        _beside_others(
            _seen(
                [one.pairs[place] for one in done],
                [one.pairs[place] for one in over],
                leg.streams,
                pacing_bytes_per_s,
            ),
            over[0].pairs[place] if over else None,
            done,
        )
        for place in range(pairs)
    ]
    ends = {(one.source_host, one.sink_host) for trial in leg.trials for one in trial.pairs}
    return _on_one_network(found) if len(ends) == 1 else found


def _seen(
    counted: Sequence[View],
    ended: Sequence[View],
    streams: int | None,
    pacing_bytes_per_s: float | None,
) -> Seen:
    """Return the evidence of a pair by itself."""
    senders = [one.sender for one in counted if one.sender is not None]
    receivers = [one.receiver for one in counted if one.receiver is not None]
    found = seen_of(senders, receivers, [one.link for one in counted])

    def throttled(side: TransferSide) -> EndSeen:
        starved = bool(ended) and all(side.end in one.starved_roles for one in ended)
        return replace(found.at(side), throttled=starved)

    return replace(
        found,
        bytes_per_s=mean(one.application_bytes_per_s for one in counted),
        sender_bytes_per_s=mean(one.sent_bytes_per_s for one in counted),
        sync_share=mean(map(_sync_share, counted)),
        lasted_s=mean(one.bytes / own if (own := _own(one)) else None for one in counted),
        waits=Waits(
            reader_full=mean(s.full for e in senders if (s := e.stage("read", "fill"))),
            sender_empty=mean(s.empty for e in senders if (s := e.stage("send"))),
            receiver_full=mean(s.full for e in receivers if (s := e.stage("receive"))),
            writer_empty=mean(s.empty for e in receivers if (s := e.stage("write"))),
        ),
        streams=streams,
        pacing_bytes_per_s=pacing_bytes_per_s,
        sender=throttled(SOURCE),
        receiver=throttled(SINK),
    )


def _beside_others(alone: Seen, pair: PathPair | None, trials: Sequence[PathTrial]) -> Seen:
    """Return the evidence of one of several pairs, which share hosts and cards.

    CPUs for which the ends of a host wait are used by the others of the same run.
    """
    if pair is None:
        return alone
    link = _joint_link(trials)

    def shared(side: TransferSide) -> EndSeen:
        card = None if link else _card(pair, trials, side)
        cores = _cores(pair.host_at(side), trials)
        return replace(alone.at(side), own_cores=cores, waiting=None, card=card)

    return replace(
        alone,
        pair=pair.name,
        joint_link=link,
        sender=shared(SOURCE),
        receiver=shared(SINK),
    )


def _on_one_network(pairs: Sequence[Seen]) -> list[Seen]:
    """Return pairs between the same two hosts with one view of the network, which they share."""
    idle = [one.rtt_idle_ns for one in pairs if one.rtt_idle_ns is not None]
    return [
        replace(
            one,
            rtt_idle_ns=min(idle, default=None),
            rtt_load_ns=mean(each.rtt_load_ns for each in pairs),
            retransmitted=mean(each.retransmitted for each in pairs),
        )
        for one in pairs
    ]


def _sync_share(one: View) -> float | None:
    """Return the part of the time that the final sync took; None without one."""
    own = _own(one)
    if not own or not one.durable_bytes_per_s:
        return None
    return 1 - one.durable_bytes_per_s / own


def _own(one: View) -> float | None:
    """Return the application rate over all of its time, also if it is one of several pairs."""
    return one.own_bytes_per_s if isinstance(one, PathPair) else one.application_bytes_per_s


def _cores(host: str, trials: Sequence[PathTrial]) -> float | None:
    """Return the cores that the ends of all pairs used together on a host."""
    used = [[one.own_cores for one in _ends_on(host, trial)] for trial in trials]
    return mean(total(one) if one else None for one in used)


def _ends_on(host: str, trial: PathTrial) -> list[EndFigures]:
    """Return the ends of all pairs of a trial on a host: with full duplex, of both roles."""
    return [
        end
        for side in SIDES
        for one in trial.pairs
        if one.host_at(side) == host and (end := one.end_at(side)) is not None
    ]


def _card(pair: PathPair, trials: Sequence[PathTrial], side: TransferSide) -> CardLoad | None:
    """Return what all pairs moved through the card of a pair's source or sink; None if only one."""
    moved: list[float] = []
    speed: float | None = None
    for trial in trials:
        beside = [one for one in trial.pairs if one.host_at(side) == pair.host_at(side)]
        own = next((_card_of(one.end_at(side)) for one in beside if one.name == pair.name), None)
        if own is None or not own.speed_bits_per_s:
            return None
        cards = [_card_of(one.end_at(side)) for one in beside]
        alike = [
            one for one, card in zip(beside, cards, strict=True) if card and card.name == own.name
        ]
        if len(alike) < 2:
            return None
        speed = own.speed_bits_per_s / 8
        moved.append(sum(one.application_bytes_per_s or 0.0 for one in alike))
    return CardLoad(fmean(moved), speed) if speed else None


def _joint_link(trials: Sequence[PathTrial]) -> CardLoad | None:
    """Return what all pairs moved between the same two cards; None if these differ or are unknown.

    The slower card is the line.
    """
    moved: list[float] = []
    speeds: set[int] = set()
    for trial in trials:
        cards = _one_way(trial)
        if cards is None:
            return None
        known = [one.speed_bits_per_s for one in cards]
        speeds |= {speed for speed in known if speed} if all(known) else set()
        moved.append(sum(one.application_bytes_per_s or 0.0 for one in trial.pairs))
    return CardLoad(fmean(moved), min(speeds) / 8) if speeds else None


def _one_way(trial: PathTrial) -> tuple[Card, Card] | None:
    """Return the two cards between which all pairs of a trial move data, if there are only two."""
    ways = {
        (one.source_host, one.sink_host, _card_of(one.sender), _card_of(one.receiver))
        for one in trial.pairs
    }
    if len(ways) != 1:
        return None
    _, _, source, sink = ways.pop()
    return (source, sink) if source and sink else None


def _card_of(end: EndFigures | None) -> Card | None:
    return end.card if end else None

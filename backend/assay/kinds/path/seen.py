"""The evidence of a leg's trials, in the form of the rules for bottlenecks."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from statistics import fmean

from assay.analysis.statuses import COUNTED
from assay.kinds.path.evidence import CardLoad, FileCost, Seen, Waits
from assay.kinds.path.legs import PathLeg
from assay.kinds.path.streams import EndFigures, is_loopback, same
from assay.kinds.path.trials import PathPair, PathTrial

View = PathTrial | PathPair
"""What one pair did in a trial."""


def seen(leg: PathLeg, pacing_bytes_per_s: float | None) -> list[Seen]:
    """Return the means of the evidence of each pair in the trials that count; None where no trial
    has it.

    A card's speed counts only if both ends have one: the slower card is the line.
    """
    ended = [one for one in leg.trials if one.status not in ("waiting", "running")]
    counted = [one for one in ended if one.status in COUNTED]
    pairs = max((len(one.pairs) for one in leg.trials), default=0)
    if pairs:
        found = [
            _seen(
                [one.pairs[place] for one in counted],
                [one.pairs[place] for one in ended],
                leg.streams,
                pacing_bytes_per_s,
                counted,
            )
            for place in range(pairs)
        ]
        ends = {(one.source_host, one.sink_host) for trial in leg.trials for one in trial.pairs}
        return _on_one_network(found) if len(ends) == 1 else found
    return [_seen(counted, ended, leg.streams, pacing_bytes_per_s)]


def _seen(
    counted: Sequence[View],
    ended: Sequence[View],
    streams: int | None,
    pacing_bytes_per_s: float | None,
    trials: Sequence[PathTrial] = (),
) -> Seen:
    """Return the evidence of a pair; `trials` have all pairs, which share hosts and cards."""
    links = [one.link for one in counted if one.link is not None]
    senders = [one.sender for one in counted if one.sender is not None]
    receivers = [one.receiver for one in counted if one.receiver is not None]
    speeds = [end.card.speed_bits_per_s if end.card else None for end in (*senders, *receivers)]
    known = [speed for speed in speeds if speed]
    line = min(known) / 8 if known and len(known) == len(speeds) else None

    def throttled(role: str) -> bool:
        return bool(ended) and all(role in one.starved_roles for one in ended)

    pair = next((one for one in ended if isinstance(one, PathPair)), None)
    joint = _joint_link(trials)
    return Seen(
        pair=pair.name if pair else None,
        bytes_per_s=_mean(one.application_bytes_per_s for one in counted),
        sender_bytes_per_s=_mean(one.sent_bytes_per_s for one in counted),
        sync_share=_mean(_sync_share(one) for one in counted),
        lasted_s=_mean(one.bytes / own if (own := _own(one)) else None for one in counted),
        waits=Waits(
            reader_full=_mean(s.full for e in senders if (s := e.stage("read", "fill"))),
            sender_empty=_mean(s.empty for e in senders if (s := e.stage("send"))),
            receiver_full=_mean(s.full for e in receivers if (s := e.stage("receive"))),
            writer_empty=_mean(s.empty for e in receivers if (s := e.stage("write"))),
        ),
        receive_window_limited=_mean(one.receive_window_limited for one in links),
        send_buffer_limited=_mean(one.send_buffer_limited for one in links),
        retransmitted=_mean(one.retransmitted for one in links),
        streams=streams,
        mss_bytes=_mean(one.mss_bytes for one in links),
        congestion_control=same(one.congestion_control for one in links),
        send_buffer_bytes=_mean(one.send_buffer_bytes for one in links),
        receive_buffer_bytes=_mean(one.receive_buffer_bytes for one in links),
        rtt_idle_ns=_mean(one.rtt_idle_ns for one in links),
        rtt_load_ns=_mean(one.rtt_load_ns for one in links),
        loopback=is_loopback((*senders, *receivers)),
        link_bytes_per_s=line,
        source_card=_card(pair, trials, "source") if pair and not joint else None,
        sink_card=_card(pair, trials, "sink") if pair and not joint else None,
        joint_link=joint,
        pacing_bytes_per_s=pacing_bytes_per_s,
        sender_busiest_core=_mean(e.load.busiest_core for e in senders if e.load),
        receiver_busiest_core=_mean(e.load.busiest_core for e in receivers if e.load),
        sender_own_cores=_cores(pair.source_host, trials)
        if pair
        else _mean(one.own_cores for one in senders),
        receiver_own_cores=_cores(pair.sink_host, trials)
        if pair
        else _mean(one.own_cores for one in receivers),
        sender_softirq=_mean(e.load.softirq_of_used for e in senders if e.load),
        receiver_softirq=_mean(e.load.softirq_of_used for e in receivers if e.load),
        # CPUs for which the ends of a host wait are used by the others of the same run
        sender_waiting=None if pair else _mean(one.waiting for one in senders),
        receiver_waiting=None if pair else _mean(one.waiting for one in receivers),
        sender_withheld=_mean(one.withheld for one in senders),
        receiver_withheld=_mean(one.withheld for one in receivers),
        sender_throttled=throttled("sender"),
        receiver_throttled=throttled("receiver"),
        source_files=_files(senders),
        sink_files=_files(receivers),
    )


def _files(ends: Sequence[EndFigures]) -> FileCost | None:
    """Return what small files cost at an end, on average; None without any."""
    found = [one.files for one in ends if one.files is not None]
    if not found:
        return None
    return FileCost(
        calls=fmean(one.own_share for one in found), sync=fmean(one.sync_share for one in found)
    )


def _on_one_network(pairs: Sequence[Seen]) -> list[Seen]:
    """Return pairs between the same two hosts with one view of the network, which they share."""
    idle = [one.rtt_idle_ns for one in pairs if one.rtt_idle_ns is not None]
    return [
        replace(
            one,
            rtt_idle_ns=min(idle, default=None),
            rtt_load_ns=_mean(each.rtt_load_ns for each in pairs),
            retransmitted=_mean(each.retransmitted for each in pairs),
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


def _beside(pair: PathPair, trial: PathTrial, side: str) -> list[tuple[PathPair, EndFigures]]:
    """Return the ends of all pairs of a trial on the host of a pair's source or sink."""
    host, end = f"{side}_host", "sender" if side == "source" else "receiver"
    return [
        (one, figures)
        for one in trial.pairs
        if getattr(one, host) == getattr(pair, host) and (figures := getattr(one, end)) is not None
    ]


def _cores(host: str, trials: Sequence[PathTrial]) -> float | None:
    """Return the cores that the ends of all pairs used together on a host."""
    used = [[one.own_cores for one in _ends_on(host, trial)] for trial in trials]
    return _mean(
        None if not one or None in one else sum(each or 0.0 for each in one) for one in used
    )


def _ends_on(host: str, trial: PathTrial) -> list[EndFigures]:
    """Return the ends of all pairs of a trial on a host: with full duplex, of both roles."""
    sources = [one.sender for one in trial.pairs if one.source_host == host]
    sinks = [one.receiver for one in trial.pairs if one.sink_host == host]
    return [one for one in (*sources, *sinks) if one is not None]


def _card(pair: PathPair, trials: Sequence[PathTrial], side: str) -> CardLoad | None:
    """Return what all pairs moved through the card of a pair's source or sink; None if only one."""
    moved: list[float] = []
    speed: float | None = None
    for trial in trials:
        ends = _beside(pair, trial, side)
        own = next((figures.card for one, figures in ends if one.name == pair.name), None)
        name = own and own.name
        alike = [one for one, figures in ends if figures.card and figures.card.name == name]
        if own is None or not own.speed_bits_per_s or len(alike) < 2:
            return None
        speed = own.speed_bits_per_s / 8
        moved.append(sum(one.application_bytes_per_s or 0.0 for one in alike))
    return CardLoad(len(moved) and fmean(moved), speed) if speed else None


def _joint_link(trials: Sequence[PathTrial]) -> CardLoad | None:
    """Return what all pairs moved between the same two cards; None if these differ or are unknown.

    The slower card is the line.
    """
    moved: list[float] = []
    speeds: set[int] = set()
    for trial in trials:
        ends = [(one.source_host, one.sink_host, one.sender, one.receiver) for one in trial.pairs]
        cards = {
            (source, sink, sender and sender.card, receiver and receiver.card)
            for source, sink, sender, receiver in ends
        }
        source_card, sink_card = next(iter(cards))[2:] if len(cards) == 1 else (None, None)
        if not source_card or not sink_card:
            return None
        known = [one.speed_bits_per_s for one in (source_card, sink_card)]
        speeds |= {speed for speed in known if speed} if all(known) else set()
        moved.append(sum(one.application_bytes_per_s or 0.0 for one in trial.pairs))
    return CardLoad(fmean(moved), min(speeds) / 8) if speeds else None


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None

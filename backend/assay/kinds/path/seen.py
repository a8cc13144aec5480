"""The evidence of a leg's trials, in the form of the rules for bottlenecks."""

from collections.abc import Iterable
from statistics import fmean

from assay.analysis.statuses import COUNTED
from assay.kinds.path.causes import Seen, Waits
from assay.kinds.path.legs import PathLeg


def seen(leg: PathLeg, pacing_bytes_per_s: float | None) -> Seen:
    """Return the means of the evidence of the trials that count; None where no trial has it.

    A card's speed counts only if both ends have one: the slower card is the line.
    """
    trials = [one for one in leg.trials if one.status in COUNTED]
    links = [one.link for one in trials if one.link is not None]
    senders = [one.sender for one in trials if one.sender is not None]
    receivers = [one.receiver for one in trials if one.receiver is not None]
    speeds = [end.card.speed_bits_per_s if end.card else None for end in (*senders, *receivers)]
    known = [speed for speed in speeds if speed]
    line = min(known) / 8 if known and len(known) == len(speeds) else None
    ended = [one for one in leg.trials if one.status not in ("waiting", "running")]

    def throttled(role: str) -> bool:
        return bool(ended) and all(role in one.starved_roles for one in ended)

    return Seen(
        bytes_per_s=_mean(one.application_bytes_per_s for one in trials),
        sender_bytes_per_s=_mean(one.sent_bytes_per_s for one in trials),
        waits=Waits(
            reader_full=_mean(s.full for e in senders if (s := e.stage("read", "fill"))),
            sender_empty=_mean(s.empty for e in senders if (s := e.stage("send"))),
            receiver_full=_mean(s.full for e in receivers if (s := e.stage("receive"))),
            writer_empty=_mean(s.empty for e in receivers if (s := e.stage("write"))),
        ),
        receive_window_limited=_mean(one.receive_window_limited for one in links),
        send_buffer_limited=_mean(one.send_buffer_limited for one in links),
        retransmitted=_mean(one.retransmitted for one in links),
        streams=leg.streams,
        mss_bytes=_mean(one.mss_bytes for one in links),
        congestion_control=_same(one.congestion_control for one in links),
        receive_buffer_bytes=_mean(one.receive_buffer_bytes for one in links),
        rtt_idle_ns=_mean(one.rtt_idle_ns for one in links),
        rtt_load_ns=_mean(one.rtt_load_ns for one in links),
        link_bytes_per_s=line,
        pacing_bytes_per_s=pacing_bytes_per_s,
        sender_busiest_core=_mean(e.load.busiest_core for e in senders if e.load),
        receiver_busiest_core=_mean(e.load.busiest_core for e in receivers if e.load),
        sender_own_cores=_mean(one.own_cores for one in senders),
        receiver_own_cores=_mean(one.own_cores for one in receivers),
        sender_softirq=_mean(e.load.softirq_of_used for e in senders if e.load),
        receiver_softirq=_mean(e.load.softirq_of_used for e in receivers if e.load),
        sender_waiting=_mean(one.waiting for one in senders),
        receiver_waiting=_mean(one.waiting for one in receivers),
        sender_withheld=_mean(one.withheld for one in senders),
        receiver_withheld=_mean(one.withheld for one in receivers),
        sender_throttled=throttled("sender"),
        receiver_throttled=throttled("receiver"),
    )


def _same(values: Iterable[str | None]) -> str | None:
    """Return the only value; None without one, or if they differ."""
    found = set(values)
    return found.pop() if len(found) == 1 else None


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None

"""What the ends and the streams of a transfer show, in the form of the rules for bottlenecks."""

from collections.abc import Iterable, Sequence
from statistics import fmean

from assay.kinds.transfer.evidence import EndSeen, FileCost, Seen
from assay.kinds.transfer.streams import EndFigures, LinkFigures, is_loopback, same


def mean(values: Iterable[float | None]) -> float | None:
    """Return the mean of the values that are known; None without one."""
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def seen_of(
    senders: Sequence[EndFigures | None],
    receivers: Sequence[EndFigures | None],
    links: Sequence[LinkFigures | None],
) -> Seen:
    """Return the means of what these ends and links of several trials show, where it is known."""
    sending = [one for one in senders if one is not None]
    receiving = [one for one in receivers if one is not None]
    known = [one for one in links if one is not None]
    return Seen(
        receive_window_limited=mean(one.receive_window_limited for one in known),
        send_buffer_limited=mean(one.send_buffer_limited for one in known),
        retransmitted=mean(one.retransmitted for one in known),
        mss_bytes=mean(one.mss_bytes for one in known),
        congestion_control=same(one.congestion_control for one in known),
        send_buffer_bytes=mean(one.send_buffer_bytes for one in known),
        receive_buffer_bytes=mean(one.receive_buffer_bytes for one in known),
        rtt_idle_ns=mean(one.rtt_idle_ns for one in known),
        rtt_load_ns=mean(one.rtt_load_ns for one in known),
        loopback=is_loopback((*sending, *receiving)),
        link_bytes_per_s=_line((*sending, *receiving)),
        sender=_end(sending),
        receiver=_end(receiving),
    )


def _end(ends: Sequence[EndFigures]) -> EndSeen:
    loads = [one.load for one in ends if one.load]
    files = [one.files for one in ends if one.files]
    return EndSeen(
        busiest_core=mean(one.busiest_core for one in loads),
        own_cores=mean(one.own_cores for one in ends),
        softirq=mean(one.softirq_of_used for one in loads),
        waiting=mean(one.waiting for one in ends),
        withheld=mean(one.withheld for one in ends),
        files=FileCost(
            calls=fmean(one.own_share for one in files), sync=fmean(one.sync_share for one in files)
        )
        if files
        else None,
    )


def _line(ends: Sequence[EndFigures]) -> float | None:
    """Return the speed of the slower card in bytes per second; None unless all are known."""
    speeds = [one.card.speed_bits_per_s if one.card else None for one in ends]
    known = [speed for speed in speeds if speed]
    return min(known) / 8 if known and len(known) == len(speeds) else None

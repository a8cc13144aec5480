"""What each piece of evidence in a transfer says about the limit. Pure.

The rules are documented in `docs/measuring.md` (*Bottleneck*).
"""

from collections.abc import Iterator, Sequence

from assay.analysis import congestion
from assay.base import words
from assay.base.worded import Part, Quantity, say
from assay.kinds.evidence import SECOND_NS
from assay.kinds.transfer.evidence import (
    DOMINANT,
    LINE,
    SIDES,
    SINK,
    SOURCE,
    CardLoad,
    Cause,
    EndSeen,
    Limit,
    Reason,
    Seen,
    TransferSide,
)

SATURATED = 0.95
"""A core that is busy for this part of the time is saturated."""

LOSS = 0.001
"""From this part of retransmitted bytes on, a full queue drops packets of any algorithm."""

EXPLAINED = 2.0
"""Loss explains a rate if it allows at most this many times what was in flight."""

PERIODS = 3
"""Times between two losses that a transfer has to last for the response function to hold. What is
lost in the beginning, when a stream fills the path for the first time, limits a short one."""

QUEUED = 1.25
"""If the round trip takes this many times as long under load, a queue on the path was full. CUBIC
drains a queue of one bandwidth-delay product to 1.4 round trips at each loss."""

UNQUEUED = 1.15
"""Up to this many times, nothing waited in a queue; between both, it cannot be told."""

QUEUE_NS = 1_000_000
"""A full queue delays packets by at least this long; less is the noise of the hosts."""

FILLED = 0.25
"""A receive buffer that the path fills has at least this part of it in flight; a window that is
closed with less in flight belongs to a slow reader. A window is a half of the buffer or more."""

SENT_FULL = 0.8
"""A send buffer of which this part is in flight is full. One that the kernel tunes has room for
twice the congestion window, with the overhead of its packets."""

OWN_COST = 0.2
"""From this part of a disk's time on, what each small file costs by itself may explain the rate."""

WITHHELD = 0.2
"""An end that a quota kept off the CPU for this part of the time did not keep up elsewhere."""

AHEAD = 0.10
"""A sender that was faster than the receiver by this was not what the transfer waited for."""


def throttled_ends(seen: Seen, sides: Sequence[TransferSide] = SIDES) -> Iterator[Cause]:
    """Yield the ends that were kept off the CPU."""
    for side in sides:
        if seen.at(side).throttled:
            said = f"The {side.end} did not get its CPU in any trial."
            yield side.cpu, Reason("throttled", said, {})


def causes_of(seen: Seen) -> Iterator[Cause]:
    """Yield each cause that the evidence in a transfer shows.

    A sender that was clearly faster than the receiver does not limit the transfer: buffers took in
    what it sent, and what it waited for was past before the receiver had written the data. If the
    final sync took most of the time, all other evidence is of a cache that the transfer filled.
    """
    if seen.is_mostly_sync:
        yield _share("sink_disk", "final_sync", seen.sync_share, _FINAL_SYNC)
        return
    sent, received = seen.sender_bytes_per_s, seen.bytes_per_s
    is_ahead = sent is not None and received is not None and sent > received * (1 + AHEAD)
    found: list[Cause] = [
        (cause, reason)
        for cause, reason in _all_causes(seen)
        if not (is_ahead and cause in AT_SENDER)
    ]
    yield from found or _between_disks(seen)


def _between_disks(seen: Seen) -> Iterator[Cause]:
    """Yield that both disks waited for what is between them, in which nothing is singled out."""
    reader, writer = seen.waits.reader_full or 0.0, seen.waits.writer_empty or 0.0
    if min(reader, writer) >= DOMINANT:
        said = (
            f"Neither end was the limit: the source waited {words.percent(reader)} of the time to "
            f"hand over its data (full ring), the sink {words.percent(writer)} for data (empty "
            "ring)."
        )
        yield "network", Reason("both_waited", said, {"reader": reader, "writer": writer})


AT_SENDER = frozenset[Limit]({SOURCE.disk, SOURCE.files, SOURCE.cpu, "send_buffer"})
"""What limits only the sender."""


def _all_causes(seen: Seen) -> Iterator[Cause]:
    yield from cpu_causes(seen, *SIDES)
    waits = seen.waits
    receiver_full = (waits.receiver_full or 0.0) >= DOMINANT
    if receiver_full:
        found = _share("sink_disk", "receiver_full", waits.receiver_full, _RECEIVER_FULL)
        yield from _disk_or_files(seen, SINK, found)
    if (waits.sender_empty or 0.0) >= DOMINANT:
        found = _share("source_disk", "sender_empty", waits.sender_empty, _SENDER_EMPTY)
        yield from _disk_or_files(seen, SOURCE, found)
    yield from _tcp(seen, ring_is_full=receiver_full)
    yield from _acknowledgements(seen)
    yield from _line(seen)


def network_causes(seen: Seen) -> Iterator[Cause]:
    """Yield each cause that limits the part between memories."""
    yield from cpu_causes(seen, *SIDES)
    yield from _tcp(seen, ring_is_full=None)
    yield from _line(seen)


_RECEIVER_FULL = "The receiver's streams waited {} of the time for its disk (full ring)."
_FINAL_SYNC = (
    "The final sync took {} of the time: the sink's memory had taken in the data, and its "
    "disk was still writing it."
)
_SENDER_EMPTY = "The sender's streams waited {} of the time for its disk (empty ring)."
WINDOW = "The sender was limited by the receiver's window for {} of the time"


def file_causes(seen: Seen, side: TransferSide) -> Iterator[Cause]:
    """Yield what each small file costs by itself at a side, if that may explain the disk's rate.

    Half of the time in calls that open, create and close does. With less, or where the rest is
    their sync, the disk itself may be as slow: both are then named.
    """
    cost = seen.at(side).files
    if cost is None or cost.calls + cost.sync < OWN_COST:
        return
    figures = {"share": cost.calls, "sync_share": cost.sync}
    said = (
        f"The calls that {side.opens} and close small files took {words.percent(cost.calls)} of "
        f"the time of the {side.name}'s disk"
    )
    if cost.sync:
        said += f", the sync of these files {words.percent(cost.sync)}"
    if cost.calls >= DOMINANT:
        yield side.files, Reason("file_calls", say("{}.", said), figures)
        return
    reason = Reason(
        "file_calls_unclear",
        say("{}: too much to name the disk, and too little to name what each file costs.", said),
        figures,
    )
    yield side.files, reason
    yield side.disk, reason


def disk_causes(seen: Seen, side: TransferSide) -> Iterator[Cause]:
    """Yield what limits a disk by itself: its end's CPU, or its small files.

    A CPU that is used up by opening and creating files is the limit; that it was shows them.
    """
    cpu = list(cpu_causes(seen, side))
    files = list(file_causes(seen, side))
    yield from cpu or files
    if cpu and files:
        yield cpu[0][0], files[0][1]


def _disk_or_files(seen: Seen, side: TransferSide, disk: Cause) -> Iterator[Cause]:
    """Yield a disk as a cause, or what its small files cost instead; both, if it is not clear."""
    files = list(file_causes(seen, side))
    limits = {limit for limit, _ in files}
    if not files or disk[0] in limits:
        yield disk
    else:
        yield files[0][0], disk[1]
    yield from files


def _share(
    limit: Limit, code: str, share: float | None, template: str, *values: Part, **rates: float
) -> Cause:
    """Return a cause that took this part of something, the first value of the template."""
    part = share or 0.0
    return limit, Reason(code, say(template, {"share": part}, *values), {"share": part, **rates})


def cpu_causes(seen: Seen, *sides: TransferSide) -> Iterator[Cause]:
    """Yield those of the ends that lacked CPU: a saturated core, or a quota that is used up.

    A saturated core counts only if the transfer itself used it, in its process or by its packets.
    """
    for side in sides:
        if reason := _lack_of_cpu(seen.at(side), side.end):
            yield side.cpu, reason
    yield from throttled_ends(seen, sides)


def _lack_of_cpu(seen: EndSeen, end: str) -> Reason | None:
    """Return why an end lacked CPU; None if it did not."""
    busiest, own = seen.busiest_core or 0.0, seen.own_cores or 0.0
    softirq, withheld = seen.softirq or 0.0, seen.withheld or 0.0
    waiting = seen.waiting or 0.0
    if withheld >= WITHHELD:
        said = (
            f"A quota kept the {end} off the CPU for {words.percent(withheld)} of the time; it "
            f"used {words.figure(own)} cores."
        )
        return Reason("quota", said, {"share": withheld, "own_cores": own})
    if busiest < SATURATED:
        return None
    if waiting >= DOMINANT:
        said = (
            f"The {end}'s threads waited for CPUs that others used, as long as "
            f"{words.figure(waiting)} cores would have worked; the busiest core was busy for "
            f"{words.percent(busiest)} of the time."
        )
        return Reason("cpu_taken", said, {"share": busiest, "waiting_cores": waiting})
    if max(own, softirq) < DOMINANT:
        return None
    said = (
        f"The {end}'s busiest core was busy for {words.percent(busiest)} of the time; the "
        f"transfer used {words.figure(own)} cores"
    )
    if own < DOMINANT:
        said += f", and packets {words.percent(softirq)} of the host's CPU time"
    figures = {"share": busiest, "own_cores": own, "softirq": softirq}
    return Reason("busiest_core", say("{}.", said), figures)


def _is_held(seen: EndSeen) -> bool:
    """Return whether a quota keeps an end off the CPU: it takes no data, and delays packets."""
    return (seen.withheld or 0.0) >= WITHHELD


def _tcp(seen: Seen, *, ring_is_full: bool | None) -> Iterator[Cause]:
    """Yield what TCP waited for: windows with the receiver's ring full are its disk's.

    Between memories there is no ring: `ring_is_full` is None.
    """
    limited, flight = seen.receive_window_limited or 0.0, words.size(round(seen.in_flight_bytes))
    if limited >= DOMINANT:
        if ring_is_full:
            text = f"{WINDOW}, with the receiver's ring full."
            found = _share("sink_disk", "receive_window", limited, text)
            yield from _disk_or_files(seen, SINK, found)
        elif _reads_slowly(seen):
            text = (
                f"{WINDOW}, although the path holds only {flight} per stream and its buffer "
                f"{words.size(round(seen.receive_buffer_bytes or 0))}: the receiver takes data out "
                "of the buffer too slowly."
            )
            yield _share("receiver_cpu", "slow_reader", limited, text)
        # a receiver that a quota holds takes no data out of any buffer
        elif not _is_held(seen.receiver):
            room = "" if ring_is_full is None else ", with room in the receiver's ring"
            text = f"{WINDOW}{room}."
            yield _share("receive_buffer", "receive_window", limited, text)
    if (seen.send_buffer_limited or 0.0) >= DOMINANT:
        text = "The sender was limited by its send buffer for {} of the time."
        yield _share("send_buffer", "send_buffer", seen.send_buffer_limited, text)
    elif limited < DOMINANT and _send_buffer_is_full(seen):
        buffer = seen.send_buffer_bytes or 0.0
        text = (
            f"A stream had {flight} in flight, {{}} of its send buffer of "
            f"{words.size(round(buffer))}, and nothing waited in a queue on the path."
        )
        share = min(1.0, seen.in_flight_bytes / buffer)
        yield _share("send_buffer", "send_buffer_full", share, text)


def _send_buffer_is_full(seen: Seen) -> bool:
    """Return whether the send buffer holds no more than what is in flight.

    The kernel counts only the time in which all of it was sent as limited by the buffer.
    """
    buffer = seen.send_buffer_bytes
    return bool(buffer and seen.in_flight_bytes >= SENT_FULL * buffer and _is_unqueued(seen))


def _acknowledgements(seen: Seen) -> Iterator[Cause]:
    """Yield that what may be in flight is too little for the round trip of an acknowledgement.

    Both ends then wait for each other, while nothing on the way is full: a queue would lengthen the
    round trip, and its line would be the limit.
    """
    waited, idle = seen.acknowledgement_wait or 0.0, seen.receiver_idle or 0.0
    if min(waited, idle) < DOMINANT or not (seen.loopback or _is_unqueued(seen)):
        return
    said = (
        f"The sender waited {words.percent(waited)} of the time for acknowledgements, and the "
        f"receiver at least {words.percent(idle)} of the time for data: more or larger batches in "
        "flight would use that time."
    )
    yield "acknowledgements", Reason("acknowledgements", said, {"share": waited, "idle": idle})


def _is_unqueued(seen: Seen) -> bool:
    """Return whether the round trip is known to be about as short under load as idle."""
    idle, load = seen.rtt_idle_ns, seen.rtt_load_ns
    return bool(idle and load and load <= max(UNQUEUED * idle, idle + QUEUE_NS))


def _reads_slowly(seen: Seen) -> bool:
    """Return whether the receive buffer is much larger than what the path can have in flight."""
    buffer = seen.receive_buffer_bytes
    return bool(buffer and 0 < seen.in_flight_bytes < FILLED * buffer)


def _line(seen: Seen) -> Iterator[Cause]:
    """Yield the pacing that was asked for, a card that pairs share, the link, or the loss on it."""
    found = [*_pacing(seen)] or [*_cards(seen)] or [*_link(seen)]
    yield from found
    held = _is_held(seen.sender) or _is_held(seen.receiver)  # as a queue on the path would delay
    if not found and not seen.loopback and not _waits_for_others(seen) and not held:
        yield from _congestion(seen)


def _pacing(seen: Seen) -> Iterator[Cause]:
    rate, paced = seen.bytes_per_s or 0.0, seen.pacing_bytes_per_s
    if paced and rate >= LINE * paced:
        text, value = "The rate is {} of the pacing ({}).", Quantity(bytes_per_s=paced)
        yield _share("pacing", "pacing", rate / paced, text, value, pacing_bytes_per_s=paced)


def _cards(seen: Seen) -> Iterator[Cause]:
    """Yield the cards that several pairs use, and fill together."""
    for side in SIDES:
        load = seen.at(side).card
        if load and load.is_full:
            speed = load.speed_bytes_per_s
            text = "All pairs together move {} of the speed of the {}'s card ({})."
            values: tuple[Part, ...] = (side.name, {"bytes_per_s": speed})
            yield _share(side.card, "card_rate", load.share, text, *values, card_bytes_per_s=speed)


def _link(seen: Seen) -> Iterator[Cause]:
    """Yield the link if its speed is reached: by all pairs together, if it is one for all."""
    link, moves = seen.joint_link, "All pairs together move {}"
    if link is None and seen.link_bytes_per_s:
        link, moves = CardLoad(seen.bytes_per_s or 0.0, seen.link_bytes_per_s), "The rate is {}"
    if link and link.is_full:
        speed = link.speed_bytes_per_s
        text, value = f"{moves} of the link's speed ({{}}).", Quantity(bytes_per_s=speed)
        yield _share("link", "line_rate", link.share, text, value, link_bytes_per_s=speed)


def _waits_for_others(seen: Seen) -> bool:
    """Return whether the streams had no data, or no room for it, so that loss cost no time."""
    waits = seen.waits.sender_empty, seen.receive_window_limited, seen.send_buffer_limited
    return any((share or 0.0) >= DOMINANT for share in waits)


def _congestion(seen: Seen) -> Iterator[Cause]:
    """Yield packet loss, or a full queue of the link, if it explains the rate.

    Congestion controls that respond to loss are as slow as their formula says. Others lose packets
    without slowing down; many lost ones and a grown round trip are the signs of a full queue.
    What is lost beside a saturated end is not told apart from what that end dropped itself: where
    loss limits the rate, both ends have time to spare.
    """
    lost, idle, load = seen.retransmitted or 0.0, seen.rtt_idle_ns, seen.rtt_load_ns
    if not idle or not load:
        return
    queued = load >= max(QUEUED * idle, idle + QUEUE_NS)
    allowed = congestion.window(seen.congestion_control, lost, load / SECOND_NS)
    used = seen.in_flight_bytes / seen.mss_bytes if seen.mss_bytes else 0.0
    explained = allowed is not None and used > 0 and allowed <= EXPLAINED * used
    period_s = congestion.period_s(seen.congestion_control, used, load / SECOND_NS)
    spread = seen.lasted_s is None or seen.lasted_s >= PERIODS * period_s
    figures = {"retransmitted": lost}
    if allowed is not None:
        figures |= {"allowed_segments": allowed, "segments": used}
    text = f"{words.capital(words.share(lost))} of the data was sent again"
    if queued and (explained or lost >= LOSS):
        said = (
            f"{text}, and the round trip took {words.duration(load)} under load, "
            f"{words.duration(idle)} without: a queue on the path was full."
        )
        figures |= {"rtt_load_ns": load, "rtt_idle_ns": idle}
        yield "link", Reason("full_queue", said, figures)
    elif explained and spread and load <= UNQUEUED * idle and not any(cpu_causes(seen, *SIDES)):
        said = (
            f"{text}, although no queue was full: {seen.congestion_control} holds "
            f"{words.figure(allowed or 0.0)} segments in flight at this loss; a stream had "
            f"{words.figure(used)}."
        )
        yield "loss", Reason("loss", said, figures)

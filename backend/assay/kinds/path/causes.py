"""Evidence in a transfer, and what each piece of it says about the limit. Pure.

The rules are documented in `docs/measuring.md` (*Bottleneck*).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from assay.analysis import words

Limit = Literal[
    "source_disk",
    "sink_disk",
    "shared_disk",
    "source_card",
    "sink_card",
    "link",
    "loss",
    "receive_buffer",
    "send_buffer",
    "pacing",
    "sender_cpu",
    "receiver_cpu",
    "network",
    "undetermined",
]

LIMITS: dict[Limit, str] = {
    "source_disk": "the source's disk",
    "sink_disk": "the sink's disk",
    "shared_disk": "the disk that source and sink share",
    "source_card": "the source's network card",
    "sink_card": "the sink's network card",
    "link": "the link",
    "loss": "packet loss",
    "receive_buffer": "the receiver's socket buffer",
    "send_buffer": "the sender's socket buffer",
    "pacing": "the pacing that the test asked for",
    "sender_cpu": "the sender's CPU",
    "receiver_cpu": "the receiver's CPU",
    "network": "the network or the processing of its packets",
    "undetermined": "undetermined",
}
"""Every limit as a noun phrase."""

SATURATED = 0.95
"""A core that is busy for this part of the time is saturated."""

DOMINANT = 0.5
"""A wait or a limitation that takes this part of the time explains the rate."""

LINE = 0.9
"""A rate of this part of the link's speed is that of the link; the rest are headers."""

NOMINAL = 1.02
"""A rate above this part of a card's speed shows that the speed is only nominal, as of a veth."""

LOSS = 0.001
"""From this part of retransmitted bytes on, loss slows CUBIC down on any but the shortest paths."""

QUEUED = 2.0
"""If the round trip takes this many times as long under load, a queue on the path was full."""

QUEUE_NS = 1_000_000
"""A full queue delays packets by at least this long; less is the noise of the hosts."""


AHEAD = 0.10
"""A sender that was faster than the receiver by this was not what the transfer waited for."""


@dataclass(frozen=True)
class Waits:
    """Which part of the time the stages of a transfer waited; None if unknown.

    `reader_full`: the source's stage waited on a full ring, `sender_empty`: the streams waited for
    data of the source. `receiver_full`: the streams waited on a full ring at the receiver,
    `writer_empty`: the sink's stage waited for data.
    """

    reader_full: float | None = None
    sender_empty: float | None = None
    receiver_full: float | None = None
    writer_empty: float | None = None


@dataclass(frozen=True)
class CardLoad:
    """What several pairs moved together through a card of this speed, in bytes per second."""

    moved_bytes_per_s: float
    speed_bytes_per_s: float


@dataclass(frozen=True)
class Seen:
    """The evidence in a transfer itself, as means over its trials; None if unknown.

    `pair` names the pair of a run of several; they share what a host's CPU and card can do:
    `source_card` and `sink_card` are null unless several use the card.

    Shares are parts of one. `busiest_core` is that of the busiest core at sender and receiver,
    which others may have used as well: `own_cores` is how many the probe's own process used.
    `bytes_per_s` is the receiver's application rate, `sender_bytes_per_s` that of the sender, which
    may end earlier if buffers take in its data.
    `throttled` is whether an end was kept off the CPU so much that its trials do not count.
    """

    pair: str | None = None
    bytes_per_s: float | None = None
    sender_bytes_per_s: float | None = None
    waits: Waits = field(default_factory=Waits)
    receive_window_limited: float | None = None
    send_buffer_limited: float | None = None
    retransmitted: float | None = None
    rtt_idle_ns: float | None = None
    rtt_load_ns: float | None = None
    link_bytes_per_s: float | None = None
    source_card: CardLoad | None = None
    sink_card: CardLoad | None = None
    pacing_bytes_per_s: float | None = None
    sender_busiest_core: float | None = None
    receiver_busiest_core: float | None = None
    sender_own_cores: float | None = None
    receiver_own_cores: float | None = None
    sender_throttled: bool = False
    receiver_throttled: bool = False


@dataclass(frozen=True)
class Reason:
    """One piece of evidence: `code` and `figures` contain everything that programs need."""

    code: str
    message: str
    figures: Mapping[str, float] = field(default_factory=dict[str, float])


Cause = tuple[Limit, Reason]


def throttled_ends(seen: Seen) -> Iterator[Cause]:
    """Yield the ends that were kept off the CPU."""
    ends: tuple[tuple[Limit, bool, str], ...] = (
        ("sender_cpu", seen.sender_throttled, "sender"),
        ("receiver_cpu", seen.receiver_throttled, "receiver"),
    )
    for limit, throttled, end in ends:
        if throttled:
            yield (
                limit,
                Reason("throttled", f"The {end} did not get its CPU in any trial.", {}),
            )


def causes_of(seen: Seen) -> Iterator[Cause]:
    """Yield each cause that the evidence in a transfer shows.

    A sender that was clearly faster than the receiver does not limit the transfer: buffers took in
    what it sent, and what it waited for was past before the receiver had written the data.
    """
    sent, received = seen.sender_bytes_per_s, seen.bytes_per_s
    is_ahead = sent is not None and received is not None and sent > received * (1 + AHEAD)
    for cause, reason in _all_causes(seen):
        if not (is_ahead and cause in AT_SENDER):
            yield cause, reason


AT_SENDER = frozenset[Limit]({"source_disk", "sender_cpu", "send_buffer"})
"""What limits only the sender."""


def _all_causes(seen: Seen) -> Iterator[Cause]:
    yield from _cpu(seen)
    waits = seen.waits
    receiver_full = (waits.receiver_full or 0.0) >= DOMINANT
    if receiver_full:
        yield _share("sink_disk", "receiver_full", waits.receiver_full, _RECEIVER_FULL)
    if (waits.sender_empty or 0.0) >= DOMINANT:
        yield _share("source_disk", "sender_empty", waits.sender_empty, _SENDER_EMPTY)
    yield from _tcp(seen, ring_is_full=receiver_full)
    yield from _line(seen)


def network_causes(seen: Seen) -> Iterator[Cause]:
    """Yield each cause that limits the part between memories."""
    yield from _cpu(seen)
    yield from _tcp(seen, ring_is_full=None)
    yield from _line(seen)


_RECEIVER_FULL = "The receiver's streams waited {share} of the time for its disk (full ring)."
_SENDER_EMPTY = "The sender's streams waited {share} of the time for its disk (empty ring)."
_WINDOW = "The sender was limited by the receiver's window for {share} of the time"


def _share(limit: Limit, code: str, share: float | None, text: str) -> Cause:
    value = share or 0.0
    return limit, Reason(code, text.format(share=words.percent(value)), {"share": value})


def _cpu(seen: Seen) -> Iterator[Cause]:
    """Yield the ends whose busiest core is saturated, if the transfer itself used the CPU."""
    ends: tuple[tuple[Limit, float | None, float | None, str], ...] = (
        ("sender_cpu", seen.sender_busiest_core, seen.sender_own_cores, "sender"),
        ("receiver_cpu", seen.receiver_busiest_core, seen.receiver_own_cores, "receiver"),
    )
    for limit, busiest, own, end in ends:
        if (busiest or 0.0) >= SATURATED and (own or 0.0) >= DOMINANT:
            said = (
                f"The {end}'s busiest core was busy for {words.percent(busiest or 0.0)} of the "
                f"time; the transfer used {words.figure(own or 0.0)} cores."
            )
            figures = {"share": busiest or 0.0, "own_cores": own or 0.0}
            yield limit, Reason("busiest_core", said, figures)
    yield from throttled_ends(seen)


def _tcp(seen: Seen, *, ring_is_full: bool | None) -> Iterator[Cause]:
    """Yield what TCP waited for: windows with the receiver's ring full are its disk's.

    Between memories there is no ring: `ring_is_full` is None.
    """
    if (seen.receive_window_limited or 0.0) >= DOMINANT:
        if ring_is_full:
            text = f"{_WINDOW}, with the receiver's ring full."
            yield _share("sink_disk", "receive_window", seen.receive_window_limited, text)
        else:
            room = "" if ring_is_full is None else ", with room in the receiver's ring"
            text = f"{_WINDOW}{room}."
            yield _share("receive_buffer", "receive_window", seen.receive_window_limited, text)
    if (seen.send_buffer_limited or 0.0) >= DOMINANT:
        text = "The sender was limited by its send buffer for {share} of the time."
        yield _share("send_buffer", "send_buffer", seen.send_buffer_limited, text)


def _line(seen: Seen) -> Iterator[Cause]:
    """Yield the link, the loss on it, or the pacing that was asked for."""
    rate = seen.bytes_per_s or 0.0
    if seen.pacing_bytes_per_s and rate >= LINE * seen.pacing_bytes_per_s:
        text = f"The rate is {{share}} of the pacing ({words.rate(seen.pacing_bytes_per_s)})."
        yield _share("pacing", "pacing", rate / seen.pacing_bytes_per_s, text)
        return
    cards: tuple[tuple[Limit, CardLoad | None, str], ...] = (
        ("source_card", seen.source_card, "source"),
        ("sink_card", seen.sink_card, "sink"),
    )
    full: list[tuple[Limit, CardLoad, str]] = [
        (limit, load, end)
        for limit, load, end in cards
        if load and LINE <= load.moved_bytes_per_s / load.speed_bytes_per_s <= NOMINAL
    ]
    for limit, load, end in full:
        text = (
            f"All pairs together move {{share}} of the speed of the {end}'s card "
            f"({words.rate(load.speed_bytes_per_s)})."
        )
        yield _share(limit, "card_rate", load.moved_bytes_per_s / load.speed_bytes_per_s, text)
    if full:
        return
    speed = seen.link_bytes_per_s
    if speed and LINE * speed <= rate <= NOMINAL * speed:
        text = f"The rate is {{share}} of the link's speed ({words.rate(speed)})."
        yield _share("link", "line_rate", rate / speed, text)
        return
    idle, load = seen.rtt_idle_ns, seen.rtt_load_ns
    if (seen.retransmitted or 0.0) < LOSS:
        return
    queued = idle is not None and load is not None and load >= max(QUEUED * idle, idle + QUEUE_NS)
    text = f"{words.percent(seen.retransmitted or 0.0)} of the data was sent again"
    if queued:
        said = (
            f"{text}, and the round trip took {words.duration(load or 0)} under load, "
            f"{words.duration(idle or 0)} without: a queue on the path was full."
        )
        figures = {
            "retransmitted": seen.retransmitted or 0.0,
            "rtt_load_ns": load or 0.0,
            "rtt_idle_ns": idle or 0.0,
        }
        yield "link", Reason("full_queue", said, figures)
    else:
        said = f"{text}, although no queue was full."
        yield "loss", Reason("loss", said, {"retransmitted": seen.retransmitted or 0.0})

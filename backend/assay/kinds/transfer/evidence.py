"""Evidence of what limits a transfer, and the names of the limits. Pure."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from assay.base import words
from assay.base.worded import Words, say
from assay.kinds.evidence import SECOND_NS

Limit = Literal[
    "source_disk",
    "sink_disk",
    "shared_disk",
    "source_files",
    "sink_files",
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
    "acknowledgements",
    "undetermined",
]

LIMITS: dict[Limit, str] = {
    "source_disk": "the source's disk",
    "sink_disk": "the sink's disk",
    "shared_disk": "the disk that source and sink share",
    "source_files": "the opening of files at the source",
    "sink_files": "the creation of files at the sink",
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
    "acknowledgements": "the wait for acknowledgements",
    "undetermined": "undetermined",
}
"""Every limit as a noun phrase."""


@dataclass(frozen=True)
class TransferSide:
    """A side of a transfer: its end, what is done to its files, and the limits that are there."""

    name: Literal["source", "sink"]
    end: Literal["sender", "receiver"]
    opens: str
    disk: Limit
    files: Limit
    cpu: Limit
    card: Limit


SOURCE = TransferSide(
    name="source",
    end="sender",
    opens="open",
    disk="source_disk",
    files="source_files",
    cpu="sender_cpu",
    card="source_card",
)
SINK = TransferSide(
    name="sink",
    end="receiver",
    opens="create",
    disk="sink_disk",
    files="sink_files",
    cpu="receiver_cpu",
    card="sink_card",
)
SIDES = (SOURCE, SINK)


def limited_words(limit: Limit, others: Sequence[Limit], names: Sequence[str] = ()) -> str:
    """Return what limits a transfer, after a semicolon: `limited by the sink's disk`.

    `names` replace those of the limits that are known, if there are several of them.
    """
    known: list[Limit] = [one for one in (limit, *others) if one != "undetermined"]
    named = names or [LIMITS[one] for one in known]
    if limit != "undetermined":
        return f"limited by {words.listed(named)}"
    return f"limit undetermined: {words.listed(named, 'or')}" if named else "limit undetermined"


@dataclass(frozen=True)
class LimitNames:
    """The limits as noun phrases: `several` for those of which a run has more than one, plural."""

    several: Mapping[Limit, str] = field(default_factory=dict[Limit, str])
    one: Mapping[Limit, str] = field(default_factory=lambda: LIMITS)

    def of(self, limit: Limit) -> str:
        """Return the name of a limit."""
        return self.several.get(limit) or self.one[limit]

    def with_parts(self, limit: Limit, name: str, count: int) -> "LimitNames":
        """Return these names with that of a limit which is `count` parts of what it means."""
        if count > 1:
            return LimitNames({**self.several, limit: name}, self.one)
        several = dict(self.several)
        several.pop(limit, None)
        return LimitNames(several, {**self.one, limit: name})

    def listed(self, limits: Sequence[Limit], joined: str = "and") -> str:
        """Return a list in words."""
        return words.listed([self.of(limit) for limit in limits], joined)

    def sentence(self, limit: Limit, others: Sequence[Limit]) -> str:
        """Return what limits a transfer, or what it may be."""
        if limit != "undetermined":
            verb = "limit" if others or limit in self.several else "limits"
            return f"{words.capital(self.listed([limit, *others]))} {verb} the transfer."
        if others:
            return f"The limit is undetermined: it may be {self.listed(others, 'or')}."
        return "The limit is undetermined: no evidence singles out a part of the path."


ONE_PAIR = LimitNames()
"""The names of the limits of a single pair."""


LINE = 0.9
"""A rate of this part of the link's speed is that of the link; the rest are headers."""

NOMINAL = 1.02
"""A rate above this part of a card's speed shows that the speed is only nominal, as of a veth."""

DOMINANT = 0.5
"""A wait or a limitation that takes this part of the time explains the rate."""


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
class FileCost:
    """Which parts of a disk's time small files took by themselves: their calls, and their sync."""

    calls: float
    sync: float = 0.0


@dataclass(frozen=True)
class CardLoad:
    """What several pairs moved together through a card of this speed, in bytes per second."""

    moved_bytes_per_s: float
    speed_bytes_per_s: float

    @property
    def share(self) -> float:
        """The part of the card's speed that was used."""
        return self.moved_bytes_per_s / self.speed_bytes_per_s

    @property
    def is_full(self) -> bool:
        """Whether the pairs moved as much as the card can, and its speed is not only nominal."""
        return LINE <= self.share <= NOMINAL


@dataclass(frozen=True)
class EndSeen:
    """The evidence at an end of a transfer, as means over its trials; None if unknown.

    `busiest_core` is the share of the busiest core, which others may have used as well: `own_cores`
    is how many the probe's own process used. `withheld` is the part of the time in which a quota
    kept all its threads off the CPU, `waiting` on how many cores' worth of time its threads waited
    for CPUs that others used, and `softirq` the part of the used CPU time that the kernel spent on
    packets and the like. `throttled` is whether it was kept off the CPU so much that its trials do
    not count. `files` are what opening, closing and syncing small files took, `card` what several
    pairs moved through the end's card; None unless several use it.
    """

    busiest_core: float | None = None
    own_cores: float | None = None
    softirq: float | None = None
    waiting: float | None = None
    withheld: float | None = None
    throttled: bool = False
    files: FileCost | None = None
    card: CardLoad | None = None


@dataclass(frozen=True)
class Seen:
    """The evidence in a transfer itself, as means over its trials; None if unknown.

    `pair` names the pair of a run of several; they share what a host's CPU and card can do. If all
    are between the same two cards, these are one link, and `joint_link` has what all pairs move.

    Shares are parts of one. `bytes_per_s` is the receiver's application rate, `sender_bytes_per_s`
    that of the sender, which may end earlier if buffers take in its data. `lasted_s` is how long
    the receiver took, `sync_share` the part of the time up to the durable rate's end that the final
    sync took. `loopback` is whether the data crossed no network.
    `acknowledgement_wait` is the part of the time in which the sender of records waited for the
    receiver's acknowledgements, `receiver_idle` that in which the receiver waited for its data.
    """

    pair: str | None = None
    bytes_per_s: float | None = None
    sender_bytes_per_s: float | None = None
    sync_share: float | None = None
    lasted_s: float | None = None
    waits: Waits = field(default_factory=Waits)
    receive_window_limited: float | None = None
    send_buffer_limited: float | None = None
    retransmitted: float | None = None
    streams: int | None = None
    mss_bytes: float | None = None
    congestion_control: str | None = None
    send_buffer_bytes: float | None = None
    receive_buffer_bytes: float | None = None
    rtt_idle_ns: float | None = None
    rtt_load_ns: float | None = None
    loopback: bool = False
    link_bytes_per_s: float | None = None
    joint_link: CardLoad | None = None
    pacing_bytes_per_s: float | None = None
    sender: EndSeen = field(default_factory=EndSeen)
    receiver: EndSeen = field(default_factory=EndSeen)
    acknowledgement_wait: float | None = None
    receiver_idle: float | None = None

    def at(self, side: TransferSide) -> EndSeen:
        """Return the evidence at the end of a side."""
        return self.sender if side is SOURCE else self.receiver

    @property
    def is_mostly_sync(self) -> bool:
        """Whether the final sync decides the durable rate, and not what went before it."""
        return (self.sync_share or 0.0) >= DOMINANT

    @property
    def in_flight_bytes(self) -> float:
        """What a stream has in flight on average: its rate times the round trip under load.

        0 if one of these is unknown.
        """
        if not self.bytes_per_s or not self.streams or not self.rtt_load_ns:
            return 0.0
        return self.bytes_per_s / self.streams * self.rtt_load_ns / SECOND_NS


@dataclass(frozen=True)
class Reason:
    """One piece of evidence: `code` and `figures` contain everything that programs need."""

    code: str
    message: Words
    figures: Mapping[str, float] = field(default_factory=dict[str, float])


Cause = tuple[Limit, Reason]


@dataclass(frozen=True)
class JointCauses:
    """The causes that the evidence of all pairs shows; of several pairs, with their names.

    `of_pairs` has the only cause of each pair by its name: empty unless every pair has exactly one.
    `shared` is whether each cause is that of every pair.
    """

    causes: Sequence[Cause]
    shared: bool
    of_pairs: Mapping[str, Limit]


def joint(pairs: Sequence[Seen], causes_of: Callable[[Seen], Iterable[Cause]]) -> JointCauses:
    """Return the causes of all pairs; one that all show in the same words is given once."""
    each = [list(causes_of(one)) for one in pairs]
    if len(each) == 1:
        return JointCauses(each[0], True, {})
    limits: list[frozenset[Limit]] = [frozenset(limit for limit, _ in one) for one in each]
    named: list[Cause] = [
        (limit, reason if all((limit, reason) in one for one in each) else _of_pair(pair, reason))
        for pair, one in zip(pairs, each, strict=True)
        for limit, reason in one
    ]
    single: list[Limit] = [next(iter(one)) for one in limits if len(one) == 1]
    return JointCauses(
        causes=[one for place, one in enumerate(named) if one not in named[:place]],
        shared=len(set(limits)) == 1,
        of_pairs={pair.pair or "": limit for pair, limit in zip(pairs, single, strict=True)}
        if len(single) == len(pairs)
        else {},
    )


def _of_pair(pair: Seen, reason: Reason) -> Reason:
    return replace(reason, message=say("{}: {}", pair.pair or "", reason.message))

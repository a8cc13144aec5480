"""Evidence of what limits a transfer, and the names of the limits. Pure."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from assay.analysis import words

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

SECOND_NS = 10**9

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


@dataclass(frozen=True)
class Seen:
    """The evidence in a transfer itself, as means over its trials; None if unknown.

    `pair` names the pair of a run of several; they share what a host's CPU and card can do:
    `source_card` and `sink_card` are null unless several use the card; if all are between the same
    two cards, these are one link, and `joint_link` has what all pairs move.

    Shares are parts of one. `busiest_core` is that of the busiest core at sender and receiver,
    which others may have used as well: `own_cores` is how many the probe's own process used.
    `withheld` is the part of the time in which a quota kept all its threads off the CPU, `waiting`
    on how many cores' worth of time its threads waited for CPUs that others used, and `softirq`
    the part of the used CPU time that the kernel spent on packets and the like.
    `bytes_per_s` is the receiver's application rate, `sender_bytes_per_s` that of the sender, which
    may end earlier if buffers take in its data. `lasted_s` is how long the receiver took,
    `sync_share` the part of the time up to the durable rate's end that the final sync took.
    `loopback` is whether the data crossed no network.
    `acknowledgement_wait` is the part of the time in which the sender of records waited for the
    receiver's acknowledgements, `receiver_idle` that in which the receiver waited for its data.
    `throttled` is whether an end was kept off the CPU so much that its trials do not count.
    `source_files` and `sink_files` are what opening, closing and syncing small files took there.
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
    source_card: CardLoad | None = None
    sink_card: CardLoad | None = None
    joint_link: CardLoad | None = None
    pacing_bytes_per_s: float | None = None
    sender_busiest_core: float | None = None
    receiver_busiest_core: float | None = None
    sender_own_cores: float | None = None
    receiver_own_cores: float | None = None
    sender_softirq: float | None = None
    receiver_softirq: float | None = None
    sender_waiting: float | None = None
    receiver_waiting: float | None = None
    sender_withheld: float | None = None
    receiver_withheld: float | None = None
    sender_throttled: bool = False
    receiver_throttled: bool = False
    source_files: FileCost | None = None
    sink_files: FileCost | None = None
    acknowledgement_wait: float | None = None
    receiver_idle: float | None = None

    @property
    def is_mostly_sync(self) -> bool:
        """Whether the final sync decides the durable rate, and not what went before it."""
        return (self.sync_share or 0.0) >= DOMINANT

    @property
    def in_flight_bytes(self) -> float | None:
        """What a stream has in flight on average: its rate times the round trip under load."""
        if not self.bytes_per_s or not self.streams or not self.rtt_load_ns:
            return None
        return self.bytes_per_s / self.streams * self.rtt_load_ns / SECOND_NS


@dataclass(frozen=True)
class Reason:
    """One piece of evidence: `code` and `figures` contain everything that programs need."""

    code: str
    message: str
    figures: Mapping[str, float] = field(default_factory=dict[str, float])


Cause = tuple[Limit, Reason]
End = Literal["sender", "receiver"]
Side = Literal["source", "sink"]


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
    return replace(reason, message=f"{pair.pair}: {reason.message}")

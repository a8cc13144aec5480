"""What the probe reports of a transfer: figures of each end, and of its TCP streams."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, TypeVar, overload

from assay.analysis import histogram
from assay.analysis.streams import STREAM_COLUMNS
from assay.kinds.run_record import AttemptRecord, HostLoad
from assay.kinds.transfer.placement import Placement, placement_of

Value = TypeVar("Value", str, int)

LOOPBACK = "lo"
"""The interface for traffic within a host: what is lost there, the host itself dropped."""


@dataclass(frozen=True)
class StageShares:
    """A stage of the pipeline: the shares of its time in calls, and on a full or an empty ring."""

    name: str
    threads: int
    busy: float
    full: float
    empty: float


@dataclass(frozen=True)
class Card:
    """The network card of an end; null is unknown. A virtual card's speed is only nominal."""

    name: str
    speed_bits_per_s: int | None
    mtu_bytes: int | None
    numa_node: int | None


@dataclass(frozen=True)
class CallFigures:
    """How long calls of one kind took, in ns; the 99th percentile is null for under 100 calls."""

    count: int
    mean_ns: float | None
    median_ns: float | None
    p99_ns: float | None
    max_ns: int


@dataclass(frozen=True)
class FileFigures:
    """What the small files of an end took: to open (at a sink, to create) and to close each.

    `own_share` is the part that these calls have of the time that the end's disk was used, with the
    final sync; `sync_share` that of the sync of all small files, which came after the others.
    """

    open: CallFigures
    close: CallFigures
    own_share: float
    sync_share: float


@dataclass(frozen=True)
class EndFigures:
    """What one end did during a trial: the host's load, the stages, the card and the CPU time.

    `own_cores` is how many cores the probe's process used on average; `withheld` is the part of the
    time in which a quota kept it off the CPU; `waiting` is how many cores' worth of time its
    threads waited for CPUs that others used. `others_bytes` is what others sent from the sender's
    card, or to the receiver's, meanwhile: what the transfer's own packets cannot have been.
    `placement` is where it ran; null of several ends.
    `files` is null without small files.
    """

    load: HostLoad | None
    stages: Sequence[StageShares]
    card: Card | None
    cpu_ns: int
    own_cores: float | None
    withheld: float | None = None
    waiting: float | None = None
    others_bytes: int | None = None
    placement: Placement | None = None
    files: FileFigures | None = None

    def stage(self, *names: str) -> StageShares | None:
        """Return the stage with one of these names, if this end has it."""
        return next((one for one in self.stages if one.name in names), None)


@dataclass(frozen=True)
class LinkFigures:
    """What TCP did during a trial, as the senders saw it; null is unknown, or differs between them.

    `busy` times are shares of the time in which data was in flight or waiting. `rejected` are the
    connections of others that the listening end refused.
    """

    streams: int
    congestion_control: str | None
    mss_bytes: int | None
    send_buffer_bytes: int | None
    receive_buffer_bytes: int | None
    rtt_idle_ns: int | None
    rtt_load_ns: int | None
    retransmits: int
    retransmitted: float | None
    receive_window_limited: float | None
    send_buffer_limited: float | None
    rejected: int


def end_figures(attempts: Sequence[AttemptRecord | None]) -> EndFigures | None:
    """Return what an end did, or several on one host; None before each attempt has a result."""
    ends = [(one, told) for one in attempts if one and (told := detail_of(one)) is not None]
    if not ends or len(ends) < len(attempts):
        return None
    known, details = [one for one, _ in ends], [told for _, told in ends]
    cards = {one["card"]["name"] if one["card"] else None for one in details}
    return EndFigures(
        load=known[0].load,
        stages=[_stage(one) for one in zip(*(each["stages"] for each in details), strict=False)],
        card=card_of(details[0]["card"]) if len(cards) == 1 else None,
        cpu_ns=sum(one["cpu_ns"] for one in details),
        own_cores=total(_ratio(told["cpu_ns"], one.app_ns) for one, told in ends),
        withheld=_withheld(known),
        waiting=total(_ratio(one.disturbance.get("cpu_lost_ns"), one.app_ns) for one in known),
        placement=placement_of(details[0]) if len(details) == 1 else None,
        files=_files(ends),
    )


def _withheld(attempts: Sequence[AttemptRecord]) -> float | None:
    """Return the part of the time in which a quota held the end that it held most."""
    shares = [_ratio(one.disturbance.get("throttled_ns"), one.app_ns) for one in attempts]
    # summed over CPUs
    return None if None in shares else min(1.0, max(one or 0.0 for one in shares))


FEWEST_OF_P99 = 100
"""Calls from which there is a 99th percentile."""


def _files(ends: Sequence[tuple[AttemptRecord, Mapping[str, Any]]]) -> FileFigures | None:
    """Return what the small files of an end took, or those of several ends on one host."""
    found = [(each, one, told) for each, one in ends if (told := one.get("small_files"))]
    if not found:
        return None
    own = sum(told[name]["sum_ns"] for _, _, told in found for name in ("open", "close"))
    synced = used = 0
    for each, detail, told in found:
        stage = next(one for one in detail["stages"] if one["name"] in ("read", "write"))
        syncing = max(0, (each.durable_ns or 0) - (each.app_ns or 0))
        used += stage["call_ns"] + syncing * stage["threads"]
        synced += min(told["sync_ns"], syncing) * stage["threads"]
    return FileFigures(
        open=_calls([told["open"] for _, _, told in found]),
        close=_calls([told["close"] for _, _, told in found]),
        own_share=own / max(1, used),
        sync_share=synced / max(1, used),
    )


def _calls(alike: Sequence[Mapping[str, Any]]) -> CallFigures:
    latency = histogram.merge(
        histogram.of_steps(one["hist"], None, one["max_ns"], one["sum_ns"]) for one in alike
    )
    return CallFigures(
        count=latency.count,
        mean_ns=latency.mean_ns,
        median_ns=latency.percentile(0.5),
        p99_ns=latency.percentile(0.99) if latency.count >= FEWEST_OF_P99 else None,
        max_ns=latency.greatest_ns,
    )


def files_moved(*ends: AttemptRecord | None) -> int:
    """Return the small files that the last of these ends that has any has closed."""
    told = [found for one in map(detail_of, ends) if one and (found := one.get("small_files"))]
    return told[-1]["close"]["count"] if told else 0


def is_loopback(ends: Iterable[EndFigures]) -> bool:
    """Return whether all ends are known to use the loopback interface."""
    cards = [one.card for one in ends]
    return bool(cards) and all(card is not None and card.name == LOOPBACK for card in cards)


def rejections(*ends: AttemptRecord | None) -> int:
    """Return how many connections of others the listening end rejected, also without a stream."""
    return sum(
        count
        for detail in map(detail_of, ends)
        if detail is not None
        for name, count in detail["connections"].items()
        if name.startswith("rejected")
    )


def card_of(card: Mapping[str, Any] | None) -> Card | None:
    """Return the card that a probe reports; None without one."""
    if card is None:
        return None
    speed = card["speed_mbps"]
    return Card(
        name=card["name"],
        speed_bits_per_s=speed * 10**6 if speed else None,
        mtu_bytes=card["mtu_bytes"],
        numa_node=card["numa_node"],
    )


Pair = tuple[AttemptRecord | None, AttemptRecord | None]
"""The attempts of a sender and its receiver."""


def link_figures(pairs: Sequence[Pair]) -> LinkFigures | None:
    """Return what TCP did at all pairs; None if no stream was connected at one of them."""
    sent = [detail for sender, _ in pairs if (detail := detail_of(sender)) and detail["streams"]]
    if not sent or len(sent) < len(pairs):
        return None
    received = [detail_of(receiver) for _, receiver in pairs]
    rows: list[dict[str, Any]] = [row for one in sent for row in _streams(one)]

    def summed(column: str) -> int | None:
        return total(row[column] for row in rows)

    busy, moved = summed("busy_ns"), summed("bytes_sent")
    idle = [one["rtt_idle_ns"] for one in sent]
    return LinkFigures(
        streams=len(rows),
        congestion_control=same(one["congestion"] for one in sent),
        mss_bytes=same(one["mss_bytes"] for one in sent),
        send_buffer_bytes=same(one["send_buffer_bytes"] for one in sent),
        receive_buffer_bytes=same(one["receive_buffer_bytes"] if one else None for one in received),
        rtt_idle_ns=None if None in idle else max(idle),
        rtt_load_ns=round(median(row["rtt_ns"] for row in rows)),
        retransmits=summed("retransmits") or 0,
        retransmitted=_ratio(summed("bytes_retrans"), moved),
        receive_window_limited=_ratio(summed("rwnd_limited_ns"), busy),
        send_buffer_limited=_ratio(summed("sndbuf_limited_ns"), busy),
        rejected=sum(rejections(*pair) for pair in pairs),
    )


def same(values: Iterable[Value | None]) -> Value | None:
    """Return the only value; None without one, or if they differ."""
    found = set(values)
    return found.pop() if len(found) == 1 else None


@overload
def total(values: Iterable[int | None]) -> int | None: ...
@overload
def total(values: Iterable[float | None]) -> float | None: ...
def total(values: Iterable[float | None]) -> float | None:
    """Return the sum of these numbers; None if one is unknown."""
    given = list(values)
    known = [one for one in given if one is not None]
    return sum(known) if len(known) == len(given) else None


def wrong_blocks(*ends: AttemptRecord | None) -> int:
    """Return the blocks whose checksum was wrong, and 1 if only the digests differ."""
    details = [one for one in map(detail_of, ends) if one is not None]
    wrong = sum(one["crc_errors"] for one in details)
    differ = any(
        one["digest"] != one["peer_digest"]
        for one in details
        if one["digest"] is not None and one["peer_digest"] is not None
    )
    return wrong or int(differ)


def _streams(sender: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return what each stream of a sender counted, by the names of the columns."""
    return [dict(zip(STREAM_COLUMNS, row, strict=True)) for row in sender["streams"]]


def bytes_sent(sender: Mapping[str, Any]) -> int | None:
    """Return the bytes that all streams of a sender sent, also again; None if one is unknown."""
    return total(row["bytes_sent"] for row in _streams(sender))


def detail_of(attempt: AttemptRecord | None) -> Mapping[str, Any] | None:
    """Return what the probe of an end reports of its trial; None before it has a result."""
    return (attempt.result or {}).get("detail") if attempt else None


def _stage(alike: Sequence[Mapping[str, Any]]) -> StageShares:
    """Return the shares of a stage, or of the same stage of several processes."""

    def spent(name: str) -> int:
        return sum(one[name] for one in alike)

    total = max(1, spent("call_ns") + spent("full_ns") + spent("empty_ns"))
    return StageShares(
        name=alike[0]["name"],
        threads=spent("threads"),
        busy=spent("call_ns") / total,
        full=spent("full_ns") / total,
        empty=spent("empty_ns") / total,
    )


def _ratio(part: int | None, whole: int | None) -> float | None:
    return part / whole if part is not None and whole else None

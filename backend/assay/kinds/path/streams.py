"""What the probe reports of a transfer: figures of each end, and of its TCP streams."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from assay.kinds.kind import AttemptRecord, HostLoad

HEADERS_BYTES = 94
"""Ethernet, IP and TCP headers of a packet, with all options."""

COLUMNS: tuple[str, ...] = (
    "stream",
    "bytes_sent",
    "bytes_acked",
    "bytes_received",
    "bytes_retrans",
    "retransmits",
    "rtt_ns",
    "rttvar_ns",
    "min_rtt_ns",
    "cwnd_bytes",
    "unacked_bytes",
    "notsent_bytes",
    "snd_wnd_bytes",
    "rcv_wnd_bytes",
    "rcv_space_bytes",
    "delivery_bytes_per_s",
    "pacing_bytes_per_s",
    "busy_ns",
    "rwnd_limited_ns",
    "sndbuf_limited_ns",
    "app_limited",
)
"""The columns of a stream's TCP_INFO, as `stream_columns` in the probe's `columns.json`."""


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
class EndFigures:
    """What one end did during a trial: the host's load, the stages, the card and the CPU time.

    `own_cores` is how many cores the probe's process used on average; `withheld` is the part of the
    time in which a quota kept it off the CPU; `waiting` is how many cores' worth of time its
    threads waited for CPUs that others used. `others_bytes` is what others sent from the sender's
    card, or to the receiver's, meanwhile: what the transfer's own packets cannot have been.
    """

    load: HostLoad | None
    stages: Sequence[StageShares]
    card: Card | None
    cpu_ns: int
    own_cores: float | None
    withheld: float | None = None
    waiting: float | None = None
    others_bytes: int | None = None

    def stage(self, *names: str) -> StageShares | None:
        """Return the stage with one of these names, if this end has it."""
        return next((one for one in self.stages if one.name in names), None)


@dataclass(frozen=True)
class LinkFigures:
    """What TCP did during a trial, as the sender saw it; null is unknown.

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


def end_figures(
    attempt: AttemptRecord | None, sender: AttemptRecord | None = None
) -> EndFigures | None:
    """Return what an end did; None before its attempt has a result.

    `sender` is what knows how much was sent, if the leg uses the network.
    """
    detail = _detail(attempt)
    if attempt is None or detail is None:
        return None
    card = detail["card"]
    speed = card["speed_mbps"] if card else None
    throttled = attempt.disturbance.get("throttled_ns")
    withheld = _ratio(throttled, attempt.app_ns)
    return EndFigures(
        load=attempt.load,
        stages=[_stage(one) for one in detail["stages"]],
        card=Card(
            name=card["name"],
            speed_bits_per_s=speed * 10**6 if speed else None,
            mtu_bytes=card["mtu_bytes"],
            numa_node=card["numa_node"],
        )
        if card
        else None,
        cpu_ns=detail["cpu_ns"],
        own_cores=_ratio(detail["cpu_ns"], attempt.app_ns),
        withheld=min(1.0, withheld) if withheld is not None else None,  # summed over CPUs
        waiting=_ratio(attempt.disturbance.get("cpu_lost_ns"), attempt.app_ns),
        others_bytes=_others_bytes(detail, _detail(sender)),
    )


def _others_bytes(own: Mapping[str, Any], sender: Mapping[str, Any] | None) -> int | None:
    """Return the bytes on the card, in the direction of the data, that are not the transfer's."""
    if own["card"] is None or sender is None or not sender["streams"] or not sender["mss_bytes"]:
        return None
    passed = own["card"].get("tx_bytes" if own["role"] == "sender" else "rx_bytes")
    sent = _sum([dict(zip(COLUMNS, row, strict=True)) for row in sender["streams"]], "bytes_sent")
    if passed is None or sent is None:
        return None
    return max(0, passed - round(sent * (1 + HEADERS_BYTES / sender["mss_bytes"])))


def rejections(*ends: AttemptRecord | None) -> int:
    """Return how many connections of others the listening end rejected, also without a stream."""
    return sum(
        count
        for detail in map(_detail, ends)
        if detail is not None
        for name, count in detail["connections"].items()
        if name.startswith("rejected")
    )


def link_figures(
    sender: AttemptRecord | None, receiver: AttemptRecord | None
) -> LinkFigures | None:
    """Return what TCP did; None if no stream was connected."""
    sent, received = _detail(sender), _detail(receiver)
    if sent is None or not sent["streams"]:
        return None
    rows: list[dict[str, Any]] = [dict(zip(COLUMNS, row, strict=True)) for row in sent["streams"]]
    busy, moved = _sum(rows, "busy_ns"), _sum(rows, "bytes_sent")
    return LinkFigures(
        streams=len(rows),
        congestion_control=sent["congestion"],
        mss_bytes=sent["mss_bytes"],
        send_buffer_bytes=sent["send_buffer_bytes"],
        receive_buffer_bytes=received["receive_buffer_bytes"] if received else None,
        rtt_idle_ns=sent["rtt_idle_ns"],
        rtt_load_ns=round(median(row["rtt_ns"] for row in rows)),
        retransmits=_sum(rows, "retransmits") or 0,
        retransmitted=_ratio(_sum(rows, "bytes_retrans"), moved),
        receive_window_limited=_ratio(_sum(rows, "rwnd_limited_ns"), busy),
        send_buffer_limited=_ratio(_sum(rows, "sndbuf_limited_ns"), busy),
        rejected=rejections(sender, receiver),
    )


def wrong_blocks(*ends: AttemptRecord | None) -> int:
    """Return the blocks whose checksum was wrong, and 1 if only the digests differ."""
    details = [one for one in map(_detail, ends) if one is not None]
    wrong = sum(one["crc_errors"] for one in details)
    differ = any(
        one["digest"] != one["peer_digest"]
        for one in details
        if one["digest"] is not None and one["peer_digest"] is not None
    )
    return wrong or int(differ)


def _detail(attempt: AttemptRecord | None) -> Mapping[str, Any] | None:
    return (attempt.result or {}).get("detail") if attempt else None


def _stage(one: Mapping[str, Any]) -> StageShares:
    total = max(1, one["call_ns"] + one["full_ns"] + one["empty_ns"])
    return StageShares(
        name=one["name"],
        threads=one["threads"],
        busy=one["call_ns"] / total,
        full=one["full_ns"] / total,
        empty=one["empty_ns"] / total,
    )


def _sum(rows: Sequence[Mapping[str, Any]], column: str) -> int | None:
    values = [row[column] for row in rows]
    return None if None in values else sum(values)


def _ratio(part: int | None, whole: int | None) -> float | None:
    return part / whole if part is not None and whole else None

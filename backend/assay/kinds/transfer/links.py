"""A `link` event as one row: sums and extremes of its streams, and the waits of its stages. Pure.

An event has 21 counters for each of up to 128 streams. What charts draw of it needs their sums:
the difference of two sums is the sum of the differences, because streams connect before a trial.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from assay.analysis.streams import STREAM_COLUMNS

_AT = {name: place for place, name in enumerate(STREAM_COLUMNS)}


class LinkRow(NamedTuple):
    """Counters since the connection or the trial began, and levels; null is unknown.

    `rtt_*` are of all `streams`. The stage that fills the ring waited `full_ns` in all its threads,
    the one that empties it `empty_ns`; both are null without a ring between
    two stages.
    """

    until_ns: int
    streams: int
    rtt_min_ns: int | None
    rtt_sum_ns: int | None
    rtt_max_ns: int | None
    retransmits: int | None
    cwnd_bytes: int | None
    rwnd_limited_ns: int | None
    sndbuf_limited_ns: int | None
    card_rx_bytes: int | None
    card_tx_bytes: int | None
    card_rx_dropped: int | None
    card_tx_dropped: int | None
    softnet_dropped: int | None
    full_threads: int | None
    full_ns: int | None
    empty_threads: int | None
    empty_ns: int | None


NOTHING = LinkRow(0, 0, *[None] * (len(LinkRow._fields) - 2))
"""Before the first event of a trial."""


def reduced(link: Mapping[str, Any]) -> LinkRow:
    """Return a `link` event as a row."""
    streams: Sequence[Sequence[int | None]] = link["streams"]
    stages: Sequence[Mapping[str, int]] = link["stages"]

    def total(name: str) -> int | None:
        values = [row[_AT[name]] for row in streams]
        known = [one for one in values if one is not None]
        return sum(known) if known and len(known) == len(values) else None

    times = [row[_AT["rtt_ns"]] or 0 for row in streams]
    none: Mapping[str, int] = {}
    fills, drains = stages if len(stages) == 2 else (none, none)
    return LinkRow(
        until_ns=link["end_ns"],
        streams=len(streams),
        rtt_min_ns=min(times, default=None),
        rtt_sum_ns=sum(times) if times else None,
        rtt_max_ns=max(times, default=None),
        retransmits=total("retransmits"),
        cwnd_bytes=total("cwnd_bytes"),
        rwnd_limited_ns=total("rwnd_limited_ns"),
        sndbuf_limited_ns=total("sndbuf_limited_ns"),
        card_rx_bytes=link.get("card_rx_bytes"),
        card_tx_bytes=link.get("card_tx_bytes"),
        card_rx_dropped=link.get("card_rx_dropped"),
        card_tx_dropped=link.get("card_tx_dropped"),
        softnet_dropped=link.get("softnet_dropped"),
        full_threads=fills.get("threads"),
        full_ns=fills.get("full_ns"),
        empty_threads=drains.get("threads"),
        empty_ns=drains.get("empty_ns"),
    )

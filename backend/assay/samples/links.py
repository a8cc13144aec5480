"""The course of a transfer's streams and pipeline, from the `link` events of a participant's log.

Nothing of it is stored apart from the log: it is read only when someone looks at a trial.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from pydantic_core import from_json
from sqlalchemy.orm import Session

from assay.analysis.course import neighbors
from assay.samples import raw
from assay.samples.columns import STREAM_COLUMNS
from assay.samples.schemas import LinkColumns, Numbers
from assay.samples.series import four_digits, microseconds

Link = Mapping[str, Any]
"""A `link` event: counters since the connection or the trial began, and levels."""

_SECOND = 10**9
_AT = {name: place for place, name in enumerate(STREAM_COLUMNS)}
_NONE: Link = {"end_ns": 0, "streams": [], "stages": []}


def of_attempt(
    session: Session, participant_id: int, position: int, number: int
) -> list[dict[str, Any]]:
    """Return the `link` events of an attempt at the trial at `position`, in their order."""
    found: list[dict[str, Any]] = []
    for _, data in raw.raw_log(session, participant_id):
        for event in _events(data):
            if (event["trial"], event["attempt"]) != (position, number):
                continue
            if event["ev"] == "result":
                return found
            found.append(event)
    return found


def _events(data: bytes) -> Iterator[dict[str, Any]]:
    """Yield the links and results in a part of a log."""
    for line in data.splitlines():
        if b'"link"' in line or b'"result"' in line:
            event = from_json(line)
            if event["ev"] in {"link", "result"}:
                yield event


def link_series(
    links: Sequence[Link], points: int, window: tuple[int, int] | None = None
) -> LinkColumns:
    """Return the events in at most `points` points; extremes are kept.

    `window` is in nanoseconds since the trial began: an interval that overlaps it belongs to it.
    """
    intervals = list(pairwise([_NONE, *links]))
    if window is not None:
        since, until = window
        intervals = [
            (before, after)
            for before, after in intervals
            if after["end_ns"] > since and before["end_ns"] < until
        ]
    groups = [
        intervals[part.start : part.stop] for part in neighbors([1 for _ in intervals], points)
    ]
    spans = [(group[0][0], group[-1][1]) for group in groups]
    dt = [after["end_ns"] - before["end_ns"] for before, after in spans]

    def rate(name: str) -> Numbers:
        return [
            None if value is None or not time else four_digits(value * _SECOND // time)
            for value, time in zip(_differences(spans, name), dt, strict=True)
        ]

    def share(parts: Sequence[float | None]) -> Numbers:
        return [None if one is None else round(min(1.0, one), 4) for one in parts]

    times = [_round_trips([after for _, after in group]) for group in groups]
    return LinkColumns(
        t_ns=[microseconds(after["end_ns"]) for _, after in spans],
        dt_ns=list[int | float | None](dt),
        rtt_min_ns=[four_digits(min(one)) if one else None for one in times],
        rtt_mean_ns=[four_digits(sum(one) // len(one)) if one else None for one in times],
        rtt_max_ns=[four_digits(max(one)) if one else None for one in times],
        retransmits=[_streams_moved(*span, "retransmits") for span in spans],
        cwnd_bytes=[_level(after, "cwnd_bytes") for _, after in spans],
        receive_window_limited=share([_limited(*span, "rwnd_limited_ns") for span in spans]),
        send_buffer_limited=share([_limited(*span, "sndbuf_limited_ns") for span in spans]),
        card_rx_bytes_per_s=rate("card_rx_bytes"),
        card_tx_bytes_per_s=rate("card_tx_bytes"),
        card_dropped=_total(spans, ("card_rx_dropped", "card_tx_dropped")),
        softnet_dropped=_total(spans, ("softnet_dropped",)),
        ring_full=share([_waited(*span, 0, "full_ns") for span in spans]),
        ring_empty=share([_waited(*span, 1, "empty_ns") for span in spans]),
    )


def _differences(spans: Sequence[tuple[Link, Link]], name: str) -> list[int | None]:
    """Return by how much a counter of the trial grew; null where it is unknown."""
    return [
        None if after.get(name) is None else max(0, after[name] - (before.get(name) or 0))
        for before, after in spans
    ]


def _total(spans: Sequence[tuple[Link, Link]], names: Sequence[str]) -> Numbers:
    """Return by how much several counters grew together; null if all are unknown."""
    grown = zip(*(_differences(spans, name) for name in names), strict=True)
    known = ([one for one in group if one is not None] for group in grown)
    return [sum(group) if group else None for group in known]


def _round_trips(links: Sequence[Link]) -> list[int]:
    return [row[_AT["rtt_ns"]] for link in links for row in link["streams"]]


def _level(link: Link, name: str) -> int | None:
    """Return the sum over all streams; null without streams."""
    values = [row[_AT[name]] for row in link["streams"]]
    return sum(values) if values else None


def _streams_moved(before: Link, after: Link, name: str) -> int | None:
    """Return by how much a counter of the streams grew; null if it is unknown for one of them."""
    earlier = {row[0]: row[_AT[name]] or 0 for row in before["streams"]}
    grown = [
        None if row[_AT[name]] is None else max(0, row[_AT[name]] - earlier.get(row[0], 0))
        for row in after["streams"]
    ]
    known = [one for one in grown if one is not None]
    return sum(known) if known and len(known) == len(grown) else None


def _limited(before: Link, after: Link, name: str) -> float | None:
    """Return the part of the time for which the streams were limited, on average."""
    limited = _streams_moved(before, after, name)
    time = (after["end_ns"] - before["end_ns"]) * len(after["streams"])
    return None if limited is None or not time else limited / time


def _waited(before: Link, after: Link, place: int, name: str) -> float | None:
    """Return the part of the time that the threads of a stage waited; null without two stages.

    The stage at `place` 0 fills the ring, the one at 1 empties it.
    """
    if len(after["stages"]) <= 1:
        return None
    stage = after["stages"][place]
    earlier = before["stages"][place][name] if len(before["stages"]) > 1 else 0
    time = (after["end_ns"] - before["end_ns"]) * stage["threads"]
    return (stage[name] - earlier) / time if time else None

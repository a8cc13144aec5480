"""The course of a transfer's streams and pipeline: its rows in blocks, and for a chart."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from assay.analysis.throughput import neighbors
from assay.kinds.transfer.links import NOTHING, LinkRow
from assay.runs.attempts import RUNNING
from assay.runs.samples import codec, raw
from assay.runs.samples.blocks import UnknownFormatError
from assay.runs.samples.schemas import LinkColumns, Numbers
from assay.runs.samples.series import four_digits, microseconds
from assay.tables.runs import Attempt
from assay.tables.samples import LinkBlock

_SECOND = 10**9


def block(run_id: int, attempt_id: int, rows: Sequence[LinkRow]) -> dict[str, Any]:
    """Pack rows of an attempt, one or more, as a row of the table."""
    columns = {name: [row[place] for row in rows] for place, name in enumerate(LinkRow._fields)}
    return {
        "run_id": run_id,
        "attempt_id": attempt_id,
        "first_ns": rows[0].until_ns,
        "count": len(rows),
        "format": codec.FORMAT,
        "links": codec.pack(columns),
    }


def of_attempt(session: Session, run_id: int, attempt: Attempt) -> list[LinkRow]:
    """Return the rows of an attempt in their order; raises UnknownFormatError.

    Those of an attempt in progress that are not in a block yet are read from the raw log.
    """
    found: list[LinkRow] = []
    of_blocks = session.execute(
        select(LinkBlock.format, LinkBlock.count, LinkBlock.links)
        .where(LinkBlock.run_id == run_id, LinkBlock.attempt_id == attempt.id)
        .order_by(LinkBlock.first_ns)
    )
    for version, count, packed in of_blocks:
        if version != codec.FORMAT:
            raise UnknownFormatError(version)
        columns: dict[str, list[Any]] = codec.unpack(packed, count)
        found += map(LinkRow, *(columns[name] for name in LinkRow._fields))
    if attempt.status == RUNNING:
        found += [row for _, row in raw.unsealed_links(session, [attempt.id]).get(attempt.id, ())]
    return found


def link_series(
    links: Sequence[LinkRow], points: int, window: tuple[int, int] | None = None
) -> LinkColumns:
    """Return the rows in at most `points` points; extremes are kept.

    `window` is in nanoseconds since the trial began: an interval that overlaps it belongs to it.
    """
    intervals = list(pairwise([NOTHING, *links]))
    if window is not None:
        since, until = window
        intervals = [
            (before, after)
            for before, after in intervals
            if after.until_ns > since and before.until_ns < until
        ]
    groups = [
        intervals[part.start : part.stop] for part in neighbors([1 for _ in intervals], points)
    ]
    spans = [(group[0][0], group[-1][1]) for group in groups]
    dt = [after.until_ns - before.until_ns for before, after in spans]

    def rate(name: str) -> Numbers:
        return [
            None if value is None or not time else four_digits(value * _SECOND // time)
            for value, time in zip(_differences(spans, name), dt, strict=True)
        ]

    def share(name: str, parts: str) -> Numbers:
        """Return the part of the time that a counter of each of so many parts grew, on average."""
        return [
            None
            if value is None or not (whole := time * (getattr(after, parts) or 0))
            else round(min(1.0, value / whole), 4)
            for value, time, (_, after) in zip(_differences(spans, name), dt, spans, strict=True)
        ]

    times = [[after for _, after in group if after.streams] for group in groups]
    return LinkColumns(
        t_ns=[microseconds(after.until_ns) for _, after in spans],
        dt_ns=list[int | float | None](dt),
        rtt_min_ns=[
            four_digits(min(one.rtt_min_ns or 0 for one in rows)) if rows else None
            for rows in times
        ],
        rtt_mean_ns=[
            four_digits(sum(one.rtt_sum_ns or 0 for one in rows) // sum(o.streams for o in rows))
            if rows
            else None
            for rows in times
        ],
        rtt_max_ns=[
            four_digits(max(one.rtt_max_ns or 0 for one in rows)) if rows else None
            for rows in times
        ],
        retransmits=list[int | float | None](_differences(spans, "retransmits")),
        cwnd_bytes=[after.cwnd_bytes for _, after in spans],
        receive_window_limited=share("rwnd_limited_ns", "streams"),
        send_buffer_limited=share("sndbuf_limited_ns", "streams"),
        card_rx_bytes_per_s=rate("card_rx_bytes"),
        card_tx_bytes_per_s=rate("card_tx_bytes"),
        card_dropped=_total(spans, ("card_rx_dropped", "card_tx_dropped")),
        softnet_dropped=_total(spans, ("softnet_dropped",)),
        ring_full=share("full_ns", "full_threads"),
        ring_empty=share("empty_ns", "empty_threads"),
    )


def _differences(spans: Sequence[tuple[LinkRow, LinkRow]], name: str) -> list[int | None]:
    """Return by how much a counter grew; null where it is unknown."""
    return [
        None
        if (later := getattr(after, name)) is None
        else max(0, later - (getattr(before, name) or 0))
        for before, after in spans
    ]


def _total(spans: Sequence[tuple[LinkRow, LinkRow]], names: Sequence[str]) -> Numbers:
    """Return by how much several counters grew together; null if all are unknown."""
    grown = zip(*(_differences(spans, name) for name in names), strict=True)
    known = ([one for one in group if one is not None] for group in grown)
    return [sum(group) if group else None for group in known]

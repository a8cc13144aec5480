"""API types of samples, as columns, because these are compact and can be plotted directly."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field, create_model

from assay.runs.samples.columns import COLUMNS, Column

Numbers = list[int | float | None]


class ComputedColumns(BaseModel):
    """One array per quantity, all of the same length; a point may represent several samples.

    Rates are bytes per second, rounded to four digits; `cpu_*` are shares of all CPUs,
    `cpu_busiest` of one; `dev_busy` and `psi_*` are shares of the time. Shares cover at least 20
    ticks of the kernel's clock: shorter intervals have the share of their group. Maxima and minima
    are those of all samples of a point, so that stalls remain visible.
    """

    t_ns: Numbers = Field(description="End of the interval, since the trial's clock started")
    dt_ns: Numbers
    phase: Numbers = Field(description="0 write, 1 final sync, 2 read")
    rate_min_bytes_per_s: Numbers
    rate_mean_bytes_per_s: Numbers
    rate_max_bytes_per_s: Numbers
    ops_per_s: Numbers = Field(description="Operations; in a test of records, records")
    lat_mean_ns: Numbers


def with_series(columns: Sequence[Column]) -> type[ComputedColumns]:
    """Return the type of series that has, beside the computed ones, those of declared columns."""
    fields: dict[str, Any] = {
        column.series_name: (Numbers, Field(description=column.description))
        for column in columns
        if column.series
    }
    return create_model(
        "Columns", __base__=ComputedColumns, __doc__=ComputedColumns.__doc__, **fields
    )


if TYPE_CHECKING:

    class Columns(ComputedColumns):
        """The series of all columns."""

        def __getattr__(self, name: str) -> Numbers:
            """Return the series of a declared column."""
            ...

else:
    Columns = with_series(COLUMNS)


_EXAMPLE: dict[str, Any] = {
    "trial_id": 101,
    "participant_id": 7,
    "attempt": 1,
    "sample_ns": 10**9,
    "count": 2,
    "level": 0,
    "implausible": [],
    "columns": {name: [0, 0] for name in Columns.model_fields}
    | {
        "t_ns": [10**9, 2 * 10**9],
        "dt_ns": [10**9, 10**9],
        "rate_mean_bytes_per_s": [1_390_000_000, 1_402_000_000],
    },
}


class Implausible(BaseModel):
    """An impossible share, reported as null: above 1, or a busiest core below the mean."""

    column: str
    t_ns: int = Field(description="End of the first such interval")
    share: float = Field(description="Value from the host's counters")
    count: int = Field(description="Such intervals")


class SamplesOut(BaseModel):
    """A trial's time series; `level` is the level of detail: 0 samples, n roll-ups of 10^n."""

    model_config = ConfigDict(json_schema_extra={"examples": [_EXAMPLE]})

    trial_id: int
    participant_id: int
    attempt: int
    sample_ns: int = Field(description="The requested sampling interval")
    count: int = Field(description="Number of samples in the points")
    level: int
    columns: Columns
    implausible: list[Implausible]


class MarkColumns(BaseModel):
    """One array per quantity, all of the same length; a point may represent several marks.

    Rates are bytes per second, rounded to four digits. Maxima are those of all marks of a point.
    """

    begin_bytes: list[int] = Field(description="Bytes that were transferred before the point")
    end_bytes: list[int]
    t_ns: Numbers = Field(description="End of the point, since the trial's clock started")
    dt_ns: Numbers
    ops: Numbers
    rate_min_bytes_per_s: Numbers
    rate_mean_bytes_per_s: Numbers
    rate_max_bytes_per_s: Numbers
    lat_mean_ns: Numbers
    lat_max_ns: Numbers
    lat_p99_ns: Numbers = Field(description="Highest 99th percentile of the point's marks")
    due_max_ns: Numbers = Field(description="Maximum latency from the due time; null unless paced")
    backlog_bytes: Numbers = Field(description="Due but not begun; null unless paced by a rate")


class MarksOut(BaseModel):
    """The marks of an attempt at a participant, or of a part of it."""

    model_config = ConfigDict(
        title="Marks",
        json_schema_extra={
            "examples": [
                {
                    "trial_id": 17,
                    "participant_id": 7,
                    "attempt": 1,
                    "columns": {
                        "begin_bytes": [0],
                        "end_bytes": [100_000_000],
                        "t_ns": [520_800_000],
                        "dt_ns": [520_800_000],
                        "ops": [125],
                        "rate_min_bytes_per_s": [192_000_000],
                        "rate_mean_bytes_per_s": [192_000_000],
                        "rate_max_bytes_per_s": [192_000_000],
                        "lat_mean_ns": [1_012_000],
                        "lat_max_ns": [4_180_000],
                        "lat_p99_ns": [3_900_000],
                        "due_max_ns": [None],
                        "backlog_bytes": [None],
                    },
                }
            ]
        },
    )

    trial_id: int
    participant_id: int
    attempt: int
    columns: MarkColumns


class LinkColumns(BaseModel):
    """One array per quantity, all of the same length; a point may represent several intervals.

    Round-trip times are those of all streams; counts are those of the point. Shares are parts of
    the time, on average over streams or threads. Null where the leg has no such part, or the kernel
    does not tell.
    """

    t_ns: Numbers = Field(description="End of the interval, since the trial's clock started")
    dt_ns: Numbers
    rtt_min_ns: Numbers
    rtt_mean_ns: Numbers
    rtt_max_ns: Numbers
    retransmits: Numbers = Field(description="Segments sent again by all streams")
    cwnd_bytes: Numbers = Field(description="Congestion windows of all streams")
    receive_window_limited: Numbers = Field(
        description="Share of the time in which the other end's window limited the streams"
    )
    send_buffer_limited: Numbers
    card_rx_bytes_per_s: Numbers = Field(description="Received by the card of the streams")
    card_tx_bytes_per_s: Numbers
    card_dropped: Numbers = Field(description="Packets that the card dropped in both directions")
    softnet_dropped: Numbers = Field(description="Packets that the host's CPUs dropped")
    ring_full: Numbers = Field(description="Share of the time that the filling stage waited")
    ring_empty: Numbers = Field(description="Share of the time that the emptying stage waited")


_LINKS_EXAMPLE: dict[str, Any] = {
    "trial_id": 17,
    "participant_id": 7,
    "attempt": 1,
    "columns": {name: [0] for name in LinkColumns.model_fields}
    | {"t_ns": [10**9], "dt_ns": [10**9], "rtt_mean_ns": [182_000]},
}


class LinksOut(BaseModel):
    """The streams and the pipeline of an attempt at one end of a transfer, over time."""

    model_config = ConfigDict(title="Links", json_schema_extra={"examples": [_LINKS_EXAMPLE]})

    trial_id: int
    participant_id: int
    attempt: int
    columns: LinkColumns

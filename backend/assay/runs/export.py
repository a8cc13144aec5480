"""A run's figures for other programs: the matrix as CSV, and the event log as it came."""

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any

from sqlalchemy.orm import Session

from assay.analysis.ranking import Stat
from assay.runs.record import raw_log
from assay.runs.schemas import MatrixOut

# each figure of a rate and its column; those in bytes per second say so, as latencies do
_STAT = {
    "mean": "mean_bps",
    "median": "median_bps",
    "worst": "worst_bps",
    "sd": "sd_bps",
    "n": "n",
    "bounded": "bounded",
    "best": "best",
    "within_noise": "within_noise",
    "p": "p",
}
_LATENCY = ("p50", "p90", "p99", "p999", "max", "mean", "stall")


def matrix_csv(matrix: MatrixOut) -> str:
    """A row a cell: rates in bytes per second, latencies in ns, sizes in bytes, true or false."""
    rates = matrix.rates
    columns = [
        *("block", "threads", "files", "state", "repeats_done", "repeats_total"),
        "timed_out",
        *(f"{rate}_{name}" for rate in rates for name in (*_STAT.values(), "mark", "mark_code")),
        *(f"latency_{name}_ns" for name in _LATENCY),
    ]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(columns)
    for cell in matrix.cells:
        row: list[Any] = [
            cell.block,
            cell.threads,
            cell.files,
            cell.state,
            cell.repeats_done,
            cell.repeats_total,
            any(trial.timed_out for trial in cell.trials),
        ]
        for rate in rates:
            stat: Stat | None = getattr(cell, rate)
            mark = getattr(cell.marks, rate) if cell.marks else None
            row += [getattr(stat, name) if stat else None for name in _STAT]
            row += [mark.mark, mark.code] if mark else [None, None]
        row += [getattr(cell.latency, name) if cell.latency else None for name in _LATENCY]
        writer.writerow(map(_plain, row))
    return out.getvalue()


def _plain(value: object) -> object:
    """True and false as JSON and databases write them."""
    return str(value).lower() if isinstance(value, bool) else value


def event_log(
    reading: Callable[[], AbstractContextManager[Session]], participants: Sequence[int]
) -> Iterator[bytes]:
    """The participants' event lines as they were read, one after the other.

    A session is held for one chunk at a time: a slow download must not keep it.
    """
    for participant_id in participants:
        start = 0
        while True:
            with reading() as session:
                chunk = next(raw_log(session, participant_id, start), None)
            if chunk is None:
                break
            start = chunk[0] + len(chunk[1])
            yield chunk[1]

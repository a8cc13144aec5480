"""A matrix as CSV."""

import csv
import io
from typing import Any

from assay.kinds.matrix.cells import Cell, RateShares
from assay.kinds.matrix.ranking import Stat
from assay.kinds.matrix.result import MatrixResult

# each figure of a rate and its column, with its unit
_STAT = {
    "mean_bytes_per_s": "mean_bytes_per_s",
    "median_bytes_per_s": "median_bytes_per_s",
    "worst_bytes_per_s": "worst_bytes_per_s",
    "sd_bytes_per_s": "sd_bytes_per_s",
    "n": "n",
    "bounded": "bounded",
    "best": "best",
    "within_noise": "within_noise",
    "too_few_repeats": "too_few_repeats",
    "p": "p",
}
_SERVED_BY = ("served_by", "served_by_reason")
_WRITEBACK = ("bytes_per_s", "begins_ns")
_LATENCY = (
    *("p50_ns", "p90_ns", "p99_ns", "p999_ns", "p9999_ns", "p99999_ns"),
    *("max_ns", "mean_ns", "stall_ns", "operations"),
)


def matrix_csv(matrix: MatrixResult) -> str:
    """Return a row per cell: rates in bytes per second, latencies in ns, sizes in bytes."""
    rates = matrix.rates
    columns = [
        *("block", "threads", "files", "state", "repeats_done", "repeats_total"),
        *("flags", "contention", "others_bytes"),
        *(f"writeback_{name}" for name in _WRITEBACK),
        *(f"{rate}_{name}" for rate in rates for name in (*_STAT.values(), *_SERVED_BY)),
        *(f"latency_{name}" for name in _LATENCY),
        *(column for column, _ in _shares(matrix, None)),
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
            " ".join(flag.code for flag in cell.flags),
            *_contention(cell),
            *(getattr(cell.writeback, name, None) for name in _WRITEBACK),
        ]
        for rate in rates:
            stat: Stat | None = getattr(cell, rate)
            served_by = getattr(cell.served_by, rate) if cell.served_by else None
            row += [getattr(stat, name) if stat else None for name in _STAT]
            row += [served_by.source, served_by.reason] if served_by else [None, None]
        row += [getattr(cell.latency, name) if cell.latency else None for name in _LATENCY]
        row += [value for _, value in _shares(matrix, cell)]
        writer.writerow(map(_plain, row))
    return out.getvalue()


def _shares(matrix: MatrixResult, cell: Cell | None) -> list[tuple[str, object]]:
    """Return the columns about participants with a cell's values; none for one participant."""
    if len(matrix.participants) == 1:
        return []
    found: list[tuple[str, object]] = []
    for rate in matrix.rates:
        shares: RateShares | None = getattr(cell.shares, rate) if cell and cell.shares else None
        rates = {s.participant_id: s.bytes_per_s for s in shares.participants} if shares else {}
        found.append((f"{rate}_fairness", shares and shares.fairness))
        slowest = shares and shares.slowest_participant_id
        found.append((f"{rate}_slowest_participant", slowest))
        found += [
            (f"{rate}_participant_{one.id}_bytes_per_s", rates.get(one.id))
            for one in matrix.participants
        ]
    return found


def _contention(cell: Cell) -> tuple[str, int | None]:
    """Return the contention states of a cell's trials, and the bytes of other I/O."""
    found = [trial.contention for trial in cell.trials if trial.contention]
    moved = [one.others_bytes for one in found if one.others_bytes is not None]
    return " ".join(sorted({one.state for one in found})), sum(moved) if moved else None


def _plain(value: object) -> object:
    """Format booleans as JSON and databases do."""
    return str(value).lower() if isinstance(value, bool) else value

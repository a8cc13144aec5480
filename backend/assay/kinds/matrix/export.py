"""The columns of a matrix: those of trials, and those of cells."""

from collections.abc import Iterator, Sequence

from assay.analysis.flags import BOTH
from assay.kinds.export import (
    ColumnType,
    ExportColumn,
    ExportedRatio,
    ExportedTrial,
    codes,
    computed,
    figure,
    figures,
    of_cell,
    of_levels,
)
from assay.kinds.matrix.cells import MatrixTrial, RateShares
from assay.kinds.matrix.comparison import MatrixComparison
from assay.kinds.matrix.result import MatrixResult

_RATES = ("application", "durable")


def _of_cell(type_: ColumnType, *paths: str) -> list[ExportColumn]:
    """Return the columns of figures of the cell, which are called like their paths."""
    return [of_cell(f"cell_{path.replace('.', '_')}", type_, path) for path in paths]


def _of_rate(rate: str) -> list[ExportColumn]:
    """Return the columns of the repeats of a cell, and of how the participants share its rate."""
    compared = ("bounded", "best", "within_noise", "too_few_repeats")
    slowest = "slowest_participant_id"
    return [
        *(
            of_cell(f"cell_{rate}_{name}_bytes_per_s", "number", f"{rate}.{name}")
            for name in ("mean", "median", "worst", "sd")
        ),
        *_of_cell("integer", f"{rate}.n"),
        *_of_cell("boolean", *(f"{rate}.{name}" for name in compared)),
        *_of_cell("number", f"{rate}.p"),
        of_cell(f"cell_{rate}_fairness", "number", f"shares.{rate}.fairness"),
        of_cell(f"cell_{rate}_{slowest}", "integer", f"shares.{rate}.{slowest}"),
    ]


_LATENCIES = (
    *("p50_ns", "p90_ns", "p99_ns", "p999_ns", "p9999_ns", "p99999_ns"),
    *("max_ns", "mean_ns", "stall_ns", "operations"),
)
_OF_REPEATS = (
    *(
        of_cell(f"cell_{rate}_{name}", "text", f"served_by.{rate}.{field}")
        for rate in _RATES
        for name, field in (("served_by", "source"), ("served_by_reason", "reason"))
    ),
    *_of_cell("integer", *(f"latency.{name}" for name in _LATENCIES)),
)
"""What repeats have only together, so that it is exported with each of them."""

COLUMNS = (
    *figures("number", "application_bytes_per_s", "durable_bytes_per_s"),
    figure("bounded", "boolean"),
    *figures("integer", "bytes", "lat_max_ns", "window_ns"),
    *of_levels(lambda one: next((f.levels for f in one.at("flags") or () if f.levels), None)),
    figure("data_share"),
    figure("writeback_bytes_per_s", "number", "writeback.bytes_per_s"),
    figure("writeback_begins_ns", "integer", "writeback.begins_ns"),
    figure("contention", "text", "contention.state"),
    figure("others_bytes", "integer", "contention.others_bytes"),
    *_OF_REPEATS,
)

CELL = (
    *_of_cell("text", "state"),
    *_of_cell("integer", "repeats_done", "repeats_total"),
    computed("cell_flags", "text", lambda one: codes(one.cell.flags)),
    computed("cell_contention", "text", lambda one: _contention(one.cell.trials)),
    computed("cell_others_bytes", "integer", lambda one: _others_bytes(one.cell.trials)),
    *_of_cell("number", "writeback.bytes_per_s"),
    *_of_cell("integer", "writeback.begins_ns"),
    *(column for rate in _RATES for column in _of_rate(rate)),
    *_OF_REPEATS,
)
"""The columns of a matrix with a row for each cell."""


def of_participants(result: MatrixResult) -> list[ExportColumn]:
    """Return the columns of the mean rates of each of several participants in a cell."""
    several = result.participants if len(result.participants) > 1 else ()
    return [_of_participant(rate, one.id) for rate in _RATES for one in several]


def _of_participant(rate: str, participant_id: int) -> ExportColumn:
    def read(one: ExportedTrial) -> float | None:
        shares: RateShares | None = getattr(one.cell.shares, rate, None)
        rates = {s.participant_id: s.bytes_per_s for s in shares.participants} if shares else {}
        return rates.get(participant_id)

    return computed(f"cell_{rate}_participant_{participant_id}_bytes_per_s", "number", read)


def _contention(trials: Sequence[MatrixTrial]) -> str:
    """Return the different states of contention of a cell's trials."""
    return " ".join(sorted({one.contention.state for one in trials if one.contention}))


def _others_bytes(trials: Sequence[MatrixTrial]) -> int | None:
    """Return the bytes of other I/O during a cell's trials; None if none are known."""
    seen = [one.contention.others_bytes for one in trials if one.contention]
    known = [one for one in seen if one is not None]
    return sum(known) if known else None


def ratios(found: MatrixComparison) -> Iterator[ExportedRatio]:
    """Yield both rates of each cell that both matrices have; only the leading one has an answer."""
    of = found.ratio
    for one in of.cells:
        of_durable = one.durable, one.durable_p, one.durable_too_few_repeats
        of_application = one.application, one.application_p, one.application_too_few_repeats
        for rate, (ratio, p, few) in zip(BOTH, (of_durable, of_application), strict=True):
            if ratio is None:
                continue
            answer = "too_few_repeats" if few else ""
            if rate == of.rate and not few:
                answer = "different" if one.significant else "within_noise"
            yield ExportedRatio(
                base_run_id=of.a,
                run_id=of.b,
                cell=f"{one.block}x{one.threads}",
                figure=f"{rate}_bytes_per_s",
                base_value=one.a.rate(rate),
                value=one.b.rate(rate),
                ratio=ratio,
                p=p,
                answer=answer,
            )

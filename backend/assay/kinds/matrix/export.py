"""The columns of a matrix in tidy exports."""

from collections.abc import Iterator

from assay.kinds.export import (
    ExportedRatio,
    figure,
    figures,
    of_cell,
    of_levels,
    of_run,
    of_trial,
)
from assay.kinds.matrix.comparison import MatrixComparison

COLUMNS = (
    of_run("operation"),
    of_trial("block_bytes", field="block"),
    of_trial("threads"),
    of_trial("concurrent_files", field="files"),
    of_trial("file_size_bytes", field="file_size"),
    of_run("layout"),
    of_run("cache"),
    of_run("open_mode"),
    of_run("timeout_ms", "integer"),
    of_run("sync_timeout_ms", "integer"),
    of_run("sample_ms", "integer"),
    *figures("number", "application_bytes_per_s", "durable_bytes_per_s"),
    figure("bounded", "boolean"),
    *figures("integer", "bytes", "lat_max_ns", "window_ns"),
    *of_levels(lambda figures: next((f.levels for f in figures.flags if f.levels), ())),
    figure("data_share"),
    figure("writeback_bytes_per_s", "number", "writeback.bytes_per_s"),
    figure("writeback_begins_ns", "integer", "writeback.begins_ns"),
    figure("contention", "text", "contention.state"),
    figure("others_bytes", "integer", "contention.others_bytes"),
    of_cell("cell_application_served_by", "text", "served_by.application.source"),
    of_cell("cell_durable_served_by", "text", "served_by.durable.source"),
    *(
        of_cell(f"cell_latency_{name}", "integer", f"latency.{name}")
        for name in ("p50_ns", "p90_ns", "p99_ns", "p999_ns", "max_ns", "mean_ns", "stall_ns")
    ),
)


def ratios(found: MatrixComparison) -> Iterator[ExportedRatio]:
    """Yield both rates of each cell that both matrices have; only the leading one has an answer."""
    of = found.ratio
    for one in of.cells:
        for rate, ratio, p, few in (
            ("durable", one.durable, one.durable_p, one.durable_too_few_repeats),
            ("application", one.application, one.application_p, one.application_too_few_repeats),
        ):
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
                base_value=None,
                value=None,
                ratio=ratio,
                p=p,
                answer=answer,
            )

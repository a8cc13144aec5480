"""The columns of a tool test."""

from collections.abc import Iterator

from assay.kinds.export import (
    ExportColumn,
    ExportedRatio,
    figure,
    figures,
    of_cell,
    of_load,
    of_run,
    of_trial,
    within,
)
from assay.kinds.tool.comparison import ToolComparison

_COUNTS = ("intact", "missing", "incomplete", "wrong", "duplicate", "unexpected")


def _of_end(end: str) -> list[ExportColumn]:
    """Return the columns of what an end did."""
    return [
        *within(end, f"{end}_", "number", "busy_s", "idle_s", "own_s", "cpu_s", "idle_cores"),
        *of_load(end),
        figure(f"{end}_cpu_count", "integer", f"{end}.cpus"),
        *within(end, f"{end}_", "integer", "device_bytes", "card_rx_bytes", "card_tx_bytes"),
        figure(f"{end}_card", "text", f"{end}.card.name"),
    ]


COLUMNS = (
    of_trial("tool", "text"),
    of_trial("input", "text"),
    of_trial("length_bytes"),
    of_trial("files"),
    of_trial("file_bytes"),
    of_trial("input_records", field="records"),
    of_trial("record_bytes"),
    of_trial("duration_ms"),
    of_run("family"),
    of_run("sample_ms", "integer"),
    of_cell("leading_rate", "text", "rate"),
    *figures("number", "application_bytes_per_s", "durable_bytes_per_s", "cpu_s_per_gb"),
    *figures("integer", "bytes", "transfer_ns", "sync_ns", "handover_ns"),
    *within("arrived", "arrived_", "integer", *_COUNTS, "intact_bytes", "elsewhere_bytes"),
    figure("served_by", "text", "served_by.source"),
    *_of_end("source"),
    *_of_end("sink"),
    *within("command", "", "integer", "exit_code", "signal"),
)


def ratios(found: ToolComparison) -> Iterator[ExportedRatio]:
    """Yield the rate of each way of moving data of both runs."""
    rates = {(one.run_id, one.name): one.bytes_per_s for one in found.sides}
    for one in found.ratios:
        yield ExportedRatio(
            base_run_id=found.a,
            run_id=found.b,
            cell=one.a_name if one.a_name == one.b_name else f"{one.a_name} ÷ {one.b_name}",
            figure="bytes_per_s",
            base_value=rates.get((found.a, one.a_name)),
            value=rates.get((found.b, one.b_name)),
            ratio=one.ratio,
            p=one.p,
            answer=one.answer,
        )

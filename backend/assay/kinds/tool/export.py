"""The columns of a tool test."""

from collections.abc import Iterator

from assay.kinds.export import (
    ExportColumn,
    ExportedRatio,
    figure,
    figures,
    of_cell,
    of_load,
    within,
)
from assay.kinds.tool.comparison import ToolComparison
from assay.kinds.transfer.comparison import exported_ratio

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
        cell = one.a_name if one.a_name == one.b_name else f"{one.a_name} ÷ {one.b_name}"
        pair = rates.get((found.a, one.a_name)), rates.get((found.b, one.b_name))
        yield exported_ratio(found, one, cell, "bytes_per_s", pair)

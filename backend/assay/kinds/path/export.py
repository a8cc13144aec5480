"""The columns of a path test: those of trials, and those of the pairs of one."""

from collections.abc import Iterator, Sequence
from typing import Any

from assay.kinds.export import (
    OF_PART,
    ColumnType,
    ExportColumn,
    ExportedRatio,
    ExportedTrial,
    computed,
    figure,
    figures,
    of_cell,
    of_load,
    of_part,
    within,
)
from assay.kinds.path.comparison import PathComparison
from assay.kinds.transfer.comparison import exported_ratio
from assay.kinds.transfer.streams import EndFigures

_STAGES = (
    ("source", "sender", ("read", "fill")),
    ("send", "sender", ("send",)),
    ("receive", "receiver", ("receive",)),
    ("sink", "receiver", ("write",)),
)
"""The prefix of a stage's columns, its end, and what it is called there."""
_CALLS = (
    ("source_open_", "sender.files.open"),
    ("source_close_", "sender.files.close"),
    ("sink_create_", "receiver.files.open"),
    ("sink_close_", "receiver.files.close"),
)


def _of_stage(prefix: str, end: str, names: Sequence[str]) -> list[ExportColumn]:
    """Return the columns of a stage of the pipeline: its threads, and the shares of their time."""

    def column(name: str, type_: ColumnType) -> ExportColumn:
        def read(one: ExportedTrial) -> Any:
            figures: EndFigures | None = one.at(end)
            return getattr(figures.stage(*names), name, None) if figures else None

        return computed(f"{prefix}_{name}", type_, read)

    shares = [column(name, "number") for name in ("busy", "full", "empty")]
    return [column("threads", "integer"), *shares]


def _of_end(end: str) -> list[ExportColumn]:
    """Return the columns of what an end did, and where it ran."""
    place = f"{end}.placement"
    cpus = ("cpus_asked", "cpus_allowed", "cpus_used", "numa_nodes_used", "disk_numa_nodes")
    setup = ("driver", "local_cpus", "rps_cpus", "xps_cpus", "irq_cpus")
    return [
        *of_load(end),
        figure(f"{end}_cpu_ns", "integer", f"{end}.cpu_ns"),
        figure(f"{end}_own_cores", "number", f"{end}.own_cores"),
        *within(place, f"{end}_", "text", *cpus, "interrupt_cpus"),
        *within(place, f"{end}_", "integer", "interrupts", "busiest_interrupt_cpu"),
        figure(f"{end}_busiest_interrupt_share", "number", f"{place}.busiest_interrupt_share"),
        figure(f"{end}_card", "text", f"{end}.card.name"),
        figure(f"{end}_card_numa_node", "integer", f"{end}.card.numa_node"),
        *within(f"{place}.card", f"{end}_card_", "text", *setup),
        *within(f"{place}.card", f"{end}_card_", "integer", "rx_queues", "tx_queues"),
    ]


COLUMNS = (
    of_cell("leading_rate", "text", "rate"),
    *figures("number", "application_bytes_per_s", "durable_bytes_per_s", "sent_bytes_per_s"),
    figure("to_last_end_bytes_per_s"),
    figure("bounded", "boolean"),
    *figures("integer", "bytes", "wrong_blocks", "rejected_connections", "window_ns"),
    figure("fairness"),
    figure("files_moved", "integer", "files"),
    figure("files_per_s"),
    figure("served_by", "text", "served_by.source"),
    figure("inflated", "text", "inflated.code"),
    *within("link", "link_", "integer", "rtt_idle_ns", "rtt_load_ns", "retransmits", "mss_bytes"),
    *within("link", "link_", "integer", "send_buffer_bytes", "receive_buffer_bytes", "rejected"),
    *within("link", "link_", "number", "retransmitted", "receive_window_limited"),
    figure("link_send_buffer_limited", path="link.send_buffer_limited"),
    figure("link_congestion_control", "text", "link.congestion_control"),
    *_of_end("sender"),
    *_of_end("receiver"),
    *(column for stage in _STAGES for column in _of_stage(*stage)),
    *(
        column
        for prefix, call in _CALLS
        for column in (
            *within(call, prefix, "number", "mean_ns", "median_ns", "p99_ns"),
            figure(f"{prefix}max_ns", "integer", f"{call}.max_ns"),
        )
    ),
)


def _direction(one: ExportedTrial) -> str | None:
    """Return the direction of a pair with full duplex: those from the selected source are first."""
    if one.part is None or not one.cell.directions:
        return None
    return "forward" if one.part % 2 else "reverse"


OF_PAIR = (
    OF_PART,
    of_part("source", "text"),
    of_part("sink", "text"),
    computed("direction", "text", _direction),
    of_part("share"),
    of_part("start_delay_ns", "integer"),
    of_part("own_bytes_per_s"),
    of_part("own_ns", "integer"),
)
"""What only the pairs of a trial have."""


def ratios(found: PathComparison) -> Iterator[ExportedRatio]:
    """Yield the rate of each leg that both paths have."""
    for one in found.legs:
        streams = f"x{one.streams}" if one.streams else ""
        rates = one.a_bytes_per_s, one.b_bytes_per_s
        yield exported_ratio(found, one, f"{one.leg}-{one.block}{streams}", "bytes_per_s", rates)

"""The columns of a path test in tidy exports."""

from collections.abc import Iterator

from assay.kinds.export import (
    ExportedRatio,
    figure,
    figures,
    of_run,
    of_trial,
    within,
)
from assay.kinds.path.comparison import PathComparison

_LOAD = ("busiest_core", "user", "system", "softirq", "iowait")

COLUMNS = (
    of_trial("leg", "text"),
    of_trial("block_bytes", field="block"),
    of_trial("streams"),
    of_trial("length_bytes"),
    of_trial("duration_ms"),
    of_trial("small_files"),
    of_trial("small_file_bytes"),
    of_run("full_duplex", "boolean"),
    of_run("ramp_ms", "integer"),
    of_run("threads_per_device", "integer"),
    of_run("ring_bytes", "integer"),
    of_run("socket_buffer_bytes", "integer"),
    of_run("congestion_control"),
    of_run("pacing_bytes_per_s", "integer"),
    of_run("family"),
    of_run("listener"),
    of_run("source_cache"),
    of_run("sink_cache"),
    of_run("source_cpus"),
    of_run("sink_cpus"),
    of_run("integrity"),
    of_run("sample_ms", "integer"),
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
    *within("link", "link_", "integer", "send_buffer_bytes", "receive_buffer_bytes"),
    *within("link", "link_", "number", "retransmitted", "receive_window_limited"),
    figure("link_send_buffer_limited", path="link.send_buffer_limited"),
    figure("link_congestion_control", "text", "link.congestion_control"),
    *within("sender.load", "sender_", "number", *_LOAD),
    *within("receiver.load", "receiver_", "number", *_LOAD),
    figure("sender_cpu_ns", "integer", "sender.cpu_ns"),
    figure("receiver_cpu_ns", "integer", "receiver.cpu_ns"),
)


def ratios(found: PathComparison) -> Iterator[ExportedRatio]:
    """Yield the rate of each leg that both paths have."""
    for one in found.legs:
        streams = f"x{one.streams}" if one.streams else ""
        yield ExportedRatio(
            base_run_id=found.a,
            run_id=found.b,
            cell=f"{one.leg}-{one.block}{streams}",
            figure="bytes_per_s",
            base_value=one.a_bytes_per_s,
            value=one.b_bytes_per_s,
            ratio=one.ratio,
            p=one.p,
            answer=one.answer,
        )

"""The figures that the kernel reports of a TCP stream, in the probe's order.

They are defined in `worker/probe/contract/columns.json`; a test compares this list with it.
"""

STREAM_COLUMNS: tuple[str, ...] = (
    "stream",
    "bytes_sent",
    "bytes_acked",
    "bytes_received",
    "bytes_retrans",
    "retransmits",
    "rtt_ns",
    "rttvar_ns",
    "min_rtt_ns",
    "cwnd_bytes",
    "unacked_bytes",
    "notsent_bytes",
    "snd_wnd_bytes",
    "rcv_wnd_bytes",
    "rcv_space_bytes",
    "delivery_bytes_per_s",
    "pacing_bytes_per_s",
    "busy_ns",
    "rwnd_limited_ns",
    "sndbuf_limited_ns",
    "app_limited",
)

"""Programs with a server of their own at the sink, and no login."""

from assay.kinds.programs import ToolDefinition

_RSYNC_CONFIG = (
    "printf '%s\\n' 'use chroot = no' '[assay]' "
    "'path = '{sink_directory} 'read only = no' 'hosts allow = '{source_address} "
    "> {sink_scratch}/rsyncd.conf && "
    "{ test $(id -u) != 0 || printf '%s\\n' 'uid = 0' 'gid = 0' >> {sink_scratch}/rsyncd.conf; }"
)

RSYNC = ToolDefinition(
    name="rsync-daemon",
    title="rsync daemon",
    description="Whole files, no compression, not encrypted.",
    input="files",
    needs_at_source="rsync",
    needs_at_sink="rsync, and a port that the source reaches",
    source_check="command -v rsync",
    sink_check="command -v rsync",
    source_command=(
        "rsync -r --whole-file --inplace --no-compress {source_directory}/ "
        "rsync://{sink_url}:{port}/assay/"
    ),
    sink_command=(
        f"{_RSYNC_CONFIG} && exec rsync --daemon --no-detach --port={{port}} "
        "--config={sink_scratch}/rsyncd.conf --log-file=/dev/stderr"
    ),
    ready="port",
)

IPERF3 = ToolDefinition(
    name="iperf3",
    title="iperf3",
    description="One TCP stream of iperf3's own data, from memory to memory.",
    input="memory",
    needs_at_source="iperf3",
    needs_at_sink="iperf3, and a port that the source reaches",
    source_check="command -v iperf3",
    sink_check="command -v iperf3",
    source_command="iperf3 -c {sink_address} -p {port} -t {seconds} -i 0 -J",
    sink_command="exec iperf3 -s -1 -p {port}",
    ready="port",
    reported_bytes=r'"sum_received":\s*\{[^}]*"bytes":\s*([0-9]+)',
)

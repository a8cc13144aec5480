"""Log collectors: they take lines over TCP, and write them into files."""

from assay.kinds.programs import ToolDefinition

_LINES = "exec bash -c {{cat {source_file} > /dev/tcp/{sink_address}/{port}}}"
"""Lines over TCP, without a program of its own at the source."""

_RSYSLOG_SINK = (
    r"""escaped() { printf %s "$1" | sed 's/["\\]/\\&/g'; } && """
    "scratch=$(escaped {sink_scratch}) && file=$(escaped {sink_file}) && "
    "printf '%s\\n' 'global(maxMessageSize=\"2m\" workDirectory=\"'\"$scratch\"'\")' "
    '\'module(load="imtcp")\' \'template(name="raw" type="string" string="%rawmsg%\\n")\' '
    '\'input(type="imtcp" port="\'{port}\'" supportOctetCountedFraming="off")\' '
    '\'action(type="omfile" template="raw" file="\'"$file"\'")\' '
    "> {sink_scratch}/rsyslog.conf && "
    "exec rsyslogd -n -f {sink_scratch}/rsyslog.conf -i {sink_scratch}/rsyslog.pid"
)

RSYSLOG = ToolDefinition(
    name="rsyslog",
    title="rsyslog",
    description=(
        "rsyslogd at the sink takes lines over TCP and writes them into a file; the source "
        "sends the file of records as it is."
    ),
    input="records",
    needs_at_source="bash",
    needs_at_sink="rsyslogd, with its module imtcp, and a port that the source reaches",
    source_check="command -v bash",
    sink_check="command -v rsyslogd",
    source_command=_LINES,
    sink_command=_RSYSLOG_SINK,
    ready="port",
    quiet_ms=3_000,
)

_FLUENTD_SINK = (
    "printf '%s\\n' '<source>' '@type tcp' 'tag assay' 'bind '{sink_address} 'port '{port} "
    "'<parse>' '@type none' '</parse>' '</source>' "
    "'<match **>' '@type file' 'append true' 'path '{sink_directory}/records "
    "'<format>' '@type single_value' '</format>' "
    "'<buffer>' 'path '{sink_scratch}/buffer 'flush_mode interval' 'flush_interval 1s' "
    "'flush_at_shutdown true' '</buffer>' '</match>' > {sink_scratch}/fluent.conf && "
    "exec fluentd -q -c {sink_scratch}/fluent.conf"
)

FLUENTD = ToolDefinition(
    name="fluentd",
    title="fluentd",
    description=(
        "fluentd at the sink takes lines over TCP and writes them into files; the source sends "
        "the file of records as it is."
    ),
    input="records",
    needs_at_source="bash",
    needs_at_sink="fluentd, and a port that the source reaches",
    source_check="command -v bash",
    sink_check="command -v fluentd",
    source_command=_LINES,
    sink_command=_FLUENTD_SINK,
    ready="port",
    quiet_ms=5_000,
)

"""The built-in tools, stored in the database at every start.

Each moves its input without a setting that makes it slower or faster than its users would have it:
no compression, no delta, the default cipher. Tools that log in from the source at the sink use the
host key that Assay has approved, and a key that the source has; Assay never gives one away.
"""

from sqlalchemy import select
from sqlalchemy.orm import Session

from assay.db.clock import now
from assay.kinds.programs import ToolDefinition
from assay.tools.models import Tool
from assay.tools.schemas import stored

AUTHOR = "assay"

SSH_KEY = "a key without a passphrase that logs in at the sink as Assay's user there"

_LOGIN = "ssh -F {ssh_config} sink true"

_DAEMON_CONFIG = (
    "printf '%s\\n' 'use chroot = no' '[assay]' "
    "'path = '{sink_directory} 'read only = no' 'hosts allow = '{source_address} "
    "> {sink_scratch}/rsyncd.conf && "
    "{ test $(id -u) != 0 || printf '%s\\n' 'uid = 0' 'gid = 0' >> {sink_scratch}/rsyncd.conf; }"
)

_KAFKA = "/opt/kafka"

_FDT = "/opt/fdt/fdt.jar"

_KAFKA_SINK = (
    "export LOG_DIR={sink_scratch}/logs && printf '%s\\n' "
    "process.roles=broker,controller node.id=1 controller.listener.names=CONTROLLER "
    "offsets.topic.replication.factor=1 "
    "controller.quorum.voters=1@{sink_url}:{second_port} "
    "listeners=PLAINTEXT://{sink_url}:{port},CONTROLLER://{sink_url}:{second_port} "
    "advertised.listeners=PLAINTEXT://{sink_url}:{port} "
    "log.dirs={sink_scratch}/data > {sink_scratch}/server.properties && "
    f"{_KAFKA}/bin/kafka-storage.sh format -t assayAssayAssayAssayAA "
    "-c {sink_scratch}/server.properties && "
    f"{{ {_KAFKA}/bin/kafka-server-start.sh {{sink_scratch}}/server.properties & }} && "
    f"until {_KAFKA}/bin/kafka-topics.sh --bootstrap-server {{sink_url}}:{{port}} "
    "--create --topic assay; do sleep 1; done && "
    f"{{ {_KAFKA}/bin/kafka-console-consumer.sh --bootstrap-server {{sink_url}}:{{port}} "
    "--topic assay --from-beginning > {sink_file} & } && sleep 3 && echo 'assay: ready' && wait"
)

_TCP_LINES = "exec bash -c {{cat {source_file} > /dev/tcp/{sink_address}/{port}}}"
"""Lines over TCP, without a program of its own at the source."""

_RSYSLOG_SINK = (
    "printf '%s\\n' 'global(maxMessageSize=\"2m\" workDirectory=\"'{sink_scratch}'\")' "
    '\'module(load="imtcp")\' \'template(name="raw" type="string" string="%rawmsg%\\n")\' '
    '\'input(type="imtcp" port="\'{port}\'" supportOctetCountedFraming="off")\' '
    '\'action(type="omfile" template="raw" file="\'{sink_file}\'")\' '
    "> {sink_scratch}/rsyslog.conf && "
    "exec rsyslogd -n -f {sink_scratch}/rsyslog.conf -i {sink_scratch}/rsyslog.pid"
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

BUILTINS: tuple[ToolDefinition, ...] = (
    ToolDefinition(
        name="rsync-ssh",
        title="rsync over ssh",
        description="Whole files, no compression, encrypted by ssh.",
        input="files",
        needs_at_source=f"rsync, ssh, and {SSH_KEY}",
        needs_at_sink="rsync",
        source_check=f"command -v rsync && {_LOGIN}",
        sink_check="command -v rsync",
        source_command=(
            "rsync -s -r --whole-file --inplace --no-compress -e {{ssh -F {ssh_config}}} "
            "{source_directory}/ sink:{sink_directory}/"
        ),
    ),
    ToolDefinition(
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
            f"{_DAEMON_CONFIG} && exec rsync --daemon --no-detach --port={{port}} "
            "--config={sink_scratch}/rsyncd.conf --log-file=/dev/stderr"
        ),
        ready="port",
    ),
    ToolDefinition(
        name="scp",
        title="scp",
        description="OpenSSH's copy, encrypted by ssh.",
        input="files",
        needs_at_source=f"scp, and {SSH_KEY}",
        needs_at_sink="the SFTP server of OpenSSH",
        source_check=f"command -v scp && {_LOGIN}",
        source_command="scp -q -F {ssh_config} -r {source_directory}/. sink:{sink_directory}/",
    ),
    ToolDefinition(
        name="sftp",
        title="sftp",
        description="OpenSSH's file transfer in batch mode, encrypted by ssh.",
        input="files",
        needs_at_source=f"sftp, and {SSH_KEY}",
        needs_at_sink="the SFTP server of OpenSSH",
        source_check=f"command -v sftp && {_LOGIN}",
        source_command=(
            "cd {source_directory} && printf 'put -r . \"%s\"\\n' {sink_directory} | "
            "sftp -q -F {ssh_config} -b - sink"
        ),
    ),
    ToolDefinition(
        name="tar-over-ssh",
        title="tar over ssh",
        description="All files as one stream through ssh.",
        input="files",
        needs_at_source=f"tar, ssh, and {SSH_KEY}",
        needs_at_sink="tar",
        source_check=f"command -v tar && {_LOGIN}",
        sink_check="command -v tar",
        source_command=(
            "tar -C {source_directory} -cf - . | ssh -F {ssh_config} sink "
            "{{tar -C {sink_directory} -xf -}}"
        ),
    ),
    ToolDefinition(
        name="cat-over-ssh",
        title="cat over ssh",
        description="A file of records as one stream through ssh.",
        input="records",
        needs_at_source=f"ssh, and {SSH_KEY}",
        needs_at_sink="cat",
        source_check=_LOGIN,
        source_command="ssh -F {ssh_config} sink {{cat > {sink_file}}} < {source_file}",
    ),
    ToolDefinition(
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
    ),
    ToolDefinition(
        name="fdt",
        title="FDT",
        # It puts a directory into the destination by its name, which is the same at both ends.
        description=(
            "Fast Data Transfer: its jar at both ends, four TCP streams. It leaves a log in /tmp."
        ),
        input="files",
        needs_at_source=f"Java, and FDT's jar as {_FDT}",
        needs_at_sink=f"Java, FDT's jar as {_FDT}, and a port that the source reaches",
        source_check=f"command -v java && test -r {_FDT}",
        sink_check=f"command -v java && test -r {_FDT}",
        source_command=(
            f"exec java -Duser.home={{source_scratch}} -jar {_FDT} -c {{sink_address}} -p {{port}} "
            "-P 4 -noupdates -nolock -r -d {sink_directory}/.. {source_directory}"
        ),
        sink_command=(
            f"exec java -Duser.home={{sink_scratch}} -jar {_FDT} -p {{port}} -noupdates -S"
        ),
        ready="port",
    ),
    ToolDefinition(
        name="kafka",
        title="Kafka",
        description=(
            "One KRaft broker at the sink with its log on the sink's disk. The console producer "
            "sends each record as a message, and a console consumer writes them into a file."
        ),
        input="records",
        needs_at_source=f"Java, and Kafka 4 in {_KAFKA}",
        needs_at_sink=f"Java, Kafka 4 in {_KAFKA}, and two ports that the source reaches",
        source_check=f"command -v java && test -x {_KAFKA}/bin/kafka-console-producer.sh",
        sink_check=f"command -v java && test -x {_KAFKA}/bin/kafka-server-start.sh",
        source_command=(
            "export LOG_DIR={source_scratch} && "
            f"exec {_KAFKA}/bin/kafka-console-producer.sh "
            "--bootstrap-server {sink_url}:{port} --topic assay "
            "--producer-property acks=all --producer-property linger.ms=5 < {source_file}"
        ),
        sink_command=_KAFKA_SINK,
        ready="line",
        ready_line="assay: ready",
        quiet_ms=5_000,
    ),
    ToolDefinition(
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
        source_command=_TCP_LINES,
        sink_command=_RSYSLOG_SINK,
        ready="port",
        quiet_ms=3_000,
    ),
    ToolDefinition(
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
        source_command=_TCP_LINES,
        sink_command=_FLUENTD_SINK,
        ready="port",
        quiet_ms=5_000,
    ),
)


def install(session: Session) -> None:
    """Store the built-in tools in the database; does nothing if they are stored."""
    known = {one.name: one for one in session.scalars(select(Tool))}
    for builtin in BUILTINS:
        row, definition = known.get(builtin.name), stored(builtin)
        if row is None:
            session.add(
                Tool(name=builtin.name, builtin=True, definition=definition, changed_by=AUTHOR)
            )
        elif row.builtin and row.definition != definition:
            row.definition, row.changed_at = definition, now(session)

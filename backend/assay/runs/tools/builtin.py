"""The built-in tools, stored in the database at every start."""

from sqlalchemy import select
from sqlalchemy.orm import Session

from assay.kinds.programs import ToolDefinition
from assay.runs.tools.schemas import stored
from assay.tables.clock import now
from assay.tables.tools import Tool

# Log collectors: they take lines over TCP, and write them into files.

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


# Kafka: a broker at the sink, its console producer at the source, and its console consumer.
#
# Its performance tools are no alternative for a comparison on the same input: the producer's sends
# lines of a file in random order, some often and some never, and the consumer's writes nothing.

KAFKA_HOME = "/opt/kafka"

_LARGEST = 2 << 20
"""The largest request in bytes: a record of 1 MiB, which is the longest, with its headers."""

_PRODUCER = (
    f"{KAFKA_HOME}/bin/kafka-console-producer.sh "
    "--bootstrap-server {sink_url}:{port} --topic assay "
    "--producer-property acks=all --producer-property batch.size=524288 "
    "--producer-property linger.ms=20 --producer-property buffer.memory=67108864 "
    f"--producer-property max.request.size={_LARGEST} "
    "--producer-property request.timeout.ms=30000 --producer-property send.buffer.bytes=-1"
)
"""The defaults of the console producer are for people who type: batches of 16 KiB, a socket buffer
of 100 KiB, and a request that is sent again after 1.5 s."""

_CONSUMER = (
    f"{KAFKA_HOME}/bin/kafka-console-consumer.sh "
    "--bootstrap-server {sink_url}:{port} --topic assay "
    "--partition 0 --offset earliest --consumer-property max.partition.fetch.bytes=8388608 "
    "--consumer-property max.poll.records=5000 --consumer-property receive.buffer.bytes=-1"
)
"""A partition of its own, without a consumer group: joining one takes 3 s and more."""

_BROKER = (
    "export LOG_DIR={sink_scratch}/logs && printf '%s\\n' "
    "process.roles=broker,controller node.id=1 controller.listener.names=CONTROLLER "
    f"message.max.bytes={_LARGEST} "
    "controller.quorum.voters=1@{sink_url}:{second_port} "
    "listeners=PLAINTEXT://{sink_url}:{port},CONTROLLER://{sink_url}:{second_port} "
    "advertised.listeners=PLAINTEXT://{sink_url}:{port} "
    "log.dirs={sink_scratch}/data > {sink_scratch}/server.properties && "
    f"{KAFKA_HOME}/bin/kafka-storage.sh format -t assayAssayAssayAssayAA "
    "-c {sink_scratch}/server.properties && "
    f"{{ {KAFKA_HOME}/bin/kafka-server-start.sh {{sink_scratch}}/server.properties & }}"
)

_SINK = (
    f"{_BROKER} && echo first | {_PRODUCER} --producer-property max.block.ms=100000 && "
    f"{_CONSUMER} | {{ read -r first && echo 'assay: ready' && exec cat > {{sink_file}}; }}"
)
"""Ready when a first record, which is not the input's, has gone all the way."""

KAFKA = ToolDefinition(
    name="kafka",
    title="Kafka",
    description=(
        "One KRaft broker at the sink with its log on the sink's disk. The console producer "
        "sends each record as a message, in batches of up to 512 KiB, and a console consumer "
        "writes them into a file. The time includes the start of the producer's Java."
    ),
    input="records",
    needs_at_source=f"Java, and Kafka 4 in {KAFKA_HOME}",
    needs_at_sink=f"Java, Kafka 4 in {KAFKA_HOME}, and two ports that the source reaches",
    source_check=f"command -v java && test -x {KAFKA_HOME}/bin/kafka-console-producer.sh",
    sink_check=f"command -v java && test -x {KAFKA_HOME}/bin/kafka-server-start.sh",
    source_command=(f"export LOG_DIR={{source_scratch}} && exec {_PRODUCER} < {{source_file}}"),
    sink_command=_SINK,
    ready="line",
    ready_line="assay: ready",
    quiet_ms=5_000,
)


# FDT, whose jar is at both ends.
#
# What the commands rely on, from its sources (0.25 to 0.26): a client first asks the server's port
# for one of its transfer ports (`-tp`; older versions ignore that and use the server's port), and
# sends all of its streams there. The receiver puts each file into the destination under its bare
# name, while some versions keep the name of a directory given with `-r`; so files are given, which
# are named alike in all of them. Without `-notmp` a file has another name until after the last
# byte, when the transfer may already count as over. The server runs until it is ended, because with
# `-S` it may end between the question for a port and the transfer.

FDT_JAR = "/opt/fdt/fdt.jar"

FDT = ToolDefinition(
    name="fdt",
    title="FDT",
    description=(
        "Fast Data Transfer: its jar at both ends, four TCP streams. It leaves a log in /tmp."
    ),
    input="files",
    needs_at_source=f"Java, and FDT's jar as {FDT_JAR}",
    needs_at_sink=f"Java, FDT's jar as {FDT_JAR}, and two ports that the source reaches",
    source_check=f"command -v java && test -r {FDT_JAR}",
    sink_check=f"command -v java && test -r {FDT_JAR}",
    source_command=(
        "cd {source_directory} && "
        f"exec java -Duser.home={{source_scratch}} -jar {FDT_JAR} -c {{sink_address}} -p {{port}} "
        "-P 4 -noupdates -nolock -notmp -d {sink_directory} *"
    ),
    sink_command=(
        f"exec java -Duser.home={{sink_scratch}} -jar {FDT_JAR} -p {{port}} -tp {{second_port}} "
        "-noupdates -nolock -notmp"
    ),
    ready="port",
)


_RSYNC_CONFIG = (
    "printf '%s\\n' 'use chroot = no' '[assay]' "
    "'path = '{sink_directory} 'read only = no' 'hosts allow = '{source_address} "
    "> {sink_scratch}/rsyncd.conf && "
    "{ test $(id -u) != 0 || printf '%s\\n' 'uid = 0' 'gid = 0' >> {sink_scratch}/rsyncd.conf; }"
)

RSYNC_DAEMON = ToolDefinition(
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


_KEY = "a key without a passphrase that logs in at the sink as Assay's user there"

_LOGIN = "ssh -F {ssh_config} sink true"

RSYNC = ToolDefinition(
    name="rsync-ssh",
    title="rsync over ssh",
    description="Whole files, no compression, encrypted by ssh.",
    input="files",
    needs_at_source=f"rsync, ssh, and {_KEY}",
    needs_at_sink="rsync",
    source_check=f"command -v rsync && {_LOGIN}",
    sink_check="command -v rsync",
    source_command=(
        "rsync -s -r --whole-file --inplace --no-compress -e {{ssh -F {ssh_config}}} "
        "{source_directory}/ sink:{sink_directory}/"
    ),
)

SCP = ToolDefinition(
    name="scp",
    title="scp",
    description="OpenSSH's copy, encrypted by ssh.",
    input="files",
    needs_at_source=f"scp, and {_KEY}",
    needs_at_sink="the SFTP server of OpenSSH",
    source_check=f"command -v scp && {_LOGIN}",
    source_command="scp -q -F {ssh_config} -r {source_directory}/. sink:{sink_directory}/",
)

SFTP = ToolDefinition(
    name="sftp",
    title="sftp",
    description="OpenSSH's file transfer in batch mode, encrypted by ssh.",
    input="files",
    needs_at_source=f"sftp, and {_KEY}",
    needs_at_sink="the SFTP server of OpenSSH",
    source_check=f"command -v sftp && {_LOGIN}",
    source_command=(
        "cd {source_directory} && sink=$(printf %s {sink_directory} | sed 's/[\"\\]/\\\\&/g') && "
        'printf \'put -r . "%s"\\n\' "$sink" | sftp -q -F {ssh_config} -b - sink'
    ),
)

TAR = ToolDefinition(
    name="tar-over-ssh",
    title="tar over ssh",
    description="All files as one stream through ssh.",
    input="files",
    needs_at_source=f"tar, ssh, and {_KEY}",
    needs_at_sink="tar",
    source_check=f"command -v tar && {_LOGIN}",
    sink_check="command -v tar",
    source_command=(
        "tar -C {source_directory} -cf - . | ssh -F {ssh_config} sink "
        "{{tar -C {sink_directory} -xf -}}"
    ),
)

CAT = ToolDefinition(
    name="cat-over-ssh",
    title="cat over ssh",
    description="A file of records as one stream through ssh.",
    input="records",
    needs_at_source=f"ssh, and {_KEY}",
    needs_at_sink="cat",
    source_check=_LOGIN,
    source_command="ssh -F {ssh_config} sink {{cat > {sink_file}}} < {source_file}",
)


AUTHOR = "assay"

BUILTINS: tuple[ToolDefinition, ...] = (
    RSYNC,
    RSYNC_DAEMON,
    SCP,
    SFTP,
    TAR,
    CAT,
    IPERF3,
    FDT,
    KAFKA,
    RSYSLOG,
    FLUENTD,
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

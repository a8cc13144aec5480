"""Kafka: a broker at the sink, its console producer at the source, and its console consumer.

Its performance tools are no alternative for a comparison on the same input: the producer's sends
lines of a file in random order, some often and some never, and the consumer's writes nothing.
"""

from assay.kinds.programs import ToolDefinition

HOME = "/opt/kafka"

_LARGEST = 2 << 20
"""The largest request in bytes: a record of 1 MiB, which is the longest, with its headers."""

_PRODUCER = (
    f"{HOME}/bin/kafka-console-producer.sh --bootstrap-server {{sink_url}}:{{port}} --topic assay "
    "--producer-property acks=all --producer-property batch.size=524288 "
    "--producer-property linger.ms=20 --producer-property buffer.memory=67108864 "
    f"--producer-property max.request.size={_LARGEST} "
    "--producer-property request.timeout.ms=30000 --producer-property send.buffer.bytes=-1"
)
"""The defaults of the console producer are for people who type: batches of 16 KiB, a socket buffer
of 100 KiB, and a request that is sent again after 1.5 s."""

_CONSUMER = (
    f"{HOME}/bin/kafka-console-consumer.sh --bootstrap-server {{sink_url}}:{{port}} --topic assay "
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
    f"{HOME}/bin/kafka-storage.sh format -t assayAssayAssayAssayAA "
    "-c {sink_scratch}/server.properties && "
    f"{{ {HOME}/bin/kafka-server-start.sh {{sink_scratch}}/server.properties & }}"
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
    needs_at_source=f"Java, and Kafka 4 in {HOME}",
    needs_at_sink=f"Java, Kafka 4 in {HOME}, and two ports that the source reaches",
    source_check=f"command -v java && test -x {HOME}/bin/kafka-console-producer.sh",
    sink_check=f"command -v java && test -x {HOME}/bin/kafka-server-start.sh",
    source_command=(f"export LOG_DIR={{source_scratch}} && exec {_PRODUCER} < {{source_file}}"),
    sink_command=_SINK,
    ready="line",
    ready_line="assay: ready",
    quiet_ms=5_000,
)

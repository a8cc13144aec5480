"""Kafka for the comparison: its jars from Maven Central, with the scripts that its tool calls."""

import subprocess
from pathlib import Path

from assay.kinds.programs import COMMANDS, ToolDefinition
from assay.runs.tools.builtin import KAFKA_HOME

VERSION = "4.1.0"

CLASSES = {
    "kafka-storage.sh": "kafka.tools.StorageTool",
    "kafka-server-start.sh": "kafka.Kafka",
    "kafka-console-producer.sh": "org.apache.kafka.tools.ConsoleProducer",
    "kafka-console-consumer.sh": "org.apache.kafka.tools.consumer.ConsoleConsumer",
}
"""The classes that the scripts of Kafka's distribution start; that is not in Maven Central."""

PROJECT = f"""\
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>assay.bench</groupId>
  <artifactId>kafka</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>
    <dependency>
      <groupId>org.apache.kafka</groupId>
      <artifactId>kafka_2.13</artifactId>
      <version>{VERSION}</version>
    </dependency>
    <dependency>
      <groupId>org.apache.kafka</groupId>
      <artifactId>kafka-tools</artifactId>
      <version>{VERSION}</version>
    </dependency>
    <dependency>
      <groupId>org.slf4j</groupId>
      <artifactId>slf4j-simple</artifactId>
      <version>1.7.36</version>
    </dependency>
  </dependencies>
</project>
"""


def install(folder: Path) -> Path:
    """Install Kafka into a folder of its version, unless it is there; return that folder."""
    home = folder / f"kafka-{VERSION}"
    if (home / "bin").exists():
        return home
    home.mkdir(parents=True, exist_ok=True)
    (home / "pom.xml").write_text(PROJECT)
    goal = "dependency:copy-dependencies"
    options = ["-DincludeScope=runtime", f"-DoutputDirectory={home / 'libs'}"]
    subprocess.run(["mvn", "-B", "-q", goal, *options], cwd=home, check=True)
    scripts = home / "scripts"
    scripts.mkdir(exist_ok=True)
    for name, main in CLASSES.items():
        script = scripts / name
        script.write_text(
            "#!/bin/sh\nexec java -Xmx1g -Dorg.slf4j.simpleLogger.defaultLogLevel=error "
            f"-cp '{home}/libs/*' {main} \"$@\"\n"
        )
        script.chmod(0o755)
    scripts.rename(home / "bin")
    return home


def at(definition: ToolDefinition, home: Path) -> ToolDefinition:
    """Return the built-in tool with its commands for a Kafka that is elsewhere."""
    moved = {name: getattr(definition, name).replace(KAFKA_HOME, str(home)) for name in COMMANDS}
    return definition.model_copy(update=moved)

"""The commands of a transfer by another program, for the probes that run them.

Values are inserted as quoted words. A login from the source at the sink uses the address, port,
user and approved host key that Assay has of the sink, in files of the run directory. The key for
the login is the source's own: Assay passes no secret to a host for it.
"""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from assay.hosts.models import Host
from assay.kinds.programs import COMMANDS, ToolDefinition
from assay.kinds.templates import parse, render
from assay.recording.spool_state import Listener

from assay_worker.driver.plan import record

SSH_CONFIG, KNOWN_HOSTS = "ssh_config", "known_hosts"
"""Files in the run directory of a source."""

SINK_ALIAS = "sink"
"""The name of the sink in the configuration."""

CONNECT_TIMEOUT_S = 20

FIRST_FILE, RECORDS_FILE = "file-000000", "records"
"""Names of the probe's input."""

SCRATCH = "tool-scratch"
"""The directory beside that of the data, as in the probe's `observation.h`."""


@dataclass(frozen=True)
class ProgramEnd:
    """An end of a transfer: its host, the address at which the other end reaches it, and where."""

    host: Host
    address: str
    run_dir: str
    listener: Listener


@dataclass(frozen=True)
class Transfer:
    """A trial of a program between two ends."""

    definition: ToolDefinition
    trial: Mapping[str, Any]
    position: int
    attempt: int
    source: ProgramEnd
    sink: ProgramEnd

    def values(self) -> dict[str, object]:
        """Return the values of all placeholders."""
        name = RECORDS_FILE if self.definition.input == "records" else FIRST_FILE
        found: dict[str, object] = {
            **addresses(self.source.address, self.sink.address),
            "ssh_config": f"{self.source.run_dir}/{SSH_CONFIG}",
            "port": self.sink.listener.port,
            "second_port": self.sink.listener.second_port,
            "files": self.trial["files"],
            "file_bytes": self.trial["file_bytes"],
            "bytes": self.trial["length_bytes"],
            "records": self.trial["records"],
            "record_bytes": self.trial["record_bytes"],
            "seconds": self.trial["duration_ms"] // 1000,
        }
        for side, end in (("source", self.source), ("sink", self.sink)):
            if end.listener.directory is not None:
                directory = PurePosixPath(end.listener.directory)
                found[f"{side}_directory"] = directory
                found[f"{side}_file"] = directory / name
                found[f"{side}_scratch"] = directory.parent / SCRATCH
        return found

    def for_source(self) -> str:
        """Return the orders of the source."""
        login = login_files(self.sink.host, self.sink.address, self.source.run_dir)
        check = self._command("source_check")
        return self._orders(
            {
                "check": f"{login}\n{check or ''}",
                "main": self._command("source_command"),
                "cleanup": self._command("source_cleanup"),
                "address": self.source.address,
            }
        )

    def for_sink(self) -> str:
        """Return the orders of the sink."""
        return self._orders(
            {
                "check": self._command("sink_check"),
                "main": self._command("sink_command"),
                "cleanup": self._command("sink_cleanup"),
                "ready": self.definition.ready,
                "port": self.sink.listener.port,
                "line": self.definition.ready_line or None,
                "address": self.sink.address,
            }
        )

    def _command(self, name: str) -> str | None:
        return command(self.definition, name, self.values())

    def _orders(self, fields: Mapping[str, object]) -> str:
        own = {"trial": self.position, "attempt": self.attempt}
        return record("orders", own | dict(fields)) + "\n"


def command(definition: ToolDefinition, name: str, values: Mapping[str, object]) -> str | None:
    """Return a command of a tool as shell text; None if it has no such command."""
    assert name in COMMANDS  # noqa: S101 - names are constants
    text: str = getattr(definition, name)
    return render(parse(text), values) if text.strip() else None


def addresses(source: str, sink: str) -> dict[str, object]:
    """Return the values of the placeholders of addresses."""
    return {
        "source_address": source,
        "sink_address": sink,
        "sink_url": f"[{sink}]" if ":" in sink else sink,
    }


def login_files(sink: Host, address: str, directory: str) -> str:
    """Return shell text that writes the configuration of logins at the sink into a directory.

    A sink without an approved key is this machine; its key must be known at the source.
    """
    lines = [
        f"Host {SINK_ALIAS}",
        f"HostName {address}",
        f"Port {sink.port}",
        *([f"User {sink.user}"] if sink.user else []),
        "BatchMode yes",
        "StrictHostKeyChecking yes",
        f"ConnectTimeout {CONNECT_TIMEOUT_S}",
        "LogLevel ERROR",
    ]
    text = ""
    if sink.approved_key is not None:
        known = f"{directory}/{KNOWN_HOSTS}"
        key = " ".join(sink.approved_key.split()[:2])
        lines += [
            f"HostKeyAlias {SINK_ALIAS}",
            f'UserKnownHostsFile "{known.replace("%", "%%")}"',
            "GlobalKnownHostsFile /dev/null",
        ]
        text = _written(f"{SINK_ALIAS} {key}\n", known) + " && "
    return f"umask 077 && {text}" + _written("\n".join(lines) + "\n", f"{directory}/{SSH_CONFIG}")


def _written(text: str, path: str) -> str:
    return f"printf %s {shlex.quote(text)} > {shlex.quote(path)}"

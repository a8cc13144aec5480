"""The commands of a transfer by another program, for the probes that run them.

Values are inserted as quoted words. A tool that logs in finds its configuration in the run
directory of the source.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from assay.hosts.models import Host
from assay.kinds.programs import COMMANDS, ToolDefinition
from assay.kinds.templates import names, parse, render
from assay.recording.spool_state import Listener

from assay_worker.driver.login_files import SSH_CONFIG, login_files
from assay_worker.driver.plan import record

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
        """Return the orders of the source; raises LoginFilesError."""
        check = self._command("source_check")
        if logs_in(self.definition):
            login = login_files(self.sink.host, self.sink.address, self.source.run_dir)
            check = f"{login}\n{check or ''}"
        return self._orders(
            {
                "check": check,
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


def logs_in(definition: ToolDefinition) -> bool:
    """Return whether a command of a tool uses the configuration of logins at the sink."""
    return any("ssh_config" in names(parse(getattr(definition, name))) for name in COMMANDS)


def addresses(source: str, sink: str) -> dict[str, object]:
    """Return the values of the placeholders of addresses."""
    return {
        "source_address": source,
        "sink_address": sink,
        "sink_url": f"[{sink}]" if ":" in sink else sink,
    }

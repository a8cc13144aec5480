"""Definitions of tools: the commands that an administrator allows, and what they need.

A tool is a program that moves the same input as any other: files, records, or data that it
generates. Its source command runs at the source and ends when the transfer does. Where the sink
needs a program of its own, that one is started before, and the transfer starts when it is ready.
"""

import re
from collections.abc import Mapping
from typing import Annotated, Literal, Self

from pydantic import ConfigDict, Field, StringConstraints, model_validator
from pydantic.config import JsonDict

from assay.base.field_types import Lines, RequestBody, ShortText, Text, Title
from assay.kinds.fields import HOUR_MS, refusal
from assay.kinds.templates import TemplateError, names, parse, render

Input = Literal["files", "records", "memory"]
UNITS: dict[Input, str] = {"files": "file", "records": "record", "memory": "byte"}
"""What is counted as lost, wrong or duplicate."""

ToolName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]{0,39}$")]
QuietTime = Annotated[int, Field(strict=True, ge=0, le=HOUR_MS)]

Ready = Literal["none", "port", "line"]
Side = Literal["source", "sink"]

COMMON: dict[str, str] = {
    "source_address": "address at which the sink reaches the source",
    "sink_address": "address at which the source reaches the sink",
    "sink_url": "the same as in a URL: an IPv6 address in brackets",
    "port": "TCP port for the tool",
    "second_port": "a second TCP port",
    "files": "number of files",
    "file_bytes": "bytes of each file",
    "bytes": "bytes of the whole input",
    "records": "number of records",
    "record_bytes": "bytes of a record, with the end of its line",
    "seconds": "duration of a transfer of data that the tool generates",
}
"""The placeholders of all commands."""

OF_SIDE: dict[Side, dict[str, str]] = {
    "source": {
        "source_directory": "directory with the input",
        "source_file": "file with the input: the records, or the first of the files",
        "source_scratch": "directory for the tool's own files at the source",
        "ssh_config": "configuration for `ssh -F`, in which the sink is the host `sink`",
        "sink_directory": "directory where the input is to arrive",
        "sink_file": "file with the records in it, or the first of the files",
    },
    "sink": {
        "sink_directory": "directory where the input is to arrive",
        "sink_file": "file with the records in it, or the first of the files",
        "sink_scratch": "directory for the tool's own files at the sink",
    },
}
"""The placeholders of the commands of one side."""

ON_DISK = frozenset(name for of in OF_SIDE.values() for name in of) - {"ssh_config"}
"""The placeholders that a test between memories does not have."""

COMMANDS: dict[str, Side] = {
    "source_check": "source",
    "source_command": "source",
    "source_cleanup": "source",
    "sink_check": "sink",
    "sink_command": "sink",
    "sink_cleanup": "sink",
}
"""The commands of a tool, and the side at which each runs."""

CHECKS = frozenset({"source_check", "sink_check"})
"""Commands that run before there is a test: they know no directories and no ports."""

FOR_CHECKS = frozenset({"source_address", "sink_address", "sink_url", "ssh_config"})

LONGEST_COMMAND = 8_000

Command = Annotated[
    str,
    StringConstraints(max_length=LONGEST_COMMAND),
    Lines,
    Field(description="Shell text with placeholders such as {sink_directory}"),
]
EXAMPLE: JsonDict = {
    "name": "tar-large-blocks",
    "title": "tar over ssh, 4 MB blocks",
    "description": "All files as one stream.",
    "input": "files",
    "needs_at_source": "tar, ssh, and a key that logs in at the sink",
    "needs_at_sink": "tar",
    "source_check": "command -v tar && ssh -F {ssh_config} sink true",
    "source_command": (
        "tar -b 8192 -C {source_directory} -cf - . | ssh -F {ssh_config} sink "
        "{{tar -C {sink_directory} -xf -}}"
    ),
    "source_cleanup": "",
    "sink_check": "command -v tar",
    "sink_command": "",
    "sink_cleanup": "",
    "ready": "none",
    "ready_line": "",
    "quiet_ms": 0,
    "reported_bytes": "",
}


class ToolDefinition(RequestBody):
    """A tool: its commands, and what it needs at both hosts.

    `source_command` ends when the transfer does; if the sink goes on after that, `quiet_ms` is for
    how long nothing more may arrive until the transfer counts as over. `sink_command` runs during
    the whole trial: it is ready when the port is open, or when it prints `ready_line`.
    `reported_bytes` is a regular expression whose group is the number of bytes that the source
    command prints; only a tool without an input of Assay's has it.
    """

    model_config = ConfigDict(json_schema_extra={"examples": [EXAMPLE]})

    name: ToolName
    title: Title
    description: Text = ""
    input: Input
    needs_at_source: Text = ""
    needs_at_sink: Text = ""
    source_check: Command = ""
    source_command: Annotated[Command, Field(min_length=1)]
    source_cleanup: Command = ""
    sink_check: Command = ""
    sink_command: Command = ""
    sink_cleanup: Command = ""
    ready: Ready = "none"
    ready_line: ShortText = ""
    quiet_ms: QuietTime = 0
    reported_bytes: ShortText = ""

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        for name, side in COMMANDS.items():
            self._check_command(name, side)
        if self.ready != "none" and not self.sink_command:
            raise refusal(
                "ready",
                self.ready,
                f'is "{self.ready}", but there is no sink command to wait for',
                'Use "none", or add a sink command.',
            )
        if (self.ready == "line") != bool(self.ready_line):
            raise refusal(
                "ready_line",
                self.ready_line,
                "and `ready` do not fit together",
                'Give the line, and `ready` "line"; or neither.',
            )
        if (self.input == "memory") != bool(self.reported_bytes):
            raise refusal(
                "reported_bytes",
                self.reported_bytes,
                "and `input` do not fit together: a tool says itself how much it moved if, and "
                "only if, its input is memory",
                'Give the pattern with `input` "memory", and omit it otherwise.',
            )
        self._check_pattern()
        return self

    def _check_command(self, name: str, side: Side) -> None:
        """Refuse a command that cannot be parsed, or with a placeholder that it does not have."""
        text: str = getattr(self, name)
        try:
            used = names(parse(text))
        except TemplateError as error:
            raise refusal(name, text, str(error), error.remedy) from error
        known = self.placeholders(name, side)
        if unknown := sorted(used - known):
            raise refusal(
                name,
                text,
                f"has the placeholder {{{unknown[0]}}}, which this command does not have",
                f"Use one of {', '.join(f'{{{one}}}' for one in sorted(known))}.",
            )

    def placeholders(self, name: str, side: Side) -> set[str]:
        """Return the placeholders that the command `name` at `side` has."""
        known = COMMON.keys() | OF_SIDE[side].keys()
        if name in CHECKS:
            known &= FOR_CHECKS
        return known - ON_DISK if self.input == "memory" else known

    def _check_pattern(self) -> None:
        if not self.reported_bytes:
            return
        try:
            groups = re.compile(self.reported_bytes).groups
        except re.error as error:
            raise refusal(
                "reported_bytes",
                self.reported_bytes,
                f"is not a regular expression: {error}",
                'Write it like "([0-9]+) bytes received".',
            ) from error
        if groups != 1:
            raise refusal(
                "reported_bytes",
                self.reported_bytes,
                f"has {groups} groups",
                "Put parentheses around the number, and only there.",
            )

    @property
    def unit(self) -> str:
        """What is counted as lost, wrong or duplicate."""
        return UNITS[self.input]


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

"""The commands of a transfer by another program, for the probes that run them.

Values are inserted as quoted words. A tool that logs in finds its configuration in the run
directory of the source.

A login uses the address, port, user and approved host key that Assay has of the sink. Its key is
the source's own: Assay passes no secret to a host for it.

Both files of a login consist of lines, and `ssh` runs commands that stand in its configuration. So
every value is checked again here, although the API has checked it: rows may be older than its
rules.
"""

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from assay.base.host_field_types import is_address, is_user_name
from assay.kinds.programs import ToolDefinition, addresses, command, logs_in
from assay.runs.recording.spool_state import Listener
from assay.tables.hosts import Host

from assay_worker.driver.plan import record
from assay_worker.errors import LoginFilesError

SSH_CONFIG, KNOWN_HOSTS = "ssh_config", "known_hosts"
"""Files in the run directory of a source."""

SINK_ALIAS = "sink"
"""The name of the sink in the configuration."""

CONNECT_TIMEOUT_S = 20

_KEY = re.compile(r"[A-Za-z0-9@.-]+ [A-Za-z0-9+/]+=*")

_SPECIAL = re.compile(r'[\x00-\x1f\x7f"\\]|\$\{')
"""What a quoted path in `ssh_config` cannot contain: there is no escape for it in all versions."""


def login_files(sink: Host, address: str, directory: str) -> str:
    """Return shell text that writes the configuration of logins at the sink into a directory.

    A sink without an approved key is this machine; its key must be known at the source. Raises
    LoginFilesError for a value that `ssh` would read as something else.
    """
    lines = [
        f"Host {SINK_ALIAS}",
        f"HostName {_address(address)}",
        f"Port {int(sink.port)}",
        *([f"User {_user(sink)}"] if sink.user else []),
        "BatchMode yes",
        "StrictHostKeyChecking yes",
        f"ConnectTimeout {CONNECT_TIMEOUT_S}",
        "LogLevel ERROR",
    ]
    text = ""
    if sink.approved_key is not None:
        known = f"{directory}/{KNOWN_HOSTS}"
        lines += [
            f"HostKeyAlias {SINK_ALIAS}",
            f"UserKnownHostsFile {_path(known)}",
            "GlobalKnownHostsFile /dev/null",
        ]
        text = _written(f"{SINK_ALIAS} {_key(sink)}\n", known) + " && "
    return f"umask 077 && {text}" + _written("\n".join(lines) + "\n", f"{directory}/{SSH_CONFIG}")


def _address(text: str) -> str:
    if not is_address(text):
        raise LoginFilesError(f"the address {text!r} is neither a host name nor an IP address")
    return text.replace("%", "%%")  # of a zone


def _user(sink: Host) -> str:
    text = sink.user or ""
    if not is_user_name(text):
        raise LoginFilesError(f"the user {text!r} of {sink.name} is not a valid user name")
    return text


def _key(sink: Host) -> str:
    text = " ".join((sink.approved_key or "").split(" ")[:2])
    if not _KEY.fullmatch(text):
        raise LoginFilesError(f"the approved key {text!r} of {sink.name} is not a public key")
    return text


def _path(text: str) -> str:
    if _SPECIAL.search(text):
        raise LoginFilesError(
            f"the run directory is in {text!r}, but a path in ssh_config cannot have line breaks, "
            "quotes, backslashes or ${"
        )
    return f'"{text.replace("%", "%%")}"'


def _written(text: str, path: str) -> str:
    return f"printf %s {shlex.quote(text)} > {shlex.quote(path)}"


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
    """A trial of a program between two ends; `input` has the values of what it moves."""

    definition: ToolDefinition
    input: Mapping[str, object]
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
            **self.input,
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

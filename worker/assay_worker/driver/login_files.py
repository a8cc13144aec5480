"""The files with which a tool at the source of a transfer logs in at the sink.

A login uses the address, port, user and approved host key that Assay has of the sink. Its key is
the source's own: Assay passes no secret to a host for it.

Both files consist of lines, and `ssh` runs commands that stand in its configuration. So every value
is checked again here, although the API has checked it: rows may be older than its rules.
"""

import re
import shlex

from assay.hosts.field_types import is_address, is_user_name
from assay.hosts.models import Host

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

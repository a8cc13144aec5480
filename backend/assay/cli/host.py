"""`assay host`: the machines that tests run on."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from assay.base.nouns import HOST
from assay.base.printable import one_line
from assay.base.words import size
from assay.cli.access import CertificateFile, PassphraseFile, PrivateKey, from_files
from assay.cli.arguments import labels_of, read, seconds_of
from assay.cli.connection import connected
from assay.cli.console import (
    AsJson,
    Columns,
    CommandError,
    json_only,
    print_json,
    print_list,
    say,
)
from assay.cli.described import print_object
from assay.cli.nouns import argument, group
from assay.cli.options import filtered
from assay.client import Assay
from assay.client.resources import OrderFilter
from assay.inventory.hosts.lifecycle import CHECKED, LONGEST_WAIT_S
from assay.inventory.hosts.schemas import HostOut

Host = Annotated[str, argument(HOST)]

POLL_S = 0.5
LONGEST_CHECK_S = 600.0

OPTIONS = {
    **{name: f"--{name}" for name in ("address", "port", "user", "credential", "fingerprint")},
    **{"credential_id": "--credential", "jump_host": "--jump-host", "known_hosts": "--known-hosts"},
    **{"private_key": "--private-key", "certificate": "--certificate", "array": "--array"},
    **{"root_consent": "--root-consent", "probe_dir": "--probe-directory", "path": "--target"},
}
"""The options by the fields of the request that they set."""


def _address(host: HostOut) -> str:
    if host.connection == "local":
        return "this machine"
    return f"{host.user}@{host.address}:{host.port}"


def _summary(host: HostOut) -> str:
    if host.summary is None:
        return ""
    memory = size(host.summary.mem_total_bytes) if host.summary.mem_total_bytes else ""
    return f"{host.summary.os or ''}, {host.summary.cpus or '?'} CPUs, {memory}"


def _targets(host: HostOut) -> str:
    return "\n".join(
        f"{target.id}  {one_line(target.path)}  {size(target.free_bytes or 0)}"
        for target in host.targets
    )


app = group(HOST, {"address": _address, "system": _summary, "targets (id, path, free)": _targets})


@app.command()
def add(  # noqa: PLR0917 (options, each given by name)
    name: Annotated[str, typer.Argument(help="Display name")],
    address: Annotated[
        str | None, typer.Option(help="Host name or IP address; omit it for this machine")
    ] = None,
    port: Annotated[int, typer.Option(help="Of sshd")] = 22,
    user: Annotated[str | None, typer.Option(help="Login user")] = None,
    credential: Annotated[
        str | None, typer.Option(help="Name of a credential; with --private-key, of the new one")
    ] = None,
    private_key: PrivateKey = None,
    passphrase_file: PassphraseFile = None,
    jump_host: Annotated[
        str | None, typer.Option(help="Name of a host through which this one is reached")
    ] = None,
    certificate: CertificateFile = None,
    fingerprint: Annotated[
        str | None, typer.Option(help="Of the host's key: SHA256:…, as ssh-keygen -lf prints it")
    ] = None,
    known_hosts: Annotated[
        Path | None, typer.Option(help="A known_hosts file with its key; - is standard input")
    ] = None,
    target: Annotated[
        list[str] | None, typer.Option(help="Directory for tests; repeatable")
    ] = None,
    array: Annotated[str | None, typer.Option(help="Name of the targets' array")] = None,
    root_consent: Annotated[
        bool, typer.Option("--root-consent", help="Permit targets on the root file system")
    ] = False,
    probe_dir: Annotated[
        str | None,
        typer.Option(
            "--probe-directory", help="Directory on the host for the probe; default: ~/.cache/assay"
        ),
    ] = None,
    label: Annotated[list[str] | None, typer.Option(help="KEY=VALUE; repeatable")] = None,
    reference: Annotated[
        str | None, typer.Option(help="Asset, order or ticket in another system")
    ] = None,
    wait: Annotated[
        bool, typer.Option("--wait", help="Wait for the end of the first check")
    ] = False,
    timeout: Annotated[
        str | None, typer.Option(help='With --wait, at most so long, such as "2 min"')
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Register a host; with --wait, exit with 1 unless it is ready."""
    body: dict[str, Any] = {
        "name": name,
        "connection": "local" if address is None else "ssh",
        "labels": labels_of(label),
        "targets": [
            {"path": path, "array": array, "root_consent": root_consent} for path in target or []
        ],
        "probe_dir": probe_dir,
        "reference": reference,
        "fingerprint": fingerprint,
        "known_hosts": None if known_hosts is None else read(known_hosts),
    }
    if address is not None:
        body |= {"address": address, "port": port, "user": user, "jump_host": jump_host}
    if private_key is not None:
        body["new_credential"] = from_files(
            credential or name, private_key, passphrase_file, certificate
        )
    elif credential is not None:
        body["credential"] = credential
    limit_s = seconds_of("--timeout", timeout) if timeout is not None else LONGEST_CHECK_S
    with connected("admin", OPTIONS) as assay:
        host = _registered(assay, body, limit_s if wait else 0.0)
    say(host, *_lines(host), as_json=as_json)
    if wait and host.state != "ready":
        raise typer.Exit(1)


def _registered(assay: Assay, body: dict[str, Any], limit_s: float) -> HostOut:
    """Register the host and wait for its first check for at most `limit_s`."""
    until = time.monotonic() + limit_s
    first_s = min(limit_s, LONGEST_WAIT_S)
    host = assay.hosts.register(body, wait_s=first_s)
    while host.check and host.check.state not in CHECKED and time.monotonic() < until:
        time.sleep(POLL_S)
        host = assay.hosts.get(host.id)
    if limit_s and host.check and body["targets"] and host.check.error:
        error = host.check.error  # it was rejected after the first response
        message = f"{error.title}: {error.detail}\nHost {host.id} stays without targets."
        raise CommandError(message, exit_code=1)
    return host


def _lines(host: HostOut) -> Sequence[str]:
    """Return what a registration has come to."""
    key = host.offered_key
    return [
        f"host {host.id} {host.name}: {host.state}",
        *([host.state_reason] if host.state_reason else []),
        *([f"offered key: {key.type} {key.fingerprint}"] if key else []),
        *(f"target {target.id} {one_line(target.path)}" for target in host.targets),
    ]


@app.command()
def check(which: Host, as_json: AsJson = False) -> None:
    """Check a host: its key, the login, and its inventory; exit with 1 unless it is ready."""
    with connected() as assay:
        host = assay.hosts.check(which)
    reason = f": {host.state_reason}" if host.state_reason else ""
    say(host, f"host {host.id} {host.name} {host.state}{reason}", as_json=as_json)
    if host.state != "ready":
        raise typer.Exit(1)


@app.command()
def key(which: Host, as_json: AsJson = False) -> None:
    """Show the approved key of a host, and another one that it offered."""
    with connected("viewer") as assay:
        print_object(assay.hosts.keys(which), as_json=as_json)


@app.command()
def inventory(which: Host, as_json: AsJson = False) -> None:
    """Show the newest inventory of a host."""
    with connected("viewer") as assay:
        print_object(assay.hosts.inventory(which), as_json=as_json)


@app.command()
@filtered(OrderFilter)
def inventories(which: Host, query: dict[str, Any], as_json: AsJson = False) -> None:
    """List the inventories of a host, by default the newest first."""
    with connected("viewer") as assay:
        found = list(assay.hosts.inventories(which, **query))
    columns: Columns = {"id": "id", "taken (UTC)": "taken_at", "probe": "probe"}
    print_list(found, columns, as_json=as_json)


@app.command()
@json_only
def approve(
    which: Host,
    fingerprint: Annotated[str, typer.Argument(help="SHA256:…, as you verified it")],
) -> None:
    """Approve the key that a host offered; then check the host again."""
    with connected() as assay:
        print_json(assay.hosts.approve(which, fingerprint))

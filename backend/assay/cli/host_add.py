"""`assay host add`: registration of a host with its key, credential, labels and targets."""

import time
from pathlib import Path
from typing import Annotated, Any

import typer

from assay.cli.access import CertificateFile, PassphraseFile, PrivateKey, from_files
from assay.cli.client import connected, in_options
from assay.cli.console import AsJson, CommandError, output, print_json, shown, shown_line
from assay.cli.files import read
from assay.cli.labels import labels_of
from assay.cli.overrides import seconds_of
from assay.client import Assay
from assay.hosts.schemas import HostOut

POLL_S = 0.5
LONGEST_CHECK_S = 600.0

OPTIONS = {
    **{name: f"--{name}" for name in ("address", "port", "user", "credential", "fingerprint")},
    **{"credential_id": "--credential", "jump_host": "--jump-host", "known_hosts": "--known-hosts"},
    **{"private_key": "--private-key", "certificate": "--certificate", "array": "--array"},
    **{"root_consent": "--root-consent", "probe_dir": "--probe-directory", "path": "--target"},
}
"""The options by the fields of the request that they set."""


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
    if as_json:
        print_json(host)
    else:
        _print(host)
    if wait and host.state != "ready":
        raise typer.Exit(1)


def _registered(assay: Assay, body: dict[str, Any], limit_s: float) -> HostOut:
    """Register the host and wait for its first check for at most `limit_s`."""
    until = time.monotonic() + limit_s
    # not at the top: they import the database
    from assay.hosts.checks import ENDED
    from assay.hosts.registration import LONGEST_WAIT_S

    first_s = min(limit_s, LONGEST_WAIT_S)
    host = assay.hosts.register(body, wait_s=first_s)
    while host.check and host.check.state not in ENDED and time.monotonic() < until:
        time.sleep(POLL_S)
        host = assay.hosts.get(host.id)
    if limit_s and host.check and body["targets"] and host.check.error:
        error = host.check.error  # it was rejected after the first response
        said = in_options(f"{error.title}: {error.detail}", OPTIONS)
        message = f"{said}\nHost {host.id} stays without targets."
        raise CommandError(message, exit_code=1)
    return host


def _print(host: HostOut) -> None:
    output.print(shown(f"host {host.id} {host.name}: {host.state}"), highlight=False)
    if host.state_reason:
        output.print(shown(host.state_reason), highlight=False)
    if host.offered_key:
        key = host.offered_key
        output.print(shown(f"offered key: {key.type} {key.fingerprint}"), highlight=False)
    for target in host.targets:
        output.print(shown_line(f"target {target.id} {target.path}"), highlight=False)

"""`assay authority`, `assay credential` and `assay user`: who may reach hosts, and Assay."""

from pathlib import Path
from typing import Annotated

import typer

from assay.cli import objects
from assay.cli.client import connected
from assay.cli.console import CommandError, json_only, print_json
from assay.cli.files import read

authority = typer.Typer(help="Authorities that sign the keys of hosts.", no_args_is_help=True)
AUTHORITIES = "/host-authorities"
objects.add_list(
    authority,
    "host authorities",
    AUTHORITIES,
    {"id": "id", "name": "name", "hosts": "patterns", "fingerprint": "fingerprint"},
    "words",
)
objects.add_show(authority, "host authority", AUTHORITIES)
objects.add_change(authority, "host authority", AUTHORITIES)
objects.add_delete(
    authority, "host authority", AUTHORITIES, consequence="; its hosts need an approval then"
)


@authority.command()
@json_only
def add(
    name: Annotated[str, typer.Argument(help="Name of the authority")],
    public_key: Annotated[Path, typer.Argument(help="Its .pub file; - is standard input")],
    pattern: Annotated[
        list[str], typer.Option(help="Addresses of its hosts: *.storage.example; repeatable")
    ],
) -> None:
    """Trust an authority: hosts with its certificate need no approval."""
    body = {"name": name, "public_key": read(public_key).strip(), "patterns": pattern}
    with connected("admin") as assay:
        print_json(assay.post(AUTHORITIES, body))


credential = typer.Typer(help="Credentials for hosts.", no_args_is_help=True)
CREDENTIALS = "/credentials"
objects.add_list(
    credential,
    "credentials",
    CREDENTIALS,
    {"id": "id", "name": "name", "kind": "kind", "created (UTC)": "created_at"},
    *("kind", "words"),
)
objects.add_show(credential, "credential", CREDENTIALS)
objects.add_create(credential, "credential", CREDENTIALS, 'name="lab key" kind=generated')
objects.add_delete(credential, "credential", CREDENTIALS)


@credential.command()
@json_only
def renew(
    which: objects.Which,
    certificate: Annotated[
        Path | None,
        typer.Argument(help="The new SSH user certificate (-cert.pub); - is standard input"),
    ] = None,
    remove: Annotated[bool, typer.Option("--remove", help="Remove the certificate")] = False,
) -> None:
    """Replace or remove the SSH user certificate of a credential, and print it as JSON."""
    if (certificate is None) != remove:
        raise CommandError("Give the file of the new certificate, or --remove.")
    text = None if certificate is None else read(certificate).strip()
    with connected("admin") as assay:
        print_json(assay.credentials.renew(which, text))


user = typer.Typer(help="Users of the appliance.", no_args_is_help=True)
USERS = "/users"
objects.add_list(
    user,
    "users",
    USERS,
    {"id": "id", "name": "name", "role": "role", "disabled": "disabled"},
    *("role", "words"),
)
objects.add_show(user, "user", USERS)
objects.add_create(user, "user", USERS, "name=ada role=operator password=@-")
objects.add_change(user, "user", USERS)
objects.add_delete(user, "user", USERS)

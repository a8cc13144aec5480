"""`assay authority`, `assay credential` and `assay user`: who may reach hosts, and Assay."""

from pathlib import Path
from typing import Annotated, Any

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
objects.add_delete(credential, "credential", CREDENTIALS)

PrivateKey = Annotated[Path | None, typer.Option(help="Create a credential from this file")]
PassphraseFile = Annotated[
    Path | None, typer.Option(help="Of the private key; - is standard input")
]
CertificateFile = Annotated[
    Path | None, typer.Option(help="SSH user certificate of the private key (-cert.pub)")
]


def from_files(
    name: str, private_key: Path, passphrase: Path | None, certificate: Path | None
) -> dict[str, Any]:
    """Return the body of a credential with the contents of these files; raises CommandError."""
    return {
        "name": name,
        "kind": "private_key",
        "private_key": read(private_key),
        "passphrase": None if passphrase is None else read(passphrase).rstrip("\n"),
        "certificate": None if certificate is None else read(certificate),
    }


@credential.command("add")
@json_only
def add_credential(
    given: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME|FIELD=VALUE...",
            help="With --private-key a name; otherwise fields of the API",
        ),
    ],
    private_key: PrivateKey = None,
    passphrase_file: PassphraseFile = None,
    certificate: CertificateFile = None,
) -> None:
    """Create a credential, such as: "lab key" --private-key ~/.ssh/id, or name=lab kind=generated.

    Fields of the API are kind (private_key, password, generated), name, password=@FILE and others.
    """
    if private_key is None:
        if passphrase_file or certificate:
            raise CommandError("Give --private-key, which the passphrase or certificate is for.")
        body = objects.fields_of(given)
    elif len(given) == 1:
        name = given[0].removeprefix("name=")
        body = from_files(name, private_key, passphrase_file, certificate)
    else:
        raise CommandError("With --private-key, give the name of the credential and nothing else.")
    with connected("admin") as assay:
        print_json(assay.post(CREDENTIALS, body))


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

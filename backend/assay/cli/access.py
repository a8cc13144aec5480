"""`assay authority`, `assay credential` and `assay user`: who may reach hosts, and Assay."""

from pathlib import Path
from typing import Annotated, Any

import typer

from assay.base.nouns import AUTHORITY, CREDENTIAL, USER
from assay.cli.arguments import fields_of, read
from assay.cli.connection import connected
from assay.cli.console import CommandError, json_only, print_json
from assay.cli.nouns import argument, group

authority = group(AUTHORITY)
credential = group(CREDENTIAL)
user = group(USER)

PrivateKey = Annotated[Path | None, typer.Option(help="Create a credential from this file")]
PassphraseFile = Annotated[
    Path | None, typer.Option(help="Of the private key; - is standard input")
]
CertificateFile = Annotated[
    Path | None, typer.Option(help="SSH user certificate of the private key (-cert.pub)")
]


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
        print_json(assay.host_authorities.create(body))


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
        body = fields_of(given)
    elif len(given) == 1:
        name = given[0].removeprefix("name=")
        body = from_files(name, private_key, passphrase_file, certificate)
    else:
        raise CommandError("With --private-key, give the name of the credential and nothing else.")
    with connected("admin") as assay:
        print_json(assay.credentials.create(body))


@credential.command()
@json_only
def renew(
    which: Annotated[str, argument(CREDENTIAL)],
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

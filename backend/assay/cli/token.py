"""`assay token`: API tokens; and `assay whoami`."""

import os
import sys
from collections.abc import Sequence
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import ValidationError

from assay.api.tokens.schemas import NewToken, TokenIn, TokenOut
from assay.base.field_errors import from_pydantic
from assay.base.identity import SCOPES, Role, lowest_role
from assay.base.nouns import TOKEN
from assay.base.words import listed, size
from assay.cli import connection
from assay.cli.arguments import labels_of, quantity, read
from assay.cli.connection import address, connected, is_addressed
from assay.cli.console import AsJson, CommandError, print_json, say
from assay.cli.nouns import group
from assay.client import Assay, AssayError
from assay.client.access import logged_in
from assay.client.transport import parsed


def _labels(token: TokenOut) -> str:
    return ", ".join(f"{key}={value}" for key, value in token.target_labels.items())


def _bytes(token: TokenOut) -> str:
    used = size(token.used.bytes_today)
    return used if token.bytes_per_day is None else f"{used} of {size(token.bytes_per_day)}"


def _campaigns(token: TokenOut) -> str:
    used = str(len(token.used.campaign_ids))
    return used if token.campaigns_at_once is None else f"{used} of {token.campaigns_at_once}"


def _day(at: datetime | None) -> str:
    return f"{at:%Y-%m-%d}" if at else "never"


def _others(assay: Assay, query: dict[str, Any]) -> Sequence[TokenOut]:
    """Return the tokens without the one that exists only as long as this command."""
    most = query.pop("most", None)
    own = None if is_addressed() else assay.me().api_token
    found = assay.tokens.list(**query)
    return list(islice((one for one in found if own is None or one.id != own.id), most))


app = group(
    TOKEN,
    {
        "scopes": lambda token: " ".join(token.scopes),
        "targets": _labels,
        "used today": _bytes,
        "active": _campaigns,
        "last used": lambda token: _day(token.last_used_at),
        "expires": lambda token: _day(token.expires_at),
    },
    _others,
)


@app.command()
def create(  # noqa: PLR0917 (options, each given by name)
    name: Annotated[str, typer.Option(help="Purpose of the token")],
    role: Annotated[
        Role | None,
        typer.Option(help="viewer, operator or admin; by default the lowest that the scopes need"),
    ] = None,
    scope: Annotated[
        list[str] | None,
        typer.Option(
            help=f"What it may do of its role, by default everything: {', '.join(SCOPES)}; "
            "repeatable"
        ),
    ] = None,
    label: Annotated[
        list[str] | None,
        typer.Option(help="KEY=VALUE that a target needs for it to launch there; repeatable"),
    ] = None,
    bytes_per_day: Annotated[
        str | None, typer.Option(help="How much its campaigns of a day may write, such as 2TB")
    ] = None,
    campaigns: Annotated[
        int | None, typer.Option(min=1, help="How many of its campaigns may be active or queued")
    ] = None,
    days: Annotated[int, typer.Option(min=1, max=3650, help="Days until it expires")] = 90,
    user: Annotated[
        str | None,
        typer.Option(
            help="Your login at ASSAY_URL, for a token cannot create tokens; by default asked for"
        ),
    ] = None,
    password_file: Annotated[
        Path | None,
        typer.Option(help="File with its password, - is standard input; by default asked for"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Create a token and print it; it is shown only once.

    With ASSAY_URL or --user it is created as your login may, else in the local database.
    """
    if role is None and not scope:
        raise CommandError("Give --role, or one --scope or more.")
    for one in scope or ():
        if one not in SCOPES:
            raise CommandError(f"--scope: {one!r} is unknown. Use {', '.join(SCOPES)}.")
    given: dict[str, Any] = {
        "name": name,
        "role": role or lowest_role(one for one in SCOPES if one in (scope or ())),
        "scopes": scope or None,
        "target_labels": labels_of(label),
        "bytes_per_day": None
        if bytes_per_day is None
        else round(quantity("--bytes-per-day", bytes_per_day, "size")),
        "campaigns_at_once": campaigns,
        "expires_in_days": days,
    }
    try:
        wanted = TokenIn.model_validate(given)
    except ValidationError as error:
        found = from_pydantic(error.errors())
        lines = ["; ".join(map(str, found)), *(f"  {one.field}: {one.remedy}" for one in found)]
        raise CommandError("\n".join(lines)) from error
    if user is not None or os.environ.get("ASSAY_URL"):
        made, token = _as_a_person(wanted, user, password_file)
    elif password_file is not None:
        raise CommandError("--password-file is only for --user. Add --user, or leave it out.")
    else:
        from assay.cli.local.tokens import create as create_here  # it imports the database

        made, token = create_here(wanted)
    if as_json:
        print_json({**dict(made), "token": token})
    else:
        typer.echo(token)


def _as_a_person(
    wanted: TokenIn, user: str | None, password_file: Path | None
) -> tuple[TokenOut, str]:
    """Create a token as a user of the appliance; return it and its secret."""
    if password_file is not None:
        # standard input keeps the \r of a file with Windows line ends
        password = read(password_file).removesuffix("\n").removesuffix("\r")
    elif not sys.stdin.isatty():
        raise CommandError(_login_missing(user))
    else:
        user = user or typer.prompt(f"Login at {address()}", err=True)
        password = typer.prompt("Password", hide_input=True, err=True)
    if user is None:
        raise CommandError("--password-file is the password of a login. Give its name by --user.")
    try:
        with logged_in(address(), user, password, connection.PATIENCE_S) as assay:
            found = parsed(NewToken, assay.post("/tokens", wanted))
    except AssayError as error:
        raise CommandError(str(error)) from error
    return found, found.token


def _login_missing(user: str | None) -> str:
    """Return what to give for a login where nobody can be asked."""
    missing = "--user and --password-file" if user is None else "--password-file"
    ways = [f"Give {missing}", "run this in a terminal"]
    if os.environ.get("ASSAY_URL"):
        ways.append("unset ASSAY_URL on the appliance's machine to create a token in its database")
    said = listed(ways, "or")
    return f"At {address()} only a person can create tokens, by name and password. {said}."


def whoami(as_json: AsJson = False) -> None:
    """Show what the token in ASSAY_TOKEN may do, and what it has used of its limits."""
    with connected("admin") as assay:
        me = assay.me()
    lines = [f"name: {me.name}", f"role: {me.role}", f"scopes: {', '.join(me.scopes) or 'none'}"]
    if (token := me.api_token) is not None:
        labels, expires = _labels(token), token.expires_at
        lines += [
            f"launches on: {f'targets with {labels}' if labels else 'any target'}",
            f"written today: {_bytes(token)}",
            f"active campaigns: {_campaigns(token)}",
            f"expires: {f'{expires:%Y-%m-%d %H:%M} UTC' if expires else 'never'}",
        ]
    say(me, *lines, as_json=as_json)

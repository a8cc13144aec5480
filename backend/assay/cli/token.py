"""`assay token`: API tokens, of an appliance or in its database; and `assay whoami`."""

import os
import sys
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import ValidationError

from assay.accounts.roles import Role
from assay.accounts.scopes import SCOPES, lowest_role
from assay.analysis.words import listed, size
from assay.cli import client, objects
from assay.cli.client import OPERATING_SYSTEM, address, connected, is_addressed
from assay.cli.console import AsJson, CommandError, output, print_json, print_list, shown
from assay.cli.files import read
from assay.cli.filters import filtered
from assay.cli.labels import labels_of
from assay.cli.overrides import bytes_of
from assay.client import AssayError
from assay.client.login import logged_in
from assay.client.transport import parsed
from assay.http.field_errors import from_pydantic
from assay.tokens.schemas import NewToken, TokenIn, TokenOut

app = typer.Typer(help="API tokens.", no_args_is_help=True)


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
        else bytes_of("--bytes-per-day", bytes_per_day),
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
        made, token = _in_the_database(wanted, days)
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
        with logged_in(address(), user, password, client.PATIENCE_S) as assay:
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


def _in_the_database(wanted: TokenIn, days: int) -> tuple[TokenOut, str]:
    """Create a token in the local database; return it and its secret."""
    from assay.accounts.tokens import issue
    from assay.db.database import writing
    from assay.tokens.queries import shapes

    with writing() as session:
        row, token = issue(
            session,
            OPERATING_SYSTEM,
            wanted.name,
            wanted.role,
            timedelta(days=days),
            limits=wanted.limits,
        )
        return shapes(session, [row])[0], token


objects.add_show(app, "token", "/tokens")
objects.add_delete(app, "token", "/tokens", consequence="; its campaigns continue")


@app.command("list")
@filtered("role", "words")
def list_tokens(query: dict[str, Any], as_json: AsJson = False) -> None:
    """List tokens with their scopes and limits, and what they used today; without secrets."""
    tokens = _from_the_api(query) if query or is_addressed() else _from_the_database()
    columns = ("id", "name", "scopes", "targets", "used today", "active", "last used", "expires")
    print_list(tokens, columns, _row, as_json=as_json)


def whoami(as_json: AsJson = False) -> None:
    """Show what the token in ASSAY_TOKEN may do, and what it has used of its limits."""
    with connected("admin") as assay:
        me = assay.me()
    if as_json:
        print_json(me)
        return
    lines = [f"name: {me.name}", f"role: {me.role}", f"scopes: {', '.join(me.scopes) or 'none'}"]
    if (token := me.api_token) is not None:
        labels, expires = _labels(token), token.expires_at
        lines += [
            f"launches on: {f'targets with {labels}' if labels else 'any target'}",
            f"written today: {_bytes(token)}",
            f"active campaigns: {_campaigns(token)}",
            f"expires: {f'{expires:%Y-%m-%d %H:%M} UTC' if expires else 'never'}",
        ]
    for line in lines:
        output.print(shown(line), highlight=False)


def _from_the_api(query: dict[str, Any]) -> list[TokenOut]:
    with connected("admin") as assay:
        return list(assay.tokens.list(**query))


def _from_the_database() -> list[TokenOut]:
    from sqlalchemy import select

    from assay.accounts.models import ApiToken
    from assay.db.database import reading
    from assay.tokens.queries import shapes

    with reading() as session:
        rows = session.scalars(select(ApiToken).order_by(ApiToken.id.desc())).all()
        return shapes(session, rows)


def _row(token: TokenOut) -> Sequence[str]:
    return (
        str(token.id),
        token.name,
        " ".join(token.scopes),
        _labels(token),
        _bytes(token),
        _campaigns(token),
        f"{token.last_used_at:%Y-%m-%d}" if token.last_used_at else "never",
        f"{token.expires_at:%Y-%m-%d}" if token.expires_at else "never",
    )


def _labels(token: TokenOut) -> str:
    return ", ".join(f"{key}={value}" for key, value in token.target_labels.items())


def _bytes(token: TokenOut) -> str:
    used = size(token.used.bytes_today)
    return used if token.bytes_per_day is None else f"{used} of {size(token.bytes_per_day)}"


def _campaigns(token: TokenOut) -> str:
    used = str(len(token.used.campaign_ids))
    return used if token.campaigns_at_once is None else f"{used} of {token.campaigns_at_once}"

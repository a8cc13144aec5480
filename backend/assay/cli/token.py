"""`assay token`: create API tokens with direct access to the database."""

import os
from datetime import timedelta
from typing import Annotated

import typer
from pydantic import ValidationError

from assay.accounts.roles import Role
from assay.accounts.schemas import TokenIn, TokenOut
from assay.accounts.tokens import issue
from assay.cli.client import OPERATING_SYSTEM
from assay.cli.console import AsJson, CommandError, print_json
from assay.db.database import writing
from assay.http.field_errors import from_pydantic

app = typer.Typer(help="API tokens.", no_args_is_help=True)


@app.command()
def create(
    role: Annotated[Role, typer.Option(help="viewer, operator or admin")],
    name: Annotated[str, typer.Option(help="Purpose of the token")],
    days: Annotated[int, typer.Option(min=1, max=3650, help="Days until it expires")] = 90,
    as_json: AsJson = False,
) -> None:
    """Create a token and print it; it is shown only once."""
    try:
        TokenIn(name=name, role=role, expires_in_days=days)
    except ValidationError as error:
        raise CommandError("; ".join(map(str, from_pydantic(error.errors())))) from error
    if "ASSAY_URL" in os.environ:
        raise CommandError(
            f"ASSAY_URL is {os.environ['ASSAY_URL']}, where only a signed-in person can create "
            "tokens: use Settings, Tokens there. Unset it to create one in the local database."
        )
    with writing() as session:
        row, token = issue(session, OPERATING_SYSTEM, name, role, timedelta(days=days))
        made = TokenOut.model_validate(row).model_dump() | {"token": token}
    if as_json:
        print_json(made)
    else:
        typer.echo(token)

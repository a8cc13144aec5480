"""The connection of the command line.

It authenticates with `ASSAY_TOKEN` (and `ASSAY_URL` for another machine). Without them, it creates
a temporary token in the local database.
"""

import os
import re
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from datetime import timedelta
from types import MappingProxyType

from assay.accounts.identity import Identity
from assay.accounts.roles import Role
from assay.cli.console import CommandError, errors, shown
from assay.client import ApiError, Assay, AssayError
from assay.settings import settings

LONGEST_COMMAND = timedelta(days=7)

PATIENCE_S = 5.0
"""A person at a terminal wants to know soon that the appliance is stopped."""

LISTED = frozenset(
    {
        *("array", "campaign", "credential", "host", "profile", "run", "schedule", "target"),
        *("token", "tool", "user", "webhook"),
    }
)
"""What commands such as `assay target list` list."""

OPERATING_SYSTEM = Identity("command line", "admin", "local")
"""Access to the database grants all permissions."""


def is_addressed() -> bool:
    """Return whether the environment names an appliance or a token."""
    return bool(os.environ.get("ASSAY_URL") or os.environ.get("ASSAY_TOKEN"))


@contextmanager
def connected(
    role: Role = "operator", options: Mapping[str, str] = MappingProxyType({})
) -> Generator[Assay]:
    """Provide a connection while the block runs; its errors become errors of the command.

    `role` is that of a temporary token. Errors name `options`, by the fields that they set.
    """
    try:
        with (
            _token(role) as token,
            Assay(address(), token, patience_s=PATIENCE_S, on_replay=_say_replayed) as assay,
        ):
            yield assay
    except AssayError as error:
        fields = [one.field for one in error.fields] if isinstance(error, ApiError) else []
        raise CommandError(in_options(str(error), options, fields)) from error


def in_options(text: str, options: Mapping[str, str], fields: Iterable[str] = ()) -> str:
    """Return the text of an error of `fields` with options in place of the fields they set."""
    for name, option in options.items():
        text = text.replace(f"send {name}: true", f"pass {option}")
    for field in fields:
        if option := options.get(field.rpartition(".")[2]):
            text = renamed(text, field, option)
    return with_commands(text)


def renamed(text: str, field: str, option: str) -> str:
    """Return the text of an error with an option in place of a field.

    Only where a sentence begins: elsewhere `name` or `user` is a word.
    """
    begin = rf"(?m)(^\s*|[:;] ){re.escape(field)}(?= is |[.:])"
    return re.sub(begin, lambda found: f"{found[1]}{option}", text)


def with_commands(text: str) -> str:
    """Return the text of an error with `assay target list` in place of `GET /api/v1/targets`."""

    def command(found: re.Match[str]) -> str:
        return f"`assay {found[1]} list`" if found[1] in LISTED else found[0]

    return re.sub(r"GET /api/v1/([a-z]+)s(?= lists them)", command, text)


def _say_replayed(key: str) -> None:
    errors.print(
        shown(
            f"An earlier request with the key {key!r} was executed: this is its response, and "
            "nothing was created now. Use another key for a new request."
        ),
        highlight=False,
        soft_wrap=True,
    )


def address() -> str:
    """Return the address of the appliance: `ASSAY_URL`, or that of this machine."""
    configured = settings()
    local = f"http://{configured.host}:{configured.port}"
    return (os.environ.get("ASSAY_URL") or local).rstrip("/")


@contextmanager
def _token(role: Role) -> Generator[str]:
    """Provide the token of the environment, or a temporary one."""
    if given := os.environ.get("ASSAY_TOKEN"):
        yield given
        return
    if os.environ.get("ASSAY_URL"):
        raise CommandError(
            "ASSAY_URL is set, but ASSAY_TOKEN is not. Create a token there and set it."
        )
    # not needed, and slow to import, with a token
    from assay.accounts.models import ApiToken
    from assay.accounts.tokens import issue, revoke
    from assay.db.database import writing

    with writing() as session:
        row, token = issue(session, OPERATING_SYSTEM, OPERATING_SYSTEM.actor, role, LONGEST_COMMAND)
    try:
        yield token
    finally:
        with writing() as session:
            revoke(session, OPERATING_SYSTEM, session.get_one(ApiToken, row.id))

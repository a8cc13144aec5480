"""The connection of the command line.

It authenticates with `ASSAY_TOKEN` (and `ASSAY_URL` for another machine). Without them, it creates
a temporary token in the local database.
"""

import os
from collections.abc import Callable, Generator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from types import MappingProxyType

from assay.base.errors import FieldProblem
from assay.base.identity import Role
from assay.base.nouns import NOUNS
from assay.base.settings import settings
from assay.cli.console import CommandError, errors, shown
from assay.client import ApiError, Assay, AssayError

PATIENCE_S = 5.0
"""A person at a terminal wants to know soon that the appliance is stopped."""

LISTS = {noun.path: f"`assay {name} list`" for name, noun in NOUNS.items()}
"""The commands in place of lists of the API."""


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
        said = in_options(error, lambda field: options.get(field.rpartition(".")[2]))
        raise CommandError(said) from error


def in_options(error: AssayError, option: Callable[[str], str | None]) -> str:
    """Return the text of an error with options in place of fields, and with commands.

    `option` returns the option that sets a field, if one does.
    """
    if not isinstance(error, ApiError):
        return str(error)
    return error.text(
        [
            one.model_copy(update={"field": option(one.field) or one.field, "remedy": _remedy(one)})
            for one in error.fields
        ]
    )


def _remedy(problem: FieldProblem) -> str | None:
    """Return what to do about a field: `assay target list` in place of `GET /api/v1/targets`."""
    command = LISTS.get(f"/{problem.listed_in}")
    return f"{command} lists them." if command else problem.remedy


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


def _token(role: Role) -> AbstractContextManager[str]:
    """Provide the token of the environment, or a temporary one."""
    if given := os.environ.get("ASSAY_TOKEN"):
        return nullcontext(given)
    if os.environ.get("ASSAY_URL"):
        raise CommandError(
            "ASSAY_URL is set, but ASSAY_TOKEN is not. Create a token there and set it."
        )
    from assay.cli.local.tokens import temporary  # slow to import, and not needed with a token

    return temporary(role)

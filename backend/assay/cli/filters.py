"""Options that the commands which list or export share: filters, order and length."""

import inspect
from collections.abc import Callable
from contextvars import ContextVar
from typing import Annotated, Any, Literal

import typer

Command = Callable[..., None]

Repeatable = list[str] | None

PLACES = ("host", "array", "target")
"""Filters that take a name, or the id also of what was deleted, whose results are kept."""

API_NAMES = {"campaign": "campaign_id", "since": "from", "until": "to", "words": "q"}
"""The parameters of the API that are named differently; `most` is no parameter, but the length."""

OPTIONS: dict[str, Any] = {
    "campaign": Annotated[int | None, typer.Option(help="Id")],
    "host": Annotated[str | None, typer.Option(help="Name or id")],
    "array": Annotated[str | None, typer.Option(help="Name or id")],
    "target": Annotated[str | None, typer.Option(help="HOST/PATH, path, name or id")],
    "profile": Annotated[str | None, typer.Option(help="Name or slug, in any version")],
    "schedule": Annotated[
        str | None, typer.Option(help="Name or id of the schedule that launched them")
    ],
    "kind": Annotated[Repeatable, typer.Option(help="Kind; repeatable")],
    "state": Annotated[Repeatable, typer.Option(help="Repeatable")],
    "verdict": Annotated[Repeatable, typer.Option(help="Repeatable")],
    "outcome": Annotated[Repeatable, typer.Option(help="Repeatable")],
    "event": Annotated[Repeatable, typer.Option(help="Name of an event; repeatable")],
    "role": Annotated[Repeatable, typer.Option(help="Repeatable")],
    "label": Annotated[
        Repeatable, typer.Option(help="KEY=VALUE, or KEY with any value; repeatable")
    ],
    "actor": Annotated[str | None, typer.Option(help="Name of a user")],
    "enabled": Annotated[bool | None, typer.Option("--enabled/--disabled", help="Only those")],
    "builtin": Annotated[bool | None, typer.Option("--builtin/--own", help="Only those")],
    "slug": Annotated[str | None, typer.Option(help="All versions of the profile of this slug")],
    "since": Annotated[str | None, typer.Option("--from", help="At or after this date or time")],
    "until": Annotated[str | None, typer.Option("--to", help="Before this date or time")],
    "words": Annotated[str | None, typer.Option(help="Words of the name")],
    "sort": Annotated[str | None, typer.Option(help="Field of the API; - before it reverses it")],
    "most": Annotated[int | None, typer.Option("--limit", min=1, help="Maximum number of rows")],
}
"""The type and the option of each filter, of the order and of the length."""

WIDE = ContextVar("WIDE", default=False)
"""Whether lists show all columns, and whole texts."""

Output = Annotated[
    Literal["wide"] | None,
    typer.Option("-o", "--output", help="wide: all columns, and nothing is truncated"),
]

OF_RUNS = (
    *(*PLACES, "profile", "schedule", "kind", "state", "verdict"),
    *("label", "since", "until", "words"),
)
"""The filters of runs, and of campaigns by their runs."""


def filtered(
    *names: str, sort: str | None = None, most: int | None = None, ordered: bool = True
) -> Callable[[Command], Command]:
    """Give a command the options with these names, and unless not `ordered` order and length.

    It takes those that are given as `query`: parameters of the API, and `most`.
    """

    def decorate(command: Command) -> Command:
        defaults = dict.fromkeys(names) | ({"sort": sort, "most": most} if ordered else {})
        options = {name: (OPTIONS[name], default) for name, default in defaults.items()}

        def called(**given: Any) -> None:
            chosen = {name: given.pop(name) for name in options}
            command(query=_query(chosen), **given)

        found = with_options(called, command, options, without="query")
        return widening(found) if ordered else found

    return decorate


def widening(command: Command) -> Command:
    """Give a command that prints lists the option `-o wide`."""

    def called(**given: Any) -> None:
        shown = WIDE.set(given.pop("output_format") is not None)
        try:
            command(**given)
        finally:
            WIDE.reset(shown)

    return with_options(called, command, {"output_format": (Output, None)})


def with_options(
    called: Command, command: Command, options: dict[str, tuple[Any, Any]], *, without: str = ""
) -> Command:
    """Return `called` with the signature of `command`, and these options with their defaults.

    Typer makes arguments and options of a signature. `without` is a parameter that is none.
    """
    keyword = inspect.Parameter.KEYWORD_ONLY
    own = [
        one.replace(kind=keyword)
        for one in inspect.signature(command).parameters.values()
        if one.name != without
    ]
    added = [
        inspect.Parameter(name, keyword, default=default, annotation=annotation)
        for name, (annotation, default) in options.items()
    ]
    positions = [*(one for one in own if one.default is one.empty), *added]
    positions += [one for one in own if one.default is not one.empty]
    called.__name__, called.__doc__ = command.__name__, command.__doc__
    called.__dict__["__signature__"] = inspect.Signature(positions)
    return called


def _query(chosen: dict[str, Any]) -> dict[str, Any]:
    """Return options as parameters of the API, without those that are not given."""
    found: dict[str, Any] = {}
    for name, value in chosen.items():
        if name in PLACES:
            found |= named(name, value)
        elif value is not None:
            found[API_NAMES.get(name, name)] = value
    return found


def named(noun: str, wanted: str | None) -> dict[str, str | int]:
    """Return a field or filter by name; by id also for what was deleted, whose results are kept."""
    if wanted is None:
        return {}
    return {f"{noun}_id": int(wanted)} if wanted.isdecimal() else {noun: wanted}

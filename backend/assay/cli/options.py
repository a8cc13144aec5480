"""Options that commands share: filters, order and length of lists, and those of several."""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

import typer

from assay.base.words import listed

Command = Callable[..., None]

Option = tuple[Any, Any]
"""The type of an option, which describes it, and its default."""

PLACES = ("host", "array", "target")
"""Filters that take a name, or the id also of what was deleted, whose results are kept."""

API_NAMES = {"campaign": "campaign_id", "since": "from", "until": "to", "words": "q"}
"""The parameters of the API that are named differently; `most` is no parameter, but the length."""

HELP: Mapping[str, tuple[str, ...]] = {
    "campaign": ("Id",),
    "host": ("Name or id",),
    "array": ("Name or id",),
    "target": ("HOST/PATH, path, name or id",),
    "profile": ("Name or slug, in any version",),
    "slug": ("All versions of the profile of this slug",),
    "schedule": ("Name or id of the schedule that launched them",),
    "kind": ("Kind",),
    **dict.fromkeys(("state", "outcome", "verdict", "event", "role"), ()),
    "enabled": ("Only those", "--enabled/--disabled"),
    "builtin": ("Only those", "--builtin/--own"),
    "needs_attention": ("Only those", "--needs-attention/--needs-no-attention"),
    "label": ("KEY=VALUE, or KEY with any value",),
    "actor": ("Name of a user",),
    "since": ("At or after this date or time", "--from"),
    "until": ("Before this date or time", "--to"),
    "words": ("Words of the name",),
}
"""The help of each filter, in their order, and its name as an option, if that differs.

By default, the help is the values.
"""

SORT = Annotated[str | None, typer.Option(help="Field of the API; - before it reverses it")]
MOST = Annotated[int | None, typer.Option("--limit", min=1, help="Maximum number of rows")]

WIDE = ContextVar("WIDE", default=False)
"""Whether lists show all columns, and whole texts."""

Output = Annotated[
    Literal["wide"] | None,
    typer.Option("-o", "--output", help="wide: all columns, and nothing is truncated"),
]


def filters_of(resource: type) -> type:
    """Return the filters of the list of what the client has, as the type of its arguments."""
    (filters,) = get_args(get_type_hints(vars(resource)["list"])["where"])
    return filters


def filtered(
    filters: type, *, sort: str | None = None, most: int | None = None, ordered: bool = True
) -> Callable[[Command], Command]:
    """Give a command the options of these filters, and unless not `ordered` order and length.

    It takes those that are given as `query`: parameters of the API, and `most`.
    """

    def decorate(command: Command) -> Command:
        options = {name: (option, None) for name, option in _options(filters)}
        if ordered:
            options |= {"sort": (SORT, sort), "most": (MOST, most)}

        def called(**given: Any) -> None:
            chosen = {name: given.pop(name) for name in options}
            command(query=_query(chosen), **given)

        found = with_options(called, command, options, without="query")
        return widening(found) if ordered else found

    return decorate


def _options(filters: type) -> Iterator[tuple[str, Any]]:
    """Yield the name and the option of each filter."""
    hints = get_type_hints(filters)
    for name, words in HELP.items():
        hint = hints.get(name, hints.get(API_NAMES.get(name, name)))
        if hint is None:
            continue
        said, *names = words or ("",)
        several = any(get_origin(part) is Sequence for part in get_args(hint))
        values = [one for part in (hint, *get_args(hint)) for one in _values(part)]
        said = said or listed(values, "or")
        said = f"{said}; repeatable" if several else said
        choices = completion(values) if values else None
        option = typer.Option(*names, help=said, autocompletion=choices)
        kind = hint if hint in (int, bool) else list[str] if several else str
        yield name, Annotated[kind | None, option]


def _values(hint: Any) -> Sequence[str]:
    return get_args(hint) if get_origin(hint) is Literal else ()


def completion(values: Sequence[str]) -> Callable[[str], list[str]]:
    """Return what completes one of these values."""

    def complete(incomplete: str) -> list[str]:
        return [one for one in values if one.startswith(incomplete)]

    return complete


def several(said: str, *names: str, **how: Any) -> Option:
    """Return an option that takes several values."""
    option = typer.Option(*names, help=f"{said}; repeatable", **how)
    return Annotated[list[str] | None, option], None


def text(said: str) -> Option:
    """Return an option that takes a text."""
    return Annotated[str | None, typer.Option(help=said)], None


def flag(name: str, said: str) -> Option:
    """Return an option that is given or not."""
    return Annotated[bool, typer.Option(name, help=said)], False


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
    called: Command, command: Command, options: Mapping[str, Option], *, without: str = ""
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

"""What `show` prints: an object of the API as text for people.

A field's name says its unit, as in the API: `free_bytes` is a size, `rate_bytes_per_s` a rate.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from math import isfinite
from typing import Any, cast

import typer
from pydantic_core import to_jsonable_python

from assay.base import words
from assay.base.printable import one_line, printable
from assay.base.worded import Part, Quantity, plain
from assay.cli.console import minute, print_json
from assay.kinds.headline import sentences

NOT_SHOWN = {
    *("etag", "links", "histogram", "percentiles", "result"),
    *("parameters", "conditions", "hello", "headline_levels"),
}
"""Long fields, and those for programs."""

MOST_VALUES = 12
"""Values of a longer list are counted: they are for programs."""

INDENT = "  "

DIMENSIONS = frozenset(Quantity.__annotations__)

VERBATIM = {"labels", "target_labels"}
"""Fields whose own fields are named by users: they say no unit, and none is left out."""


def _figure(number: float) -> str:
    """Return an integer exactly, and another number with three significant digits."""
    if isinstance(number, int):
        return str(number)
    if not isfinite(number):
        return str(number)
    exact = Decimal(f"{number + 0.0:.3g}")
    return words.grouped(float(exact)) if abs(exact) >= 1000 else f"{exact:f}"


UNITS: Mapping[str, Callable[[Any], str]] = {
    "bytes_per_s": words.rate,
    "_bits_per_s": words.bit_rate,
    "_per_s": lambda value: f"{words.frequency(value)}/s",
    "bytes": words.size,
    "_ns": lambda value: words.duration(value) if value else "0 s",
    "_ms": lambda value: words.span(round(value * 10**6)),
    "_s": lambda value: words.span(round(value * 10**9)),
    "_percent": lambda value: f"{_figure(value)} %",
}
"""How numbers above 0 and 0 are written, by the end of a field's name; the first that fits."""

SIZE_BEGINS = "bytes_"
"""The beginning of the names of other sizes, such as `bytes_read`."""

_TIME = re.compile(r"\d{4}-\d\d-\d\dT[0-9:.]+(?:Z|\+00:00)")


def print_object(found: object, *, as_json: bool, without: str = "") -> None:
    """Print an object of the API as JSON or as text; the text omits the field `without`."""
    if as_json:
        print_json(found)
        return
    document = cast("dict[str, Any]", to_jsonable_python(found))
    for line in lines({name: document[name] for name in document if name != without}):
        typer.echo(line)


def lines(document: Mapping[str, Any]) -> Iterator[str]:
    """Yield the fields that have a value, nested ones indented."""
    said_twice = {"state_reason"} if document.get("error") else set[str]()
    for name, value in document.items():
        if name not in NOT_SHOWN | said_twice:
            yield from _field(name, value)


def _field(name: str, value: object) -> Iterator[str]:
    if value is None or value in ("", [], {}):
        return
    label, said = _scalar(name, value)
    if name == "headline":
        said = " ".join(sentences(cast("Mapping[str, Any]", value)))
    if said is not None:
        first, *others = said.split("\n")
        yield f"{label}: {first}" if not others else f"{label}:"
        yield from (f"{INDENT}{line}" for line in (first, *others) if others)
        return
    yield f"{label}:"
    if name in VERBATIM:
        yield from _verbatim(cast("Mapping[str, object]", value))
        return
    if isinstance(value, Mapping):
        yield from (INDENT + line for line in lines(cast("Mapping[str, Any]", value)))
        return
    for item in cast("Sequence[Mapping[str, Any]]", value):
        for number, line in enumerate(lines(item)):
            yield f"{INDENT}{INDENT if number else '- '}{line}"


def _verbatim(named: Mapping[str, object]) -> Iterator[str]:
    """Yield labels, or those of several objects by their noun, indented."""
    for key, value in named.items():
        if isinstance(value, Mapping):
            yield f"{INDENT}{one_line(key)}:"
            yield from (INDENT + line for line in _verbatim(cast("Mapping[str, object]", value)))
        else:
            yield f"{INDENT}{one_line(key)}: {one_line(str(value))}".rstrip()


def _scalar(name: str, value: object) -> tuple[str, str | None]:
    """Return a field's label and its value in words; None if it has fields or items itself."""
    said: str | None = None
    match value:
        case bool():
            said = "yes" if value else "no"
        case int() | float():
            name, said = _number(name, value)
        case str() if _TIME.fullmatch(value):
            said = f"{minute(value)} UTC"
        case str():
            said = printable(value).rstrip("\n")
        case list():
            name, said = _listed(name, cast("list[object]", value))
        case _:
            pass
    return one_line(name.replace("_", " ")), said


def _number(name: str, value: float) -> tuple[str, str]:
    """Return the name of a field without its unit, and its value with it."""
    end = next((end for end in UNITS if name.endswith(end)), "")
    write = UNITS.get(end) or (UNITS["bytes"] if name.startswith(SIZE_BEGINS) else _figure)
    said = f"{'-' * (value < 0)}{write(abs(value))}" if isfinite(value) else str(value)
    rated = "rate" if end == "bytes_per_s" else ""
    name = name.removesuffix(end).rstrip("_") or rated or end
    return name if name.endswith(rated) else f"{name}_{rated}", said


def _listed(name: str, values: list[object]) -> tuple[str, str | None]:
    """Return a list's name and its values, sentences in lines; None if they have fields."""
    if _is_sentence(values):
        return name, plain(cast("list[Part]", values))
    if all(isinstance(one, Mapping) for one in values):
        return name, None
    numbers = [one for one in values if isinstance(one, int | float)]
    label = _number(name, numbers[0])[0] if numbers else name
    if len(values) > MOST_VALUES or any(isinstance(one, list | dict) for one in values):
        return label, f"{len(values)} values (--json has them)"
    sentences = any(isinstance(one, str) and " " in one for one in values)
    between = "\n" if sentences else ", "
    return label, between.join(_scalar(name, one)[1] or "none" for one in values)


def _is_sentence(values: Sequence[object]) -> bool:
    """Return whether a list has the parts of a sentence: quantities, and texts between them."""
    quantities = [cast("Mapping[str, object]", one) for one in values if isinstance(one, Mapping)]
    others = [one for one in values if not isinstance(one, Mapping)]
    return (
        bool(quantities)
        and all(isinstance(one, str) for one in others)
        and all(len(one) == 1 and DIMENSIONS.issuperset(one) for one in quantities)
    )

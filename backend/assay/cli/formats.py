"""How people write the values of parameters: a reader for each format of their declarations.

The forms of the browser read the same texts. A number without a unit, and any other JSON, is the
value of the API.
"""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from assay.cli.arguments import Quantity, quantity
from assay.cli.console import CommandError
from assay.kinds.parameters import NULLABLE, Format, Parameter

LISTS: Mapping[Format, Format] = {
    **{"choices": "choice", "counts": "count", "durations_ms": "duration_ms", "legs": "choice"},
    **{"rates": "rate", "sizes": "size", "tools": "choice"},
}
"""The formats of lists, with that of each value."""

_UNIT = re.compile(r"[A-Za-z]+$")

SWITCH = {"yes": True, "true": True, "no": False, "false": False}


def value_of(option: str, text: str, parameter: Parameter) -> object:
    """Return the value that a text means for a parameter; raises CommandError.

    Its bounds are those of the API, which names them.
    """
    text, format_ = text.strip(), parameter.format
    if parameter.automatic and text.lower() == "auto" and format_ not in NULLABLE:
        return 0
    one = LISTS.get(format_)
    if one is None:
        return READERS[format_](option, text)
    if text.startswith("["):
        return _json(option, text)
    values = [READERS[one](option, part) for part in _parts(format_, text)]
    return values[0] if format_ == "choices" and len(values) == 1 else values


def _parts(format_: Format, text: str) -> list[str]:
    """Return the values of a list; the last size may have the only unit: `64, 128 KiB`."""
    parts = [part.strip() for part in text.replace(";", ",").split(",") if part.strip()]
    if format_ != "sizes":
        return parts
    unit = ""
    for position, part in reversed([*enumerate(parts)]):
        own = _UNIT.search(part)
        unit = own[0] if own else unit
        parts[position] = part if own else part + unit
    return parts


def _json(option: str, text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise CommandError(f"{option}: {text!r} is not JSON: {error}.") from error


def _number(what: Quantity, of_unit: int) -> Callable[[str, str], int]:
    """Return a reader of quantities, in a unit that is `of_unit` times that of the dimension."""

    def read(option: str, text: str) -> int:
        return int(text) if text.isdecimal() else round(quantity(option, text, what) / of_unit)

    return read


def _count(option: str, text: str) -> int:
    if not text.isdecimal():
        raise CommandError(f"{option}: {text!r} is not a whole number.")
    return int(text)


def _switch(option: str, text: str) -> bool:
    if text.lower() not in SWITCH:
        raise CommandError(f"{option}: {text!r} is neither yes nor no.")
    return SWITCH[text.lower()]


def _word(_: str, text: str) -> str:
    return text


def _cpus(_: str, text: str) -> str:
    return text.replace(" ", "").lower()


def _expression(_: str, text: str) -> int | str:
    """Return bytes, or what the server evaluates."""
    return int(text) if text.isdecimal() else text


READERS: Mapping[Format, Callable[[str, str], object]] = {
    **{"address": _word, "choice": _word, "name": _word, "cpus": _cpus},
    **{"expression": _expression, "length": _expression, "switch": _switch, "count": _count},
    "size": _number("size", 1),
    "rate": _number("rate", 1),
    "duration_ns": _number("duration", 1),
    "duration_ms": _number("duration", 10**6),
}
"""The reader of each format of a single value."""

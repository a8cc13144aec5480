"""YAML as plain values with their positions, and plain values as YAML.

Scalars follow the core schema of YAML 1.2: `no` and `1:30` are text. Aliases and tags are refused:
an alias can grow a small text to billions of values, and a tag can name a type of the reader.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml

from assay.base.errors import Invalid
from assay.base.field_errors import SHOWN_MISTAKES, FieldError

DEEPEST = 30
MOST_NODES = 200_000
MOST_DIGITS = 30

Path = tuple[str | int, ...]
"""Names of fields and positions in lists, from the top of the text."""

TEXT = "text"
"""The field of an error that concerns the text as a whole."""

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml is ten times as fast
_STR = "tag:yaml.org,2002:str"
_WORDS: dict[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INTEGER = re.compile(r"[-+]?[0-9]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")


@dataclass(frozen=True)
class Located:
    """A value, and where each part of it begins: line and column, from 1.

    A field begins at its name.
    """

    value: Any
    places: dict[Path, tuple[int, int]]

    def at(self, field: str) -> tuple[int, int] | None:
        """Return the position of a field (`hosts.0.port`), or of the nearest part around it."""
        path = tuple(int(part) if part.isdecimal() else part for part in field.split("."))
        while path and path not in self.places:
            path = path[:-1]
        return self.places.get(path)


def read(text: str) -> Located:
    """Return the value of a YAML text; raises Invalid with line and column of each mistake."""
    if unprintable := yaml.reader.Reader.NON_PRINTABLE.search(text):
        raise Invalid([_control_character(text, unprintable.start())])
    reader = _YamlReader(text)
    try:
        value = reader.document()
    except yaml.YAMLError as error:
        raise Invalid([_unreadable(error)]) from None
    if reader.mistakes:
        raise Invalid(reader.mistakes)
    return Located(value, reader.places)


def write(value: Any) -> str:
    """Return a value as YAML that `read` reads as the same value."""
    return yaml.dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100)


def scalar(text: str) -> Any:
    """Return the value of a scalar without quotes."""
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text):
        return int(text)
    return float(text) if _FLOAT.fullmatch(text) else text


class _YamlReader:
    """Builds values from the parser's events, and notes mistakes that the parser accepts."""

    def __init__(self, text: str) -> None:
        self._events: Iterator[Any] = yaml.parse(text, Loader=_LOADER)  # pyright: ignore[reportUnknownMemberType]
        self._nodes = 0
        self.places: dict[Path, tuple[int, int]] = {}
        self.mistakes: list[FieldError] = []

    def document(self) -> Any:
        next(self._events)  # the start of the text
        first = next(self._events)
        if isinstance(first, yaml.StreamEndEvent):
            raise Invalid([FieldError(TEXT, "is empty", "Write at least a name.", at=(1, 1))])
        value = self._value(next(self._events), ())
        next(self._events)  # the end of the document
        more = next(self._events)
        if not isinstance(more, yaml.StreamEndEvent):
            raise self._refusal(more, (), "has a second document", "Use one file for each.")
        return value

    def _value(self, event: Any, path: Path) -> Any:
        self.places.setdefault(path, _position(event))
        self._nodes += 1
        if self._nodes > MOST_NODES:
            message = f"has more than {MOST_NODES} values"
            raise self._refusal(event, (), message, "Split it into several files.")
        if len(path) > DEEPEST:
            raise self._refusal(event, path[:3], "is nested too deeply", "Use documented fields.")
        if isinstance(event, yaml.AliasEvent):
            message = f"is an alias (*{event.anchor}), which is not supported"
            self._note(event, path, message, "Write the value out.")
            return None
        if event.tag is not None and event.tag != "!":
            message = f"has the tag {event.tag}, which is not supported"
            self._note(event, path, message, "Remove the tag; put text in quotes.")
        match event:
            case yaml.ScalarEvent():
                return self._scalar(event, path)
            case yaml.SequenceStartEvent():
                return list(self._items(path))
            case _:
                return self._fields(path)

    def _scalar(self, event: yaml.ScalarEvent, path: Path) -> Any:
        text: str = event.value
        if not event.implicit[0]:  # in quotes
            return text
        if len(text) > MOST_DIGITS and _INTEGER.fullmatch(text):
            self._note(event, path, "has too many digits", "Give a smaller number.")
            return None
        return scalar(text)

    def _items(self, path: Path) -> Iterator[Any]:
        for number, event in enumerate(self._events):
            if isinstance(event, yaml.SequenceEndEvent):
                return
            yield self._value(event, (*path, number))

    def _fields(self, path: Path) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for event in self._events:
            if isinstance(event, yaml.MappingEndEvent):
                break
            if not isinstance(event, yaml.ScalarEvent):
                raise self._refusal(
                    event, path, "has a name that is not text", "Use a plain name before the colon."
                )
            name = event.value
            below = (*path, name)
            if name in found:
                line, column = self.places[below]
                message = f"is given twice, first in line {line}, column {column}"
                self._note(event, below, message, "Keep one of them.")
            self.places.setdefault(below, _position(event))
            value = self._value(next(self._events), below)
            found.setdefault(name, value)
        return found

    def _note(self, event: Any, path: Path, message: str, remedy: str) -> None:
        if len(self.mistakes) < SHOWN_MISTAKES:
            self.mistakes.append(_mistake(event, path, message, remedy))

    def _refusal(self, event: Any, path: Path, message: str, remedy: str) -> Invalid:
        """Return an error that ends the reading, with the mistakes before it."""
        return Invalid([*self.mistakes, _mistake(event, path, message, remedy)])


def _mistake(event: Any, path: Path, message: str, remedy: str) -> FieldError:
    field = ".".join(map(str, path)) or TEXT
    return FieldError(field, message, remedy, at=_position(event))


def _position(event: Any) -> tuple[int, int]:
    return event.start_mark.line + 1, event.start_mark.column + 1


def _control_character(text: str, position: int) -> FieldError:
    """Return the error for a character that YAML does not allow; the parser would not place it."""
    lines = (text[:position] + ".").splitlines()
    return FieldError(
        TEXT,
        f"is not valid YAML: the control character {text[position]!r} is not allowed",
        "Remove it, or write it in double quotes as an escape.",
        at=(len(lines), len(lines[-1])),
    )


def _unreadable(error: yaml.YAMLError) -> FieldError:
    """Return why a text is not YAML."""
    mark: Any = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    reason = getattr(error, "problem", None) or getattr(error, "reason", None) or "unreadable"
    context = getattr(error, "context", None)
    if "nesting depth" in reason:  # the limit of the library, far above ours
        reason, context = "nested too deeply", None
    message = f"is not valid YAML: {context + ', ' if context else ''}{reason}"
    at = (mark.line + 1, mark.column + 1) if mark else None
    return FieldError(
        TEXT, message, "Correct it there; names and values need `name: value`.", at=at
    )


class _Dumper(yaml.SafeDumper):
    """Writes text in quotes wherever `read` would take it for something else."""

    def ignore_aliases(self, data: Any) -> bool:
        """Write every value out, because `read` refuses aliases."""
        return True


def _quoted(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = None if isinstance(scalar(text), str) else "'"
    if not text.isprintable():  # escaped only in double quotes
        style = '"'
    return dumper.represent_scalar(_STR, text, style=style)  # pyright: ignore[reportUnknownMemberType]


_Dumper.add_representer(str, _quoted)

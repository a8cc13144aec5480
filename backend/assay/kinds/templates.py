"""Commands of tools: shell text with placeholders, whose values are inserted as quoted words.

`{name}` becomes one word of the shell, whatever its value contains. `{{ … }}` becomes one word with
the text between the braces as its content, in which placeholders are quoted for the shell that will
read it: `ssh sink {{cat > {sink_file}}}`. A placeholder inside quotes is refused, because its own
quotes would end them.
"""

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_NAME = re.compile(r"\{([a-z][a-z0-9_]*)\}")


class TemplateError(ValueError):
    """A command cannot be used; `remedy` says what to write instead."""

    def __init__(self, message: str, remedy: str) -> None:
        """Keep the remedy."""
        super().__init__(message)
        self.remedy = remedy


@dataclass(frozen=True)
class Placeholder:
    """A value that is known when the command runs."""

    name: str


@dataclass(frozen=True)
class Nested:
    """Text for another shell, passed as one word."""

    parts: Sequence["Part"]


Part = str | Placeholder | Nested


def parse(text: str) -> list[Part]:
    """Return the parts of a command; raises TemplateError."""
    parts, end = _parse(text, 0, nested=False)
    assert end == len(text)  # noqa: S101 - only a nested part ends earlier
    return parts


def names(parts: Sequence[Part]) -> set[str]:
    """Return the names of all placeholders."""
    found: set[str] = set()
    for part in parts:
        if isinstance(part, Placeholder):
            found.add(part.name)
        elif isinstance(part, Nested):
            found |= names(part.parts)
    return found


def render(parts: Sequence[Part], values: Mapping[str, object]) -> str:
    """Return the shell text with these values; raises KeyError for a placeholder without one."""
    return "".join(_rendered(part, values) for part in parts)


def _rendered(part: Part, values: Mapping[str, object]) -> str:
    if isinstance(part, str):
        return part
    if isinstance(part, Placeholder):
        return shlex.quote(str(values[part.name]))
    return shlex.quote(render(part.parts, values))


def _parse(text: str, at: int, *, nested: bool) -> tuple[list[Part], int]:
    """Return the parts from `at` on, and where they end."""
    parts: list[Part] = []
    literal, quote = "", ""
    while at < len(text):
        here = text[at]
        if here == "\\" and quote != "'":
            literal += text[at : at + 2]
            at += 2
        elif here in "'\"":
            quote = _quoted(quote, here)
            literal += here
            at += 1
        elif nested and not quote and text.startswith("}}", at):
            return _with(parts, literal), at + 2
        elif here == "{" and not _is_variable(text, at) and (found := _opens(text, at)):
            if quote:
                raise TemplateError(
                    f"has {found} inside quotes",
                    "Write it without quotes around it: its value becomes one quoted word.",
                )
            parts = _with(parts, literal)
            literal = ""
            if found == "{{":
                inner, at = _parse(text, at + 2, nested=True)
                parts.append(Nested(inner))
            else:
                parts.append(Placeholder(found[1:-1]))
                at += len(found)
        else:
            literal += here
            at += 1
    if quote:
        raise TemplateError(f"has a quote {quote} that is not closed", "Close it.")
    if nested:
        raise TemplateError("has {{ without }}", "Close it with }}.")
    return _with(parts, literal), at


def _quoted(quote: str, here: str) -> str:
    """Return the quote that is open after another quotation mark."""
    if not quote:
        return here
    return "" if here == quote else quote


def _is_variable(text: str, at: int) -> bool:
    """Return whether a brace belongs to a parameter of the shell: `${HOME}`."""
    return at > 0 and text[at - 1] == "$"


def _opens(text: str, at: int) -> str:
    """Return the placeholder or `{{` at a brace; empty if it is a brace of the shell."""
    if text.startswith("{{", at):
        return "{{"
    found = _NAME.match(text, at)
    return found.group() if found else ""


def _with(parts: list[Part], literal: str) -> list[Part]:
    return [*parts, literal] if literal else parts

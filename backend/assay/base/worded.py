"""Sentences about results as parts: text, or a quantity with its dimension.

They are worded once, where the figures are. A sentence is its text in the default units, and keeps
its parts: a browser formats the quantities in its reader's units. An f-string would lose them, so
`say` puts sentences together.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Annotated, Any, cast, get_type_hints

from pydantic import ConfigDict, PlainSerializer, PlainValidator, TypeAdapter
from typing_extensions import TypedDict

from assay.base import words


class Quantity(TypedDict, total=False):
    """A number in a sentence, under the name of its dimension; it has exactly one.

    `block_bytes` is a size that is shown exactly, `latency_ns` a duration that is shown in one
    unit, `run_id` the name of a run. `tb_per_hour` repeats a rate, in parentheses after a space:
    readers whose unit it is need it only once.
    """

    __pydantic_config__ = ConfigDict(  # type: ignore[misc]  # pyright: ignore
        extra="forbid", json_schema_extra={"minProperties": 1, "maxProperties": 1}
    )

    bytes_per_s: float
    tb_per_hour: float
    bytes: int
    block_bytes: int
    latency_ns: int
    duration_ns: int
    iops: float
    records_per_s: float
    share: float
    count: int
    figure: float
    run_id: int


Part = str | Quantity

MILLION = 1e6


def _records(per_second: float) -> str:
    rounded = words.rounded(per_second)
    if rounded >= MILLION:
        return f"{words.figure(rounded / MILLION)} million records/s"
    return f"{words.frequency(rounded)} records/s"


_PLAIN: Mapping[str, Callable[[Any], str]] = {
    "bytes_per_s": words.rate,
    "tb_per_hour": lambda hourly: f" ({words.figure(hourly)} TB/h)",
    "bytes": words.size,
    "block_bytes": words.block,
    "latency_ns": words.duration,
    "duration_ns": words.elapsed,
    "iops": words.iops,
    "records_per_s": _records,
    "share": words.share,
    "count": words.grouped,
    "figure": words.figure,
    "run_id": lambda run_id: f"run {run_id}",
}


class Worded(str):
    """A sentence, or a part of one: its text in the default units, and its parts in order."""

    parts: tuple[Part, ...]

    def __new__(cls, parts: Iterable[Part]) -> "Worded":
        """Put parts together: neighboring texts become one, and empty ones are dropped."""
        merged: list[Part] = []
        for part in chain.from_iterable(map(_flat, parts)):
            if isinstance(part, str) and merged and isinstance(merged[-1], str):
                merged[-1] += part
            elif part:
                merged.append(part)
        sentence = super().__new__(cls, "".join(map(_shown, merged)))
        sentence.parts = tuple(merged)
        return sentence

    def __add__(self, more: str) -> "Worded":
        """Append a text or another sentence."""
        return Worded([self, more])

    def __radd__(self, text: str) -> "Worded":
        """Put a text before it."""
        return Worded([text, self])

    def __reduce__(self) -> tuple[type["Worded"], tuple[tuple[Part, ...]]]:
        """Keep the parts in copies."""
        return Worded, (self.parts,)


_NUMBERS: Mapping[str, Callable[[Any], float]] = {
    dimension: round if hint is int else float
    for dimension, hint in get_type_hints(Quantity).items()
}
"""What makes a number of its dimension: whole bytes and nanoseconds, and other numbers."""

_PARTS = TypeAdapter(list[Part])


def _shown(part: Part) -> str:
    if isinstance(part, str):
        return str(part)
    [(dimension, value)] = part.items()
    return _PLAIN[dimension](value)


def _flat(part: Part) -> list[Part]:
    """Return the parts of a sentence, or a quantity as its dimension has it."""
    if isinstance(part, str):
        return parts_of(part)
    [(dimension, value)] = part.items()
    return [cast("Quantity", {dimension: _NUMBERS[dimension](value)})]


def parts_of(sentence: str) -> list[Part]:
    """Return the parts of a sentence; a plain string is its only one, unless it is empty."""
    if isinstance(sentence, Worded):
        return list(sentence.parts)
    return [sentence] if sentence else []


def _read(found: Any) -> str:
    """Return the sentence of these parts; raises ValueError if they are none."""
    if isinstance(found, str):
        return found
    try:
        return Worded(_PARTS.validate_python(found))
    except ValueError as error:
        raise ValueError("must be texts and quantities, each with its dimension") from error


Words = Annotated[
    str,
    PlainValidator(_read, json_schema_input_type=list[Part]),
    PlainSerializer(parts_of, return_type=list[Part]),
]
"""A sentence in results; the API has its parts."""


def say(template: str, *values: Part) -> Worded:
    """Return a template with these values in place of its `{}`; raises ValueError if they differ.

    A value is a quantity or text, such as a sentence with quantities of its own.
    """
    texts = template.split("{}")
    if len(texts) != len(values) + 1:
        raise ValueError(f"{len(values)} values for {template!r}")
    parts: list[Part] = [texts[0]]
    for value, text in zip(values, texts[1:], strict=True):
        parts += [value, text]
    return Worded(parts)


def joined(separator: str, several: Iterable[Part]) -> Worded:
    """Join parts with a separator between them; empty ones are left out."""
    found = [each for each in several if each]
    return say(separator.join("{}" for _ in found), *found) if found else Worded(())


def listed(several: Sequence[Part]) -> Worded:
    """Join parts as a list: `a, b and c`."""
    *first, last = several
    return say("{} and {}", joined(", ", first), last) if first else say("{}", last)


def plain(parts: str | Iterable[Part]) -> str:
    """Return a sentence of the API's JSON as text, in the default units."""
    return str(parts) if isinstance(parts, str) else str(Worded(parts))

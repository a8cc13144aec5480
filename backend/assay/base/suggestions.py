"""Suggestions for unknown names: the fields of the body's type that are nearest to a mistake."""

from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from types import NoneType
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel

MOST = 3
LEAST_LIKENESS = 0.6
"""The default of `difflib`."""

LONGEST = 100
"""Longer names are no slips, and comparing them takes time."""


def nearest(wanted: str, known: Iterable[str]) -> list[str]:
    """Return the known names most like `wanted`, the most similar first."""
    if len(wanted) > LONGEST:
        return []
    by_folded: dict[str, str] = {}
    for name in known:  # an object's own name comes before its slug
        by_folded.setdefault(name.casefold(), name)
    found = get_close_matches(wanted.casefold(), by_folded, MOST, LEAST_LIKENESS)
    return [by_folded[name] for name in found]


def did_you_mean(wanted: str, known: Iterable[str]) -> str | None:
    """Return the question for the nearest known names, or None if there are none."""
    found = [f"`{name}`" for name in nearest(wanted, known)]
    if not found:
        return None
    listed = " or ".join(filter(None, (", ".join(found[:-1]), found[-1])))
    return f"Did you mean {listed}?"


def fields_at(model: object, location: Sequence[str | int]) -> set[str]:
    """Return the names of the fields at a location in a body of the type `model`.

    `location` is pydantic's: names of fields, positions in lists, and tags of unions, which are no
    part of the body.
    """
    here = list(_members(model))
    for part in location:
        below = [found for one in here for found in _step(one, part)]
        here = below or [one for one in here if not _excluded(one, part)]
    return {
        field.alias or name
        for one in here
        if isinstance(one, type) and issubclass(one, BaseModel)
        for name, field in one.model_fields.items()
    }


def _members(annotation: Any) -> Iterator[Any]:
    """Yield the types of an annotation: the members of unions, without null."""
    origin = get_origin(annotation)
    if origin in (list, tuple, dict, Literal):
        yield annotation
    elif arguments := get_args(annotation):
        # Annotated has its type first, and then objects that are no types
        several = arguments[:1] if hasattr(annotation, "__metadata__") else arguments
        for one in several:
            yield from _members(one)
    elif annotation is not NoneType:
        yield annotation


def _step(annotation: Any, part: str | int) -> Iterator[Any]:
    """Yield the types of one part of a value of this type."""
    origin = get_origin(annotation)
    if origin in (list, tuple) and isinstance(part, int):
        yield from _members(get_args(annotation)[0])
    elif isinstance(annotation, type) and issubclass(annotation, BaseModel):
        for name, field in annotation.model_fields.items():
            if part == (field.alias or name):
                yield from _members(field.annotation)


def _excluded(annotation: Any, tag: str | int) -> bool:
    """Return whether a member of a union has another tag than `tag`."""
    if not isinstance(annotation, type) or not issubclass(annotation, BaseModel):
        return False
    kind = annotation.model_fields.get("kind")
    tags = get_args(kind.annotation) if kind else ()
    return bool(tags) and tag not in tags

"""API types of labels and external references."""

import re
from typing import Annotated, Any, cast

from pydantic import BeforeValidator, Field, StringConstraints
from pydantic.config import JsonDict
from pydantic_core import PydanticCustomError

from assay.base.field_types import OneLine

MOST_LABELS = 32
LONGEST_KEY = 63
LONGEST_VALUE = 200

KEY = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._/-]*[A-Za-z0-9])?")

EXAMPLE: JsonDict = {"site": "fra", "rack": "b7"}

_SHOWN = 80
"""Characters of a bad key or value in an error."""


def key_mistake(key: str) -> tuple[str, str] | None:
    """Return what is wrong with a key, and the remedy; None if it is valid."""
    if len(key) > LONGEST_KEY:
        return f"must have {LONGEST_KEY} or fewer characters", "Use a shorter key."
    if not KEY.fullmatch(key):
        return (
            "may contain only letters, digits and ._/-, and begins and ends with a letter or digit",
            "Use a key such as rack or site/room.",
        )
    return None


def value_mistake(value: object) -> tuple[str, str] | None:
    """Return what is wrong with a value, and the remedy; None if it is valid."""
    if not isinstance(value, str):
        return "must be text", "Give one text, in quotes."
    if not value.strip() or value != value.strip():
        return "must not be empty or begin or end with a space", "Remove the spaces or the label."
    if len(value) > LONGEST_VALUE:
        return f"must have {LONGEST_VALUE} or fewer characters", "Use a shorter value or a note."
    if not value.isprintable():
        return "must not contain line breaks or other control characters", "Remove them."
    return None


def _checked(given: object) -> object:
    """Return labels whose number, keys and values are valid."""
    if not isinstance(given, dict):
        raise _mistake("must be a JSON object", 'Write {"rack": "b7"}.')
    labels = cast("dict[str, Any]", given)
    if len(labels) > MOST_LABELS:
        raise PydanticCustomError(
            "labels",
            "has {count} labels, but the maximum is {most}",
            {"count": len(labels), "most": MOST_LABELS, "remedy": "Remove some."},
        )
    for key, value in labels.items():
        if mistake := key_mistake(key):
            raise _mistake(f"key {_short(key)} {mistake[0]}", mistake[1])
        if mistake := value_mistake(value):
            raise _mistake(f"value of {key!r} {mistake[0]}", mistake[1])
    return labels


def _mistake(message: str, remedy: str) -> PydanticCustomError:
    return PydanticCustomError("labels", "{what}", {"what": message, "remedy": remedy})


def _short(text: str) -> str:
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "…")


Labels = Annotated[
    dict[str, str],
    BeforeValidator(_checked),
    Field(
        max_length=MOST_LABELS,
        description=f"At most {MOST_LABELS}; keys of up to {LONGEST_KEY} letters, digits and "
        f"`._/-`, values of up to {LONGEST_VALUE} characters",
    ),
]
"""Labels in a body: a value for each key."""


ExternalReference = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=200),
    OneLine,
    Field(description="In another system: a ticket, an order, a change"),
]
"""Where another system describes an object."""

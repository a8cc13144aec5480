"""Errors in fields of a request, with reason and remedy."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from assay.base.suggestions import did_you_mean, fields_at
from assay.base.words import span

SECRETS = frozenset({"password", "passphrase", "private_key", "code", "token", "secret"})
"""Fields whose value is never repeated in an error."""

SHOWN_LENGTH = 200
SHOWN_ITEMS = 20
SHOWN_MISTAKES = 50
"""A body with many unknown fields must not cause a larger response."""


@dataclass(frozen=True)
class FieldError:
    """An invalid field (`tests.0.threads`): reason, remedy and the given value."""

    field: str
    message: str
    remedy: str | None = None
    value: object = None
    at: tuple[int, int] | None = None
    """Line and column, from 1, if the field is part of a text."""
    listed_in: str | None = None
    """The collection of the API that lists the values that it may have."""

    def __str__(self) -> str:
        """Field and reason, after line and column if the field has them."""
        where = "line {}, column {}: ".format(*self.at) if self.at else ""
        return f"{where}{_short(self.field)}: {_encodable(self.message)}"

    def document(self) -> dict[str, Any]:
        """Return the member of a problem document."""
        where = dict(zip(("line", "column"), self.at, strict=True)) if self.at else {}
        listed = {"listed_in": self.listed_in} if self.listed_in else {}
        return {
            "field": _short(self.field),
            "value": shown(self.field, self.value),
            "message": _encodable(self.message),
            "remedy": self.remedy,
            **where,
            **listed,
        }


def unlisted(field: str, message: str, collection: str, value: object) -> FieldError:
    """Return the error of a value that a collection of the API does not have."""
    remedy = f"GET /api/v1/{collection} lists them."
    return FieldError(field, message, remedy, value, listed_in=collection)


def shown(field: str, value: object) -> object:
    """Return the value as shown in an error: without secrets, documents and long texts."""
    if field.rsplit(".", 1)[-1] in SECRETS:
        return None
    if isinstance(value, str):
        return _short(value)
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, list | tuple):
        items = cast("Sequence[object]", value)
        if all(isinstance(item, str | int) for item in items):
            return [shown(field, item) for item in items[:SHOWN_ITEMS]]
    return None


def _short(text: str) -> str:
    text = _encodable(text)
    return text if len(text) <= SHOWN_LENGTH else text[:SHOWN_LENGTH] + "…"


def _encodable(text: str) -> str:
    """Return the text without unpaired surrogates, which JSON cannot represent."""
    return text.encode(errors="replace").decode()


NOT_A_NUMBER = frozenset({"int_type", "int_parsing"})
UNTAGGED = frozenset({"union_tag_not_found", "union_tag_invalid"})
"""Errors about the discriminator of a union."""
SHOWN_NAME = 80

_LISTS = {
    "array_id": "arrays",
    "campaign_id": "campaigns",
    "credential_id": "credentials",
    "host_id": "hosts",
    "profile_id": "profiles",
    "run_id": "runs",
    "target_id": "targets",
    "target_ids": "targets",
}
"""Fields that take an id, and the list that shows the ids."""

_NS = {"ns": 1, "ms": 10**6}
"""Nanoseconds of the unit that ends a field's name."""

# message and remedy by pydantic's error type, filled from the error's context
_WORDS: dict[str, tuple[str, str]] = {
    "missing": ("is missing", "Add it."),
    "extra_forbidden": ("is unknown", "Remove it or correct its name."),
    "greater_than_equal": ("must be at least {ge}", "Give {ge} or more."),
    "greater_than": ("must be more than {gt}", "Give more than {gt}."),
    "less_than_equal": ("must be at most {le}", "Give {le} or less."),
    "less_than": ("must be less than {lt}", "Give less than {lt}."),
    "string_too_short": (
        "must have {min_length} or more characters",
        "Give {min_length} or more characters.",
    ),
    "string_too_long": (
        "must have {max_length} or fewer characters",
        "Give {max_length} or fewer characters.",
    ),
    "too_short": ("must have {min_length} or more entries", "Add an entry."),
    "too_long": ("must have {max_length} or fewer entries", "Remove entries."),
    "union_tag_not_found": ("is missing", "Add it."),
    "union_tag_invalid": ("must be one of {expected_tags}", "Choose one of {expected_tags}."),
    "literal_error": ("must be one of {expected}", "Choose one of {expected}."),
    "int_type": ("must be a whole number", "Give a number without quotes or fraction."),
    "int_parsing": ("must be a whole number", "Give a number such as 1."),
    "int_from_float": ("must be a whole number", "Remove the fraction."),
    "int_parsing_size": ("is too large", "Give a smaller number."),
    "float_parsing": ("must be a number", "Give a number such as 1.5."),
    "finite_number": ("must be a finite number", "Give a number such as 1.5."),
    "string_type": ("must be text", "Put it in quotes."),
    "string_unicode": ("must be valid Unicode", "Remove unpaired surrogates."),
    "bool_type": ("must be true or false", "Give true or false."),
    "bool_parsing": ("must be true or false", "Give true or false."),
    "timezone_aware": ("must have a time zone", "Add Z for UTC: 2027-01-31T12:00:00Z."),
    "datetime_type": ("must be a time", "Write it like 2027-01-31T12:00:00Z."),
    "datetime_parsing": ("must be a time", "Write it like 2027-01-31T12:00:00Z."),
    "datetime_from_date_parsing": ("must be a time", "Write it like 2027-01-31T12:00:00Z."),
    "list_type": ("must be a list", "Put it in square brackets."),
    "dict_type": ("must be a JSON object", "Put it in braces."),
    "json_invalid": ("is not valid JSON: {error}", "Correct the body."),
    "model_attributes_type": ("must be a JSON object", "Set Content-Type: application/json."),
    "model_type": ("must be a JSON object", "Put it in braces."),
}


def from_pydantic(
    errors: Sequence[Mapping[str, Any]], body: object = None, model: object = None
) -> list[FieldError]:
    """Return field errors for pydantic's errors; our own validators have a remedy in the context.

    At most `SHOWN_MISTAKES` are returned, plus the number of the others. `body` is the validated
    body; it is needed to distinguish fields from union tags. `model` is its type; it is needed to
    suggest the field that an unknown one may be meant to be.
    """
    found: list[FieldError] = []
    for one in (_one(error, body, model) for error in errors[:SHOWN_MISTAKES]):
        if one not in found:  # each of several types refuses the same value
            found.append(one)
    if (more := len(errors) - SHOWN_MISTAKES) > 0:
        found.append(FieldError("body", f"has {more} more errors", "Fix these first."))
    return found


def unreadable(error: BaseException) -> FieldError:
    """Return why a body is not JSON, by the exception of the parser."""
    match error:
        case UnicodeDecodeError():
            return FieldError("body", "is not UTF-8", "Send it as UTF-8.")
        case RecursionError():
            return FieldError("body", "is nested too deeply", "Send only documented fields.")
        case _:  # Python limits the digits of an integer
            return FieldError("body", "has a number with too many digits", "Give a smaller one.")


def _whole(bound: object) -> object:
    """Return an integral float as int, so that a limit of 0.0 is shown as 0."""
    return int(bound) if isinstance(bound, float) and bound.is_integer() else bound


def _spans(field: str, bounds: Mapping[str, object]) -> dict[str, str]:
    """Return the bounds of a duration in a readable unit: `60000` of a field in ms as `1 min`."""
    factor = _NS.get(re.sub(r"[.\d]+$", "", field).rpartition("_")[2])
    if factor is None:
        return {}
    known = {name: bounds[name] for name in ("ge", "gt", "le", "lt") if name in bounds}
    return {name: span(n * factor) for name, n in known.items() if isinstance(n, int)}


def _without_tags(location: Sequence[Any], body: object) -> tuple[Any, ...]:
    """Remove the union tags that pydantic inserts before a field, or after one of several types."""
    kept: list[Any] = []
    here = body
    for number, part in enumerate(location, 1):
        if isinstance(here, dict):
            fields = cast("dict[object, object]", here)
            if part not in fields and number < len(location):
                continue
            here = fields.get(part)
        elif isinstance(here, list):
            if not isinstance(part, int):
                continue
            here = cast("list[object]", here)[part]
        elif here is not None:
            break  # a single value has no parts
        kept.append(part)
    return tuple(kept)


def _unknown(location: Sequence[Any], model: object) -> str:
    """Return the remedy for the unknown field at the end of a location."""
    *where, name = location
    question = did_you_mean(str(name), fields_at(model, where)) if model else None
    return question or _WORDS["extra_forbidden"][1]


def _one(error: Mapping[str, Any], body: object, model: object) -> FieldError:
    location: tuple[Any, ...] = tuple(error["loc"])
    if location and location[0] in ("body", "query", "path", "header", "cookie"):
        location = location[1:]
    full = location
    if error["type"] == "json_invalid":
        location = ()
    context: dict[str, Any] = error.get("ctx", {})
    if "field" in context:  # set by a validator of a whole model
        location = (*location, context["field"])
    if error["type"] in UNTAGGED:
        location = (*location, context["discriminator"].strip("'"))
    if isinstance(body, dict):
        location = _without_tags(location, cast("object", body))
    field = ".".join(str(part) for part in location) or "body"
    value = context.get("value", error.get("input"))
    if error["type"] in UNTAGGED:
        value = context.get("tag")
    if error["type"] == "missing":
        value = None
    if error["type"] in NOT_A_NUMBER and isinstance(value, str):
        noun = next((part for part in reversed(location) if isinstance(part, str)), "")
        if listed := _LISTS.get(noun):
            message = f'is "{value[:SHOWN_NAME]}", but it must be a number'
            return unlisted(field, message, listed, value)
    if error["type"] == "extra_forbidden":
        return FieldError(field, _WORDS["extra_forbidden"][0], _unknown(full, model), value)
    if words := _WORDS.get(error["type"]):
        bounds = {name: _whole(value) for name, value in context.items()}
        message, remedy = words
        said = message.format_map(bounds | _spans(field, bounds))
        return FieldError(field, said, remedy.format_map(bounds), value)
    return FieldError(field, error["msg"], context.get("remedy"), value)

"""The options that override values of the profile's tests."""

import json
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Literal

from pydantic import ValidationError

from assay.cli.console import CommandError
from assay.kinds.registry import KINDS, Overrides
from assay.profiles.schemas import ProfileOut
from assay.verdicts.units import UNITS, USUAL

_DURATION = re.compile(r"\s*[0-9]+(?:\.[0-9]+)?\s*(?:ms|s|min|h|d)\s*")
_DAY = Fraction(86_400 * 10**9)
_QUANTITY = re.compile(r"\s*([0-9]{1,15}(?:\.[0-9]{1,9})?)\s*([A-Za-z/]+)\s*")


def seconds_of(option: str, text: str) -> float:
    """Return the seconds of a duration such as `2 h`; raises CommandError."""
    if not _DURATION.fullmatch(text):
        raise CommandError(f'{option}: {text!r} is not a duration. Write it like "10 min".')
    number, unit = re.findall(r"[0-9.]+|[a-z]+", text)
    return float(Fraction(number) * (_DAY if unit == "d" else UNITS["duration"][unit]) / 10**9)


def bytes_of(option: str, text: str) -> int:
    """Return the bytes of a size such as `2 TB`; raises CommandError."""
    return _quantity(option, text, "size")


def _quantity(option: str, text: str, what: Literal["rate", "size"]) -> int:
    found = _QUANTITY.fullmatch(text)
    unit = UNITS[what].get(found[2]) if found else None
    if found is None or unit is None:
        raise CommandError(f"{option}: {text!r} is not a {what}. Use {USUAL[what]}.")
    return round(Fraction(found[1]) * unit)


class OptionOverrides:
    """Overrides of a profile, each with the option that set it."""

    def __init__(self, profile: ProfileOut) -> None:
        """Begin without overrides of `profile`."""
        self.values: dict[str, Any] = {}
        self.options: dict[str, str] = {}
        self._profile = profile.name
        self._tests = [test.model_dump() for test in profile.body.tests]

    def size(self, option: str, field: str, text: str | None) -> None:
        """Set a field to bytes, an expression or a duration, if given; raises CommandError."""
        if text is not None:
            self._set(option, field, int(text) if text.isdecimal() else text)

    def duration(self, option: str, field: str, text: str | None) -> None:
        """Set a field to a duration, if given; raises CommandError."""
        if text is None:
            return
        seconds_of(option, text)
        self._set(option, field, text)

    def rate(self, option: str, field: str, text: str | None) -> None:
        """Set a field to a list of one rate in bytes per second, if given; raises CommandError."""
        if text is None:
            return
        self._set(option, field, [_quantity(option, text, "rate")])

    def count(self, option: str, field: str, number: int | None) -> None:
        """Set a field to a number, if given; raises CommandError."""
        if number is not None:
            self._set(option, field, number)

    def counts(self, option: str, field: str, numbers: Sequence[int] | None) -> None:
        """Set a field to a list of numbers, if any are given; raises CommandError."""
        if numbers:
            self._set(option, field, list(numbers))

    def words(self, option: str, field: str, given: Sequence[str] | None) -> None:
        """Set a field to a word, or to a list of several, if any are given; raises CommandError."""
        if given:
            self._set(option, field, given[0] if len(given) == 1 else list(given))

    def assign(self, assignments: Sequence[str] | None) -> None:
        """Set fields as each `FIELD=VALUE` says; raises CommandError.

        A value is JSON or plain text, and a list may be written with commas.
        """
        for text in assignments or ():
            field, equals, value = (part.strip() for part in text.partition("="))
            if not equals:
                raise CommandError(
                    f"--set: {text!r} is not FIELD=VALUE. Write it like full_duplex=true."
                )
            fields = {name for test in self._tests for name in test}
            known = sorted(fields & {*Overrides.model_fields})
            if field not in known:
                raise CommandError(
                    f"--set: no test of the profile {self._profile!r} has the field "
                    f"{field!r}. Fields: {', '.join(known)}."
                )
            given = [test for test in self._tests if field in test]
            self._set(f"--set {field}", field, _read(field, value, given))

    def named(self, message: str) -> str:
        """Return an error of the API with options in place of the fields that they set."""
        for field, option in self.options.items():
            message = re.sub(rf"\b(?:plan\.)?overrides\.{field}\b(?:\.[0-9]+)?", option, message)
        return message

    def _set(self, option: str, field: str, value: object) -> None:
        if before := self.options.get(field):
            raise CommandError(f"{option}: {before} sets the same value. Use one of them.")
        if not any(field in test for test in self._tests):
            raise CommandError(
                f"{option}: no test of the profile {self._profile!r} has this value. "
                "Omit the option."
            )
        self.values[field], self.options[field] = value, option


def _read(field: str, text: str, tests: Sequence[Mapping[str, Any]]) -> object:
    """Return the value that a text means for a field of these tests.

    It is the first reading that one of them takes. The API explains why none does.
    """
    parts: list[object] = [_plain(part.strip()) for part in text.split(",")]
    kinds = {test["kind"] for test in tests}
    for value in (_plain(text), text, parts):
        if any(_is_valid(kind, field, value) for kind in kinds):
            return value
    return parts if any(isinstance(test[field], list) for test in tests) else _plain(text)


def _plain(text: str) -> object:
    """Return the JSON value in a text, or the text."""
    try:
        value: object = json.loads(text)
    except ValueError:
        return text
    return text if value is None else value  # null would override nothing


def _is_valid(kind: str, field: str, value: object) -> bool:
    try:
        KINDS[kind].overrides.model_validate({field: value})
    except ValidationError:
        return False
    return True

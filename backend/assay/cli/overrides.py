"""The options of `assay campaign run` that override values of the profile's tests."""

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from assay.cli.console import CommandError
from assay.verdicts.units import UNITS, USUAL

_DURATION = re.compile(r"\s*[0-9]+(?:\.[0-9]+)?\s*(?:ms|s|min|h|d)\s*")
_RATE = re.compile(r"\s*([0-9]{1,15}(?:\.[0-9]{1,9})?)\s*([A-Za-z/]+)\s*")


class OptionOverrides:
    """Overrides of a profile, each with the option that set it."""

    def __init__(self, profile: Mapping[str, Any]) -> None:
        """Begin without overrides of `profile`, as the API returns it."""
        self.values: dict[str, Any] = {}
        self.options: dict[str, str] = {}
        self._profile = profile

    def size(self, option: str, field: str, text: str | None) -> None:
        """Set a field to bytes, an expression or a duration, if given; raises CommandError."""
        if text is not None:
            self._set(option, field, int(text) if text.isdecimal() else text)

    def duration(self, option: str, field: str, text: str | None) -> None:
        """Set a field to a duration, if given; raises CommandError."""
        if text is None:
            return
        if not _DURATION.fullmatch(text):
            raise CommandError(f'{option}: {text!r} is not a duration. Write it like "10 min".')
        self._set(option, field, text)

    def rate(self, option: str, field: str, text: str | None) -> None:
        """Set a field to a list of one rate in bytes per second, if given; raises CommandError."""
        if text is None:
            return
        found = _RATE.fullmatch(text)
        unit = UNITS["rate"].get(found[2]) if found else None
        if found is None or unit is None:
            raise CommandError(f"{option}: {text!r} is not a rate. Use {USUAL['rate']}.")
        self._set(option, field, [round(Fraction(found[1]) * unit)])

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

    def named(self, message: str) -> str:
        """Return an error of the API with options in place of the fields that they set."""
        for field, option in self.options.items():
            message = re.sub(rf"\boverrides\.{field}\b(?:\.[0-9]+)?", option, message)
        return message

    def _set(self, option: str, field: str, value: object) -> None:
        if before := self.options.get(field):
            raise CommandError(f"{option}: {before} sets the same value. Use one of them.")
        if not any(field in test for test in self._profile["body"]["tests"]):
            raise CommandError(
                f"{option}: no test of the profile {self._profile['name']!r} has this value. "
                "Omit the option."
            )
        self.values[field], self.options[field] = value, option

"""Criteria as text: `durable.mean >= 1250 MB/s`, `buffer_at(10 Gb/s) <= 512 MB`, `steady`.

    criterion := metric [ "(" argument { "," argument } ")" ] [ operator quantity ]
    argument  := [ name "=" ] quantity | name "=" word
    quantity  := [ "-" ] number [ unit ]
    operator  := ">=" | ">" | "<=" | "<"

The parser knows units, but no metrics: `applicability.py` looks them up in the kinds.
Values are exact fractions.
"""

import re
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NoReturn

from assay.kinds.metrics import ArgumentDimension, Dimension, Operator
from assay.runs.verdicts.units import DIMENSIONS, UNITS, USUAL

LONGEST = 200
MOST_ARGUMENTS = 10

_OPERATORS: dict[str, Operator] = {
    ">=": ">=",
    "≥": ">=",
    "<=": "<=",
    "≤": "<=",
    ">": ">",
    "<": "<",
}
_BLANK = re.compile(r"[ \t\u00a0\u2009\u202f]*")  # pages have them between number and unit
_METRIC = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+)*")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SIGN = re.compile(r"[-−]")
_NUMBER = re.compile(r"[0-9]{1,15}(?:\.[0-9]{1,9})?")
_UNIT = re.compile(r"[A-Za-zµ%/]+")


class CriterionError(ValueError):
    """A criterion that cannot be parsed or applied: position, reason, and what would do."""

    def __init__(
        self, text: str, position: int, reason: str, remedy: str, alternatives: tuple[str, ...] = ()
    ) -> None:
        """Count characters from 1 in the message; `position` counts from 0."""
        super().__init__(f"{reason} (at character {position + 1})")
        self.text, self.position, self.reason = text, position, reason
        self.remedy, self.alternatives = remedy, alternatives


@dataclass(frozen=True)
class Amount:
    """A number with its unit, as written; `position` is that of its number."""

    number: str
    unit: str
    position: int = field(default=0, compare=False)

    @property
    def dimension(self) -> Dimension:
        """The dimension of its unit."""
        return DIMENSIONS[self.unit]

    @property
    def value(self) -> Fraction:
        """The value in bytes per second, ns, bytes, as a part of one, or as a number."""
        return Fraction(self.number) * UNITS[self.dimension][self.unit]

    def __str__(self) -> str:
        """Number and unit."""
        return f"{self.number} {self.unit}".rstrip()


@dataclass(frozen=True)
class Word:
    """One of the words that an argument can be."""

    value: str
    position: int = field(default=0, compare=False)
    dimension: ArgumentDimension = field(default="word", init=False)

    def __str__(self) -> str:
        """The word."""
        return self.value


@dataclass(frozen=True)
class Given:
    """An argument as given; the name is None if only its value was."""

    name: str | None
    value: Amount | Word
    position: int = field(default=0, compare=False)

    def __str__(self) -> str:
        """`name=value`, or only the value."""
        return f"{self.name}={self.value}" if self.name else str(self.value)


@dataclass(frozen=True)
class Criterion:
    """A parsed criterion; without operator and limit, it requires that something is the case."""

    metric: str
    arguments: tuple[Given, ...] = ()
    operator: Operator | None = None
    limit: Amount | None = None
    position: int = field(default=0, compare=False)
    text: str = field(default="", compare=False)

    def __str__(self) -> str:
        """The criterion in its usual form; parsing it gives the same criterion."""
        given = f"({', '.join(map(str, self.arguments))})" if self.arguments else ""
        limit = f" {self.operator} {self.limit}" if self.operator else ""
        return f"{self.metric}{given}{limit}"


def parse(text: str) -> Criterion:
    """Return the criterion; raises CriterionError."""
    return _CriterionParser(text).whole()


class _CriterionParser:
    """Recursive descent over at most LONGEST characters."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0
        if len(text) > LONGEST:
            self.at = LONGEST
            self._fail(f"is longer than {LONGEST} characters", "Shorten it.")

    def whole(self) -> Criterion:
        self._blank()
        position = self.at
        metric = self._take(_METRIC)
        if metric is None:
            self._fail("expected a metric", "Begin with a metric, such as durable.mean.")
        arguments = self._arguments()
        operator = self._operator()
        limit = self._quantity() if operator else None
        if self.at < len(self.text):
            expected = "the end" if operator else "an operator"
            self._fail(
                f"expected {expected}, not {self.text[self.at]!r}",
                "Write it like durable.mean >= 1250 MB/s.",
            )
        return Criterion(metric, arguments, operator, limit, position, self.text)

    def _arguments(self) -> tuple[Given, ...]:
        if not self._sign("("):
            return ()
        found: list[Given] = []
        while True:
            position = self.at
            name = self._take(_NAME)
            if name is not None and not self._sign("="):
                self._fail(f"expected = after {name!r}", "Write it like (block=1 MiB).")
            if any(name == other.name for other in found if name):
                self.at = position
                self._fail(f"repeats the argument {name!r}", "Give each argument once.")
            found.append(Given(name, self._word() or self._quantity(), position))
            if self._sign(")"):
                return tuple(found)
            if len(found) == MOST_ARGUMENTS or not self._sign(","):
                self._fail("expected ) after the arguments", "Close the parenthesis.")

    def _operator(self) -> Operator | None:
        for sign, operator in _OPERATORS.items():
            if self._sign(sign):
                return operator
        return None

    def _word(self) -> Word | None:
        position = self.at
        word = self._take(_NAME)
        return Word(word, position) if word is not None else None

    def _quantity(self) -> Amount:
        position = self.at
        negative = self._take(_SIGN) is not None
        number = self._take(_NUMBER)
        if number is None:
            self._fail("expected a number", "Give a number with a unit, such as 1250 MB/s.")
        start = self.at
        unit = self._take(_UNIT) or ""
        if unit not in DIMENSIONS:
            self.at = start
            usual = "; ".join(USUAL[name] for name, units in UNITS.items() if units)
            self._fail(f"unknown unit {unit!r}", f"Use {usual}.")
        whole, _, decimals = number.partition(".")
        plain = (whole.lstrip("0") or "0") + f".{decimals}".rstrip("0").rstrip(".")
        if negative and plain != "0":
            plain = f"-{plain}"
        return Amount(plain, "µs" if unit == "us" else unit, position)

    def _blank(self) -> None:
        match = _BLANK.match(self.text, self.at)
        self.at = match.end() if match else self.at

    def _take(self, pattern: re.Pattern[str]) -> str | None:
        match = pattern.match(self.text, self.at)
        if match is None:
            return None
        self.at = match.end()
        self._blank()
        return match[0]

    def _sign(self, sign: str) -> bool:
        if not self.text.startswith(sign, self.at):
            return False
        self.at += len(sign)
        self._blank()
        return True

    def _fail(self, reason: str, remedy: str) -> NoReturn:
        raise CriterionError(self.text, min(self.at, len(self.text)), reason, remedy)

"""Size expressions: `2 * ram`, `min(1 GB, free / 10)`; and durations in the place of one: `25 h`.

The grammar has numbers with unit suffixes (kB MB GB TB decimal, KiB MiB GiB TiB binary), the names
in `NAMES`, + - * / and parentheses, min() and max(). The parser computes exact fractions and rounds
down to whole bytes at the end; it does not use Python's `eval`.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import NoReturn

NAMES = frozenset({"ram", "cpus", "free", "rate"})
"""Cacheable memory of the host in bytes, its CPU count, free bytes of the file system.

`rate` is the highest rate measured on the target, in bytes per second.
"""

UNITS = {
    "B": 1,
    "kB": 10**3,
    "KB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
    "TB": 10**12,
    "KiB": 2**10,
    "MiB": 2**20,
    "GiB": 2**30,
    "TiB": 2**40,
}

LONGEST = 200
DEEPEST = 20
MOST_DIGITS = 20

_TOKEN = re.compile(r"\s*(?:([0-9]+(?:\.[0-9]+)?)|([A-Za-z]+)|([-+*/(),]))")
_FUNCTIONS: Mapping[str, Callable[[list[Fraction]], Fraction]] = {"min": min, "max": max}


_DURATION = re.compile(r"\s*([0-9]{1,12}(?:\.[0-9]{1,6})?)\s*(ms|s|min|h|d)\s*")
_MS = {"ms": 1, "s": 1000, "min": 60_000, "h": 3_600_000, "d": 86_400_000}


def duration_ms(length: int | str) -> int | None:
    """Return a length that is a duration, such as `90 min`, in ms; None for bytes."""
    found = _DURATION.fullmatch(length) if isinstance(length, str) else None
    return int(Fraction(found[1]) * _MS[found[2]]) if found else None


class ExpressionError(ValueError):
    """An expression that cannot be parsed or evaluated, with the position."""

    def __init__(self, text: str, position: int, reason: str) -> None:
        """Quote the expression."""
        super().__init__(f"{reason} (at character {position + 1} of {text!r})")
        self.reason, self.position = reason, position


@dataclass(frozen=True)
class _Token:
    kind: str  # number, word, sign or end
    text: str
    position: int


def evaluate(text: str, names: Mapping[str, int]) -> int:
    """Return the value in whole bytes, rounded down; raises ExpressionError.

    `names` may lack some of NAMES; using a missing one is an error.
    """
    value = _Parser(text, names).whole()
    return value.numerator // value.denominator


def names_in(text: str) -> frozenset[str]:
    """Return the names that an expression uses; raises ExpressionError if it cannot be parsed."""
    parser = _Parser(text, dict.fromkeys(NAMES, 1), reading=True)
    parser.whole()
    return frozenset(parser.used)


class _Parser:
    """Recursive descent over at most LONGEST characters, DEEPEST parentheses deep."""

    def __init__(self, text: str, names: Mapping[str, int], *, reading: bool = False) -> None:
        self.text, self.names = text, names
        self.reading = reading  # the names have no values yet
        self.used: list[str] = []
        self.depth = 0
        if len(text) > LONGEST:
            raise ExpressionError(text[:20], LONGEST, f"is longer than {LONGEST} characters")
        self.tokens = self._split()
        self.next = 0

    def whole(self) -> Fraction:
        value = self._sum()
        token = self._take()
        if token.kind != "end":
            self._fail(token, f"unexpected {token.text!r}")
        return value

    def _split(self) -> list[_Token]:
        tokens: list[_Token] = []
        position, end = 0, len(self.text.rstrip())
        while position < end:
            match = _TOKEN.match(self.text, position)
            if match is None:
                blank = len(self.text[position:]) - len(self.text[position:].lstrip())
                raise ExpressionError(
                    self.text, position + blank, f"unexpected {self.text[position + blank]!r}"
                )
            kind = ("number", "word", "sign")[(match.lastindex or 1) - 1]
            tokens.append(
                _Token(kind, match[match.lastindex or 1], match.start(match.lastindex or 1))
            )
            position = match.end()
        return [*tokens, _Token("end", "", end)]

    def _take(self) -> _Token:
        token = self.tokens[self.next]
        self.next += token.kind != "end"
        return token

    def _takes(self, *signs: str) -> str | None:
        token = self.tokens[self.next]
        if token.kind == "sign" and token.text in signs:
            self.next += 1
            return token.text
        return None

    def _sum(self) -> Fraction:
        self.depth += 1
        if self.depth > DEEPEST:
            self._fail(self.tokens[self.next], "too many parentheses")
        value = self._product()
        while sign := self._takes("+", "-"):
            right = self._product()
            value = value + right if sign == "+" else value - right
        self.depth -= 1
        return value

    def _product(self) -> Fraction:
        value = self._factor()
        while sign := self._takes("*", "/"):
            token, used = self.tokens[self.next], len(self.used)
            right = self._factor()
            if sign == "/" and right == 0:
                if not self.reading or len(self.used) == used:
                    self._fail(token, "division by zero")
                right = Fraction(1)
            value = value * right if sign == "*" else value / right
        return value

    def _factor(self) -> Fraction:
        token = self._take()
        if token.kind == "number":
            return self._number(token)
        if token.kind == "word":
            return self._word(token)
        if token.text == "(":
            value = self._sum()
            self._close()
            return value
        if token.kind == "end":
            self._fail(token, "a number, a name or a parenthesis is missing")
        return self._fail(token, f"unexpected {token.text!r}")

    def _number(self, token: _Token) -> Fraction:
        if len(token.text) > MOST_DIGITS:
            self._fail(token, "the number is too long")
        value = Fraction(token.text)
        after = self.tokens[self.next]
        if after.kind == "word":
            if after.text not in UNITS:
                self._fail(after, f"unknown unit {after.text!r}; units are {', '.join(UNITS)}")
            self.next += 1
            value *= UNITS[after.text]
        return value

    def _word(self, token: _Token) -> Fraction:
        if token.text in _FUNCTIONS:
            if not self._takes("("):
                self._fail(self.tokens[self.next], f"a parenthesis is missing after {token.text}")
            values = [self._sum()]
            while self._takes(","):
                values.append(self._sum())
            self._close()
            return _FUNCTIONS[token.text](values)
        if token.text not in NAMES:
            self._fail(token, f"unknown name {token.text!r}; names are {', '.join(sorted(NAMES))}")
        self.used.append(token.text)
        if token.text not in self.names:
            self._fail(token, f"{token.text} of this host is unknown; check the host first")
        return Fraction(self.names[token.text])

    def _close(self) -> None:
        if not self._takes(")"):
            self._fail(self.tokens[self.next], "a closing parenthesis is missing")

    def _fail(self, token: _Token, reason: str) -> NoReturn:
        raise ExpressionError(self.text, token.position, reason)

"""Size expressions: correct by example and by property, and safe."""

from fractions import Fraction

import pytest
from assay.kinds.expressions import (
    NAMES,
    UNITS,
    ExpressionError,
    evaluate,
    names_in,
)
from hypothesis import given
from hypothesis import strategies as st

KNOWN = {"ram": 64 * 10**9, "cpus": 16, "free": 900 * 10**9, "rate": 181 * 10**6}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("500 MB", 500_000_000),
        ("500MB", 500_000_000),
        ("1.5 GiB", 3 * 2**29),
        ("0.1 kB", 100),
        ("2 * ram", 128 * 10**9),
        ("min(1 GB, free / 10)", 10**9),
        ("max(1 GB, free / 10, 5)", 90 * 10**9),
        ("7 / 2", 3),
        ("3 - 4 - 5", -6),
        ("100 / 10 / 5", 2),
        ("2 + 3 * 4", 14),
        ("(2 + 3) * 4", 20),
        ("ram / cpus", 4 * 10**9),
        ("  42\t", 42),
        ("min(1 TB, min(ram, 3))", 3),
    ],
)
def test_valid_expressions(text: str, value: int) -> None:
    assert evaluate(text, KNOWN) == value


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "is missing"),
        ("2 *", "is missing"),
        ("2 * rm", "unknown name 'rm'"),
        ("1 XB", "unknown unit 'XB'"),
        ("1 / (2 - 2)", "division by zero"),
        ("(1", "closing parenthesis"),
        ("1)", "unexpected"),
        ("1 2", "unexpected"),
        ("min 1", "parenthesis is missing after min"),
        ("min()", "unexpected"),
        ("ram ** 2", "unexpected"),
        ("-1", "unexpected"),
        ("1e9", "unknown unit"),
        ("__import__('os')", "unexpected '_'"),
        ("ram.real", "unexpected '.'"),
        ("ram\n;ls", "unexpected ';'"),
        ("\u0661", "unexpected"),
        ("(" * 100, "too many parentheses"),
        ("1" * 201, "longer than 200"),
        ("1" * 30, "too long"),
    ],
)
def test_a_syntax_error_has_position_and_reason(text: str, reason: str) -> None:
    with pytest.raises(ExpressionError, match="at character") as caught:
        evaluate(text, KNOWN)
    assert reason in str(caught.value)
    with pytest.raises(ExpressionError):
        names_in(text)


def test_a_name_as_divisor_is_checked_only_with_its_value() -> None:
    assert names_in("1 / (cpus - free)") == {"cpus", "free"}
    with pytest.raises(ExpressionError, match="division by zero"):
        evaluate("1 / (cpus - free)", {"cpus": 2, "free": 2})
    with pytest.raises(ExpressionError, match="division by zero"):
        names_in("ram / (2 - 2)")


def test_a_name_without_a_value_is_reported() -> None:
    with pytest.raises(ExpressionError, match="check the host first"):
        evaluate("2 * ram", {})


@given(st.text(alphabet="0123456789.()+-*/, abcdefgmruinx\nGBKi_'\"", max_size=60))
def test_any_text_has_a_value_or_an_error(text: str) -> None:
    try:
        assert isinstance(evaluate(text, KNOWN), int)
    except ExpressionError as error:
        assert 0 <= error.position <= len(text)


Expressions = st.SearchStrategy[tuple[str, Fraction]]

_leaf = st.one_of(
    st.integers(0, 10**12).map(lambda n: (str(n), Fraction(n))),
    st.tuples(st.integers(0, 10**6), st.sampled_from(sorted(UNITS))).map(
        lambda pair: (f"{pair[0]} {pair[1]}", Fraction(pair[0] * UNITS[pair[1]]))
    ),
    st.sampled_from(sorted(NAMES)).map(lambda name: (name, Fraction(KNOWN[name]))),
)


def _grow(
    children: st.SearchStrategy[tuple[str, Fraction]],
) -> st.SearchStrategy[tuple[str, Fraction]]:
    pairs = st.tuples(children, children)
    return st.one_of(
        pairs.map(lambda p: (f"({p[0][0]} + {p[1][0]})", p[0][1] + p[1][1])),
        pairs.map(lambda p: (f"({p[0][0]} - {p[1][0]})", p[0][1] - p[1][1])),
        pairs.map(lambda p: (f"({p[0][0]}*{p[1][0]})", p[0][1] * p[1][1])),
        pairs.filter(lambda p: p[1][1] != 0).map(
            lambda p: (f"({p[0][0]} / {p[1][0]})", p[0][1] / p[1][1])
        ),
        pairs.map(lambda p: (f"min({p[0][0]},{p[1][0]})", min(p[0][1], p[1][1]))),
        pairs.map(lambda p: (f"max( {p[0][0]} , {p[1][0]} )", max(p[0][1], p[1][1]))),
    )


@given(st.recursive(_leaf, _grow, max_leaves=8).filter(lambda one: len(one[0]) <= 200))
def test_the_value_is_exact_and_rounded_down(one: tuple[str, Fraction]) -> None:
    text, value = one
    assert evaluate(text, KNOWN) == value.numerator // value.denominator
    assert names_in(text) == {name for name in NAMES if name in text}

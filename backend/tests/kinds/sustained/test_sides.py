"""The worse of two directions, where one of them is unknown or only bounded."""

from math import inf
from types import SimpleNamespace
from typing import Any, cast

import pytest
from assay.kinds.metrics import Arguments, Doubt, Measurement
from assay.kinds.sustained.result import SustainedResult
from assay.kinds.sustained.selection import worst
from hypothesis import given
from hypothesis import strategies as st


def read_by(*found: Measurement, highest: bool) -> Measurement:
    sides = dict(zip(("write", "read"), found, strict=True))
    result: Any = SimpleNamespace(
        operations=list(sides), of=lambda name: SimpleNamespace(name=name, cells=[])
    )

    def read(side: SustainedResult, _: Arguments) -> Measurement:
        return sides[cast(Any, side).name]

    return worst(read, highest=highest)(result, {})


def doubtful(value: float, **bound: Any) -> Measurement:
    return Measurement(value, doubts=[Doubt("contended", "others", **bound)])


@pytest.mark.parametrize(
    ("highest", "one", "other", "ends"),
    [
        # what may be either is a bound of the worse side only
        (True, Measurement(6.0), doubtful(1.0), (6, inf)),
        (False, Measurement(6.0), doubtful(9.0), (-inf, 6)),
        # a range reaches as far as the other one may
        (True, Measurement(6.0), doubtful(1.0, least=0.5, most=2.0), (6, 6)),
        (True, Measurement(6.0), doubtful(1.0, least=0.5, most=8.0), (6, 8)),
        (False, Measurement(6.0), doubtful(9.0, least=2.0, most=20.0), (2, 6)),
        (True, Measurement(6.0), doubtful(9.0, bound="upper"), (6, 9)),
        # more than 1 is not more than 6
        (True, Measurement(6.0), doubtful(1.0, bound="lower", strict=True), (6, inf)),
    ],
)
def test_the_true_worst_value_lies_within_what_both_directions_leave(
    highest: bool, one: Measurement, other: Measurement, ends: tuple[float, float]
) -> None:
    for sides in ((one, other), (other, one)):
        found = read_by(*sides, highest=highest)
        assert found.value == 6
        of_each = [doubt.ends(6.0) for doubt in found.doubts] or [(6.0, 6.0)]
        assert (min(low for low, _ in of_each), max(high for _, high in of_each)) == ends
        assert not any(doubt.strict for doubt in found.doubts)


VALUE = st.integers(1, 9).map(float)


@st.composite
def measurements(draw: st.DrawFn) -> tuple[Measurement, float, float]:
    """Return a measurement, and a range of the true value that its doubt leaves."""
    value, bound = draw(VALUE), draw(st.sampled_from(["upper", "lower", None, "certain"]))
    if bound == "certain":
        return Measurement(value), value, value
    ends = sorted([draw(VALUE), draw(VALUE), value])
    found = doubtful(value, bound=bound, least=ends[0], most=ends[-1])
    low, high = found.doubts[0].ends(value)
    return found, low, high


@given(measurements(), measurements(), st.booleans(), st.floats(0, 1), st.floats(0, 1))
def test_whatever_the_true_values_are_the_worst_is_in_the_range(
    one: tuple[Measurement, float, float],
    other: tuple[Measurement, float, float],
    highest: bool,
    at_one: float,
    at_other: float,
) -> None:
    found = read_by(one[0], other[0], highest=highest)
    assert found.value is not None
    ends = [doubt.ends(found.value) for doubt in found.doubts] or [(found.value, found.value)]
    truth = [low + (high - low) * at for (_, low, high), at in ((one, at_one), (other, at_other))]
    worst = max(truth) if highest else min(truth)
    assert min(low for low, _ in ends) - 1e-9 <= worst <= max(high for _, high in ends) + 1e-9


def at_least(value: float) -> Measurement:
    return Measurement(value, doubts=[Doubt("censored", "more", bound="lower")])


UNKNOWN = Measurement(None, doubts=[Doubt("not_measured", "nothing")])


@pytest.mark.parametrize(
    ("sides", "highest", "value", "bounds"),
    [
        ((Measurement(3.0), Measurement(5.0)), True, 5, []),
        ((Measurement(3.0), Measurement(5.0)), False, 3, []),
        ((Measurement(6.0), at_least(1.0)), False, 6, ["upper"]),
        ((Measurement(6.0), at_least(9.0)), False, 6, []),
        ((Measurement(6.0), UNKNOWN), False, 6, ["upper"]),
        ((Measurement(6.0), UNKNOWN), True, 6, ["lower"]),
        ((UNKNOWN, UNKNOWN), True, None, [None]),
        ((at_least(2.0), at_least(3.0)), False, 2, ["lower"]),
    ],
)
def test_a_certain_value_counts_and_what_may_be_worse_makes_it_a_bound(
    sides: tuple[Measurement, Measurement],
    highest: bool,
    value: float | None,
    bounds: list[str | None],
) -> None:
    found = read_by(*sides, highest=highest)
    assert (found.value, [doubt.bound for doubt in found.doubts]) == (value, bounds)

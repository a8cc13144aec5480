"""The graver of two directions, where one of them is unknown or only bounded."""

from types import SimpleNamespace
from typing import Any, cast

import pytest
from assay.kinds.metrics import Arguments, Doubt, Measurement
from assay.kinds.sustained.result import SustainedResult
from assay.kinds.sustained.sides import gravest


def read_by(*found: Measurement, highest: bool) -> Measurement:
    sides = dict(zip(("write", "read"), found, strict=True))
    result: Any = SimpleNamespace(
        operations=list(sides), of=lambda name: SimpleNamespace(name=name, cells=[])
    )

    def read(side: SustainedResult, _: Arguments) -> Measurement:
        return sides[cast(Any, side).name]

    return gravest(read, highest=highest)(result, {})


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
def test_a_certain_value_counts_and_what_may_be_graver_makes_it_a_bound(
    sides: tuple[Measurement, Measurement],
    highest: bool,
    value: float | None,
    bounds: list[str | None],
) -> None:
    found = read_by(*sides, highest=highest)
    assert (found.value, [doubt.bound for doubt in found.doubts]) == (value, bounds)

"""The rows of `make bench` and their verdicts."""

from typing import Any

import figures
import pytest


def measured(*values: float, **bar: float) -> dict[str, Any]:
    return {"name": "launch", "values": list(values), "unit": "s", "bar": bar or None}


@pytest.mark.parametrize(
    ("values", "verdict"),
    [
        ((0.7, 0.8, 0.9), "yes"),
        ((1.2, 1.3, 1.4), "no"),
        ((0.8, 0.9, 1.9, 2.1, 0.7), "inconclusive"),
    ],
)
def test_a_duration_reaches_its_limit_only_with_its_whole_interval(
    values: tuple[float, ...], verdict: str
) -> None:
    assert figures.of_appliance(measured(*values, below=1)).verdict == verdict


def test_a_size_may_equal_its_limit() -> None:
    assert figures.of_appliance(measured(250, most=250)).verdict == "yes"


def test_a_figure_without_a_limit_has_no_verdict() -> None:
    figure = figures.of_appliance(measured(1.0))
    assert figure.verdict is None
    assert figure.row[-1] == "–"


def test_the_row_of_a_probe_figure_has_its_verdict() -> None:
    said = {"name": "disk", "value": "0.911 (0.873…0.944)", "bar": "≥ 0.97", "verdict": "no"}
    assert figures.of_probe(said).row == ("disk", "≥ 0.97", "0.911", "0.873…0.944", "no")

"""Figures: what a criterion that names the same cell measures, of golden runs of every kind."""

from collections.abc import Mapping
from typing import Any

import pytest
from assay.kinds.figures import Figure, cell_name, cell_of, figures_of, headline_value
from assay.kinds.registry import KINDS
from assay.kinds.result import BaseResult
from assay.kinds.run_record import RunRecord
from assay.runs.verdicts.criteria import parse
from assay.runs.verdicts.judging import fitting
from assay.runs.verdicts.units import PLAIN
from golden.runs import RUNS
from golden.test_golden import made

UNITS = {**PLAIN, "size": "B", "rate": "B/s", "duration": "ns"}


def figures(result: BaseResult, run: RunRecord) -> list[Figure]:
    return figures_of(KINDS[result.kind], parameters_of(result, run), result)


def parameters_of(result: BaseResult, run: RunRecord) -> Mapping[str, Any]:
    """Return the parameters of a golden run; some have no more than it is judged by."""
    known = {**KINDS[result.kind].examples.parameters, **run.parameters}
    if result.kind == "matrix":
        axes = result.model_dump()["axes"]
        known |= axes | {"repeats": max(one.repeat for one in run.trials)}
    if result.kind == "records":
        known["record_bytes"] = [one["record_bytes"] for one in result.model_dump()["cells"]]
    return known


def criterion_of(figure: Figure) -> str:
    """Return the metric and the cell of a figure as a criterion has them, with some limit."""
    dimension = figure.metric.dimension
    limit = {"yes_no": "", "share": " < 50 %"}.get(dimension, f" >= 2 {UNITS.get(dimension, '')}")
    cell = cell_of(cell_name(figure.metric, figure.cell))
    units = {one.name: UNITS.get(one.dimension, "") for one in figure.metric.arguments}
    given = ", ".join(
        f"{name}={value}" if isinstance(value, str) else f"{name}={value:.15g} {units[name]}"
        for name, value in cell.items()
    )
    return f"{figure.metric.name}{f'({given})' if given else ''}{limit}"


@pytest.mark.parametrize("name", RUNS)
def test_a_figure_is_what_a_criterion_of_the_same_cell_measures(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    result, run = made(name, monkeypatch)
    kind, parameters = KINDS[result.kind], parameters_of(result, run)
    found = figures_of(kind, parameters, result)
    assert found
    for figure in found:
        applied = fitting(kind, parameters, parse(criterion_of(figure)))
        assert not isinstance(applied, str), applied
        assert dict(applied.arguments) == dict(figure.cell)
        assert applied.metric.read(result, applied.arguments) == figure.measurement


@pytest.mark.parametrize("name", RUNS)
def test_each_metric_that_a_test_can_give_has_one_figure_of_the_run(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    result, run = made(name, monkeypatch)
    kind, found = KINDS[result.kind], figures(result, run)
    keys = [(one.metric.name, cell_name(one.metric, one.cell)) for one in found]
    assert len(set(keys)) == len(keys)
    test = kind.resolved.model_validate({"kind": kind.name, **parameters_of(result, run)})
    free = [one for one in kind.metrics if not any(own.required for own in one.arguments)]
    given = {one.name for one in free if one.unavailable(test, {}) is None}
    assert {one.metric.name for one in found if not one.cell} == given


@pytest.mark.parametrize(
    ("name", "metric", "cells"),
    [
        ("matrix-write", "durable.mean", 12),
        ("matrix-write", "stall.max", 12),
        ("matrix-read", "verify.errors", 0),
        ("sustained-paced", "due.p99", 1),
        ("path-sink-disk", "path.rate", 1),
        ("path-sink-disk", "leg.read.rate", 1),
        ("records-disk", "records.rate", 2),
        ("tool-two", "tool.rate", 1),  # no argument names the tool
    ],
)
def test_each_cell_that_a_metric_can_name_has_a_figure(
    name: str, metric: str, cells: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = [one for one in figures(*made(name, monkeypatch)) if one.metric.name == metric]
    assert sum(bool(one.cell) for one in found) == cells


@pytest.mark.parametrize("name", RUNS)
def test_a_measured_figure_has_repeats_and_only_a_mean_of_several_has_a_spread(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for one in figures(*made(name, monkeypatch)):
        found = one.measurement
        assert found.value is None or found.repeats > 0, one.metric.name
        assert found.spread is None or found.repeats > 1, one.metric.name


@pytest.mark.parametrize("name", RUNS)
def test_the_headline_is_a_figure_of_the_run(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    result, run = made(name, monkeypatch)
    known = result.model_dump()
    shown = [one.measurement.value for one in figures(result, run) if one.headline]
    assert shown == ([known["best_bytes_per_s"]] if known.get("best_bytes_per_s") else shown)
    assert shown == [one for one in [headline_value(KINDS[result.kind], result)] if one]
    assert all(not one.cell and one.leading for one in figures(result, run) if one.headline)


def test_the_leading_cell_of_a_matrix_has_the_values_of_the_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    result, run = made("matrix-write", monkeypatch)
    leading = {
        (one.metric.name, bool(one.cell)): one.measurement.value
        for one in figures(result, run)
        if one.leading
    }
    of_cells = {name: value for (name, named), value in leading.items() if named}
    assert of_cells == {name: value for (name, named), value in leading.items() if not named}
    assert "durable.mean" in of_cells
    assert "stall.max" not in of_cells  # it is of all cells


def test_a_metric_whose_argument_only_a_criterion_gives_has_no_figure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names = {one.metric.name for one in figures(*made("sustained-paced", monkeypatch))}
    assert "frames.needed" in names
    assert not {"buffer_at", "dropped_at"} & names


def test_the_name_of_a_cell_gives_its_arguments() -> None:
    metric = next(one for one in KINDS["sustained"].metrics if one.name == "app.mean")
    cell = {"idle": 10.0**9, "block": 1048576.0, "cache": 1.0}
    name = cell_name(metric, cell)
    assert name == "block=1048576,idle=1000000000,cache=direct"
    assert cell_of(name) == {"block": 1048576, "idle": 10**9, "cache": "direct"}
    assert cell_of("") == {}

"""The directions of doubts: one table, which documentation, readings and verdicts follow."""

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, get_args

import pytest
from assay.analysis.flags import EXCLUDED, Flag
from assay.kinds.bounds import (
    SENSES,
    TABLE,
    Cause,
    bound_of,
    cause_of,
    documented,
    effect,
)
from assay.kinds.doubts import of_flagged
from assay.kinds.kind import Kind
from assay.kinds.metrics import Arguments, DoubtCode, Measurement, Metric
from assay.kinds.registry import KINDS
from assay.kinds.sustained.figures import TrialDirection
from golden.examples import EXAMPLES
from golden.runs import RUNS

DOCUMENTATION = Path(__file__).parents[3] / "docs" / "measuring.md"

REQUIRED: Arguments = {"rate": 1e6, "frames": 8}
"""Values of the arguments that some metrics must have."""

OF_THE_LINK, OF_THE_LENGTH = {"path.retransmitted", "path.rtt"}, {"too_short", "short_overlap"}
"""The kernel's figures of a link do not depend on how long the trial was measured."""

FIGURES = {"others_bytes": 4e8, "paused_ns": 1e9}


def metrics() -> Iterator[tuple[Kind, Metric]]:
    return ((kind, metric) for kind in KINDS.values() for metric in kind.metrics)


@cache
def golden(kind: str) -> dict[str, Any]:
    """Return the golden result of a kind that is the example of the API's description."""
    return RUNS[EXAMPLES[kind].run]().model_dump(mode="json")


def flagged(kind: Kind, code: str, figures: dict[str, float]) -> Any:
    """Return the golden result of a kind, all of whose trials have a flag."""
    rates = ["durable", "application"]
    flag = {"code": code, "evidence": "Disturbed.", "figures": figures, "rates": rates}

    def mark(part: Any) -> None:
        if isinstance(part, list):
            for one in part:
                mark(one)
        elif isinstance(part, dict):
            if "repeat" in part and "status" in part:  # a trial
                part["flags"] = [flag | {"participant_id": None}]
            if "reliable" in part:
                part["reliable"] = False
            for one in part.values():
                mark(one)

    document = deepcopy(golden(kind.name))
    mark(document)
    return kind.result.model_validate(document)


def read(metric: Metric, result: Any) -> Measurement:
    needed = {one.name: REQUIRED[one.name] for one in metric.arguments if one.required}
    return metric.read(result, needed)


def test_every_cause_and_every_doubt_has_a_row() -> None:
    assert set(TABLE) == set(get_args(Cause))
    codes = {code for row in TABLE.values() for code in row.codes}
    # a cliff gives a range, what was not measured has no value, and no reading doubts `unstable`
    assert set(get_args(DoubtCode)) - codes == {"cliff", "not_measured", "unstable"}


@pytest.mark.parametrize("code", sorted(EXCLUDED))
def test_every_flag_that_excludes_a_trial_is_a_cause_of_doubt(code: Any) -> None:
    assert cause_of(Flag(code, "", FIGURES), reads=False, concurrent=False) is not None


def test_the_documentation_has_the_table() -> None:
    assert "\n".join(documented()) in DOCUMENTATION.read_text()


@pytest.mark.parametrize("helped", [False, True], ids=["alone", "others read"])
@pytest.mark.parametrize("code", sorted(EXCLUDED))
def test_every_metric_reads_a_flag_in_the_direction_of_the_table(code: Any, helped: bool) -> None:
    figures = FIGURES | ({"others_read_bytes": 4e8} if helped else {})
    for kind, metric in metrics():
        found = read(metric, flagged(kind, code, figures))
        if found.value is None:
            continue
        given = [
            cause_of(Flag(code, "", figures), reads=reads, concurrent=concurrent)
            for reads, concurrent in product((False, True), repeat=2)
        ]
        causes = [cause for cause in given if cause is not None]
        doubts = [doubt for doubt in found.doubts if doubt.code == code]
        if not causes or {effect(cause, metric.sense) for cause in causes} == {"none"}:
            assert doubts == [], metric.name
            continue
        assert doubts or (metric.name in OF_THE_LINK and code in OF_THE_LENGTH), metric.name
        for doubt in doubts:
            if "gap" not in doubt.message:
                assert doubt.bound in {bound_of(cause, metric.sense) for cause in causes}
            assert (doubt.least, doubt.most) == (None, None)


@pytest.mark.parametrize("operation", ["write", "read"])
def test_reads_by_others_help_only_a_test_that_reads(operation: str) -> None:
    kind = KINDS["matrix"]
    result = flagged(kind, "contended", {"others_read_bytes": 4e8})
    result = result.model_copy(update={"operation": operation})
    (metric,) = [one for one in kind.metrics if one.name == "app.mean"]
    bounds = {one.bound for one in read(metric, result).doubts if one.code == "contended"}
    assert bounds == {"lower" if operation == "write" else None}


@pytest.mark.parametrize("mixed", [False, True])
def test_reads_by_others_may_help_the_writes_of_a_mixed_test(mixed: bool) -> None:
    kind = KINDS["sustained"]
    result = flagged(kind, "contended", {"others_read_bytes": 4e8})
    assert result.operation == "write"
    if mixed:
        (trial,) = result.cells[0].trials
        trial.directions.append(TrialDirection("read", None, None, 1e6, None, None, None, None))
    (metric,) = [one for one in kind.metrics if one.name == "write.mean"]
    bounds = {one.bound for one in read(metric, result).doubts if one.code == "contended"}
    assert bounds == {None if mixed else "lower"}


def with_operations(kind: Kind, threads: int, streams: int, depth: int, offered: Any) -> Any:
    """Return the starved golden result of a kind with so many operations at once in all cells."""
    result = flagged(kind, "starved", FIGURES)
    settings = {"threads": threads, "streams": streams, "queue_depth": depth}
    given = settings | {"offered_bytes_per_s": offered}
    cells = [
        replace(cell, **{name: value for name, value in given.items() if hasattr(cell, name)})
        for cell in result.cells
    ]
    return result.model_copy(update={"cells": cells, "participants": result.participants[:1]})


@pytest.mark.parametrize(
    ("kind", "at_once", "bound"),
    [
        ("matrix", (1, 1, 1, None), "upper"),
        ("matrix", (2, 1, 1, None), None),
        ("sustained", (1, 1, 1, None), "upper"),
        ("sustained", (1, 4, 1, None), None),
        ("sustained", (1, 1, 32, None), None),
        ("sustained", (1, 4, 32, 10**8), "upper"),  # paced
    ],
)
def test_starvation_may_shorten_latencies_of_several_operations_at_once(
    kind: str, at_once: tuple[int, int, int, int | None], bound: str | None
) -> None:
    """The storage has fewer of them at a time; a pace goes on without the probe."""
    result = with_operations(KINDS[kind], *at_once)
    metrics = {one.name: one for one in KINDS[kind].metrics}
    named = {"threads": at_once[0]} if kind == "matrix" else {}  # the best one is named by them
    for name, expected in (("write.p50", bound), ("app.mean", "lower")):
        found = metrics[name].read(result, named)
        assert found.value is not None, name
        bounds = {doubt.bound for doubt in found.doubts if doubt.code == "starved"}
        assert bounds == {expected}, name


def test_flags_with_different_directions_leave_both() -> None:
    flags = [Flag("contended", "", {"others_read_bytes": read}) for read in (4e8, 0.0)]
    for order in (flags, flags[::-1]):
        assert [one.bound for one in of_flagged(order, "rate", reads=True)] == [None]
    assert [one.bound for one in of_flagged(flags, "rate", reads=False)] == ["lower"]
    assert of_flagged(flags, "defects", reads=True) == []


def test_a_disturbance_and_a_cache_have_opposite_directions() -> None:
    found = {(effect("contended", sense), effect("cached", sense)) for sense in SENSES}
    assert {("lower", "upper"), ("upper", "lower")} <= found
    assert not {("lower", "lower"), ("upper", "upper")} & found

"""The examples of the API's description: a golden run of each kind, and the test that it measures.

A test is written as a person would send it. What it makes of the parameters and the first trial is
planned; the result and its comparison are those of golden runs, with long lists abridged.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, cast

from assay.kinds.examples import Examples
from assay.kinds.figures import headline_value
from assay.kinds.kind import Kind
from assay.kinds.planning import Place, PlannedRun
from assay.kinds.registry import KINDS, trial_parameters
from assay.kinds.result import BaseResult
from golden.runs import DEFINITIONS, MIB, RUNS
from kinds.sustained.simulated import place

RUN_ID, OTHER_RUN_ID = 42, 43
MOST, MOST_INSIDE = 4, 1
"""Entries that are shown of a list of objects, and of one in another."""

DIGITS = 6
WIDTH = 100


@dataclass(frozen=True)
class Example:
    """A golden run, another one with which it is compared, and the test that it measures."""

    run: str
    compared: str
    test: Mapping[str, Any]
    places: Sequence[Place]
    """Where it measures; of a transfer its sources, and then its sink."""


def _memory(host: int) -> Place:
    return place(host_id=host, host_name=f"web-{host}", target_id=None, path=None)


_SOURCE = place(host_name="host-a", tools=DEFINITIONS)
_SINK = place(target_id=2, host_id=2, host_name="host-b", tools=DEFINITIONS)

EXAMPLES: Mapping[str, Example] = {
    "matrix": Example(
        "matrix-far-below",
        "matrix-write",
        {
            "operation": "write",
            "title": "Write",
            "block": [MIB],
            "threads": [1],
            "file_size": "min(1 GB, free / 10)",
            "cache": "direct_if_real",
            "repeats": 3,
        },
        [place()],
    ),
    "sustained": Example(
        "sustained-levels",
        "sustained-stall",
        {
            "title": "Sustained write",
            "block": [1_000_000],
            "length": "min(2 * ram, 2 GB)",
            "mark_bytes": 10_000_000,
        },
        [place()],
    ),
    "path": Example(
        "path-sink-disk",
        "path-undetermined",
        {"title": "Path to the archive", "length": "min(2 * ram, 10 GB)"},
        [_SOURCE, _SINK],
    ),
    "records": Example(
        "records-levels",
        "records-disk",
        {
            "title": "Records to a file",
            "record_bytes": [1024],
            "warm_up_ms": 0,
            "window_ms": 12_000,
            "repeats": 1,
        },
        [*map(_memory, (1, 2, 3)), place(host_id=4, host_name="log", path="/mnt/log")],
    ),
    "tool": Example(
        "tool-two",
        "path-sink-disk",
        {
            "title": "rsync and scp",
            "tools": [*DEFINITIONS],
            "length": "min(2 * ram, 400 MB)",
            "files": [4],
            "repeats": 2,
        },
        [_SOURCE, _SINK],
    ),
}
"""Of each kind the run that shows most, and is short."""


def examples(name: str) -> Examples:
    """Return the examples of a kind."""
    kind, shown = KINDS[name], EXAMPLES[name]
    test = kind.test.model_validate({"kind": name, **shown.test})
    planned = _planned(kind, test, shown.places)
    first = min(planned.order(), key=lambda one: (one.repeat, one.cell))  # the order is shuffled
    result, other = _result(shown.run, RUN_ID), _result(shown.compared, OTHER_RUN_ID)
    found = asdict(kind.outcome(result))
    headline = found["headline"].model_dump(mode="json")
    outcome = {"headline": headline, "headline_levels": found["headline_levels"]}
    best = headline_value(kind, result)
    return Examples(
        test=test.model_dump(mode="json"),
        parameters=kind.resolved.model_validate(planned.parameters).model_dump(mode="json"),
        trial=trial_parameters(name, first.parameters).model_dump(mode="json"),
        cell=first.cell,
        outcome=abridged(outcome | {"best_bytes_per_s": best}),
        result=abridged(result.model_dump(mode="json")),
        comparison=abridged(kind.compare([result, other]).model_dump(mode="json")),
    )


def _result(run: str, run_id: int) -> BaseResult:
    return RUNS[run]().model_copy(update={"run_id": run_id})


def _planned(kind: Kind, test: Any, places: Sequence[Place]) -> PlannedRun:
    """Return the plan of the first participant."""
    if kind.transfers:
        *sources, sink = places
        plans = [kind.plan_transfer(0, test, one, sink, _field) for one in sources]
    else:
        plans = [kind.plan(0, test, one, _field) for one in places]
    assert not [problem for _, problems in plans for problem in problems]
    return kind.joined(kind.alike([run for run, _ in plans if run]))[0]


def _field(_: int, name: str) -> str:
    return name


def abridged(value: Any, most: int = MOST) -> Any:
    """Return a JSON value with the first entries of its lists of objects, and rounded numbers."""
    match value:
        case float():
            return float(f"{value:.{DIGITS}g}")
        case dict():
            named = cast("dict[str, Any]", value).items()
            return {name: abridged(one, most) for name, one in named}
        case list():
            several = cast("list[Any]", value)
            objects = any(isinstance(one, dict) for one in several)
            return [abridged(one, MOST_INSIDE) for one in several[: most if objects else None]]
        case _:
            return value


def written(value: Any, indent: int = 0) -> str:
    """Return a JSON value as text, with as much on each line as fits."""
    line = json.dumps(value, ensure_ascii=False)
    if indent + len(line) <= WIDTH or not isinstance(value, dict | list):
        return line
    inner = indent + 1
    if isinstance(value, list):
        parts, ends = [written(one, inner) for one in cast("list[Any]", value)], "[]"
    else:
        named = cast("dict[str, Any]", value).items()
        parts, ends = [f"{json.dumps(name)}: {written(one, inner)}" for name, one in named], "{}"
    lines = [parts[0]]
    for part in parts[1:]:
        together = f"{lines[-1]}, {part}"
        if "\n" in together or inner + len(together) >= WIDTH:
            lines[-1] += ","
            lines.append(part)
        else:
            lines[-1] = together
    inside = "".join(f"\n{' ' * inner}{one}" for one in lines)
    return f"{ends[0]}{inside}\n{' ' * indent}{ends[1]}"

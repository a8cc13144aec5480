"""Golden runs of every kind: their results, and what people read of them, are as stored.

After an intended change, `GOLDEN=write` stores what is now; the commit's diff shows it.
"""

import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from pathlib import Path
from typing import Any, cast

import pytest
from assay.kinds.examples import file_of
from assay.kinds.export import JUDGED, OF_TRIAL, ExportColumn, ExportedTrial
from assay.kinds.kind import Kind
from assay.kinds.registry import KINDS
from assay.kinds.result import BaseResult
from assay.kinds.run_record import RunRecord
from assay.runs.markdown import run_markdown
from golden.examples import examples, written
from golden.runs import RUNS
from kinds.tables import csv_of, trials_of

STORED = Path(__file__).with_name("stored")
DIGITS = 10
"""Of stored numbers: libraries of mathematics differ in the last ones."""


def shortened(value: Any) -> Any:
    """Return a JSON value with its numbers rounded."""
    match value:
        case float():
            return float(f"{value:.{DIGITS}g}")
        case dict():
            return {name: shortened(one) for name, one in cast("dict[str, Any]", value).items()}
        case list():
            return [shortened(one) for one in cast("list[Any]", value)]
        case _:
            return value


def figures_of(result: BaseResult) -> str:
    """Return all that programs read of a result; sentences are among it, beside their codes.

    Sorted: the order of fields is no part of an answer.
    """
    known = result.model_dump(mode="json", exclude={"edition"})
    return json.dumps(shortened(known), indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def made(name: str, monkeypatch: pytest.MonkeyPatch) -> tuple[BaseResult, RunRecord]:
    """Return the result of a golden run, and the run that its kind judged."""
    kind, runs = type(KINDS[name.split("-", maxsplit=1)[0]]), list[RunRecord]()
    judge = kind.judge

    def judged(self: Kind, run: RunRecord) -> BaseResult:
        runs.append(run)
        return judge(self, run)

    monkeypatch.setattr(kind, "judge", judged)
    return RUNS[name](), runs[-1]


def texts_of(result: BaseResult, run: RunRecord) -> str:
    """Return what people read of a result: in a terminal, in Markdown, in pictures, and as CSV."""
    kind = KINDS[result.kind]
    report = kind.report(result.model_dump(mode="json"))
    shown: dict[str, Any] = {"title": "Golden", "error": None, "participants": []}
    pictures = [asdict(one) for one in report.pictures]
    return "\n".join(
        [
            report.title,
            "",
            *run_markdown(shown, report),
            json.dumps(shortened(pictures), default=str, ensure_ascii=False),
            "",
            csv_of(result, run).replace("\r\n", "\n"),
        ]
    )


def stored(path: Path, now: str) -> str:
    """Return the stored text of a file; write it first if that was asked for."""
    if os.environ.get("GOLDEN") == "write":
        path.write_text(now)
    return path.read_text()


@pytest.mark.parametrize("name", RUNS)
def test_results_and_their_texts_are_as_stored(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    result, run = made(name, monkeypatch)
    figures, texts = figures_of(result), texts_of(result, run)
    assert json.loads(figures) == json.loads(stored(STORED / f"{name}.json", figures))
    assert texts == stored(STORED / f"{name}.txt", texts)


def texts_in(value: Any) -> Iterator[str]:
    """Yield all strings in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        many = cast("dict[str, Any]", value).values() if isinstance(value, dict) else value
        for one in cast("Iterable[Any]", many):
            yield from texts_in(one)


@pytest.mark.parametrize("name", RUNS)
def test_no_rate_is_part_of_a_text_for_readers_choose_its_unit(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    result, _ = made(name, monkeypatch)
    texts = texts_in(result.model_dump(mode="json"))
    assert [text for text in texts if re.search(r"\d .?B/s", text)] == []


@pytest.mark.parametrize("kind", KINDS)
def test_the_examples_of_the_api_are_those_of_golden_runs(kind: str) -> None:
    now = written(asdict(examples(kind))) + "\n"
    assert stored(file_of(kind), now) == now


TYPES: dict[str, tuple[type, ...]] = {
    "text": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "time": (datetime,),
}


@pytest.mark.parametrize("name", RUNS)
def test_values_in_tables_have_the_types_of_their_columns(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    result, run = made(name, monkeypatch)
    kind, trials = KINDS[result.kind], trials_of(result, run)
    whole = [
        replace(trials[figures.id], cell=cell, figures=figures)
        for cell, figures in kind.exported(result)
    ]
    tables: list[tuple[Sequence[ExportColumn], Sequence[ExportedTrial]]] = [
        ((*OF_TRIAL, *JUDGED, *kind.export_columns), [*trials.values(), *whole]),
        (kind.csv_columns(result), list(kind.csv_rows(result, trials))),
    ]
    for columns, rows in tables:
        for column in columns:
            values = [value for row in rows if (value := column.read(row)) is not None]
            assert all(isinstance(value, TYPES[column.type]) for value in values), column.name


def test_every_kind_has_golden_runs_and_nothing_else_is_stored() -> None:
    assert {name.split("-")[0] for name in RUNS} == set(KINDS)
    assert {path.stem for path in STORED.iterdir()} == set(RUNS)

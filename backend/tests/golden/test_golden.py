"""Golden runs of every kind: their results, and what people read of them, are as stored.

After an intended change, `GOLDEN=write` stores what is now; the commit's diff shows it.
"""

import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

import pytest
from assay.kinds.examples import file_of
from assay.kinds.registry import KINDS
from assay.kinds.result import BaseResult
from assay.runs.markdown import run_markdown
from golden.examples import examples, written
from golden.runs import RUNS

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
    """Return all that programs read of a result; sentences are among it, beside their codes."""
    known = result.model_dump(mode="json", exclude={"edition"})
    return json.dumps(shortened(known), indent=1, ensure_ascii=False) + "\n"


def texts_of(result: BaseResult) -> str:
    """Return what people read of a result: in a terminal, in Markdown, in pictures, and as CSV."""
    kind = KINDS[result.kind]
    report = kind.report(result.model_dump(mode="json"))
    run: dict[str, Any] = {"title": "Golden", "error": None, "participants": []}
    pictures = [asdict(one) for one in report.pictures]
    return "\n".join(
        [
            report.title,
            "",
            *run_markdown(run, report),
            json.dumps(shortened(pictures), default=str, ensure_ascii=False),
            "",
            kind.table(result).replace("\r\n", "\n"),
        ]
    )


def stored(path: Path, now: str) -> str:
    """Return the stored text of a file; write it first if that was asked for."""
    if os.environ.get("GOLDEN") == "write":
        path.write_text(now)
    return path.read_text()


@pytest.mark.parametrize("name", RUNS)
def test_results_and_their_texts_are_as_stored(name: str) -> None:
    result = RUNS[name]()
    figures, texts = figures_of(result), texts_of(result)
    assert json.loads(figures) == json.loads(stored(STORED / f"{name}.json", figures))
    assert texts == stored(STORED / f"{name}.txt", texts)


@pytest.mark.parametrize("kind", KINDS)
def test_the_examples_of_the_api_are_those_of_golden_runs(kind: str) -> None:
    now = written(asdict(examples(kind))) + "\n"
    assert stored(file_of(kind), now) == now


def test_every_kind_has_golden_runs_and_nothing_else_is_stored() -> None:
    assert {name.split("-")[0] for name in RUNS} == set(KINDS)
    assert {path.stem for path in STORED.iterdir()} == set(RUNS)

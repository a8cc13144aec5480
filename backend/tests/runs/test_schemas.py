import subprocess
import sys

import pytest
from assay.history.compare.schemas import Comparison
from assay.kinds.kind import Kind
from assay.kinds.registry import KINDS
from assay.runs import examples
from assay.runs.recording import events
from assay.runs.samples.schemas import SamplesOut
from assay.runs.schemas import RunOut, RunSummary, TrialOut, TrialRow
from pydantic import BaseModel, ValidationError

DOCUMENTED: list[type[BaseModel]] = [
    RunSummary,
    RunOut,
    *(kind.test for kind in KINDS.values()),
    *(kind.resolved for kind in KINDS.values()),
    *(kind.result for kind in KINDS.values()),
    *(kind.comparison for kind in KINDS.values()),
    TrialRow,
    TrialOut,
    SamplesOut,
    Comparison,
]


def test_examples_match_the_schemas() -> None:
    wrong: list[str] = []
    for model in DOCUMENTED:
        for example in model.model_json_schema()["examples"]:
            differing = set(example) ^ set(model.model_fields)
            wrong += [f"{model.__name__}: {name}" for name in sorted(differing)]
            try:
                model.model_validate(example)
            except ValidationError as error:
                wrong.append(str(error))
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_a_run_of_each_kind_has_valid_examples(kind: Kind) -> None:
    examples = kind.examples
    kind.trial.model_validate(examples.trial)
    kind.headline.model_validate(examples.outcome["headline"])


def test_only_the_description_of_the_api_reads_examples() -> None:
    watched = """
import sys

read = []
sys.addaudithook(lambda event, args: event == "open" and read.append(str(args[0])))
from assay.api.app import app
assert not [one for one in read if one.endswith("example.json")], read
app.openapi()
assert {one for one in read if one.endswith("example.json")}
"""
    subprocess.run([sys.executable, "-c", watched], check=True)


def test_the_example_of_an_event_log_is_an_event() -> None:
    assert events.parse(examples.EVENT.rstrip("\n").encode())

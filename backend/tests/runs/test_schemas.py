from typing import Any

import pytest
from assay.compare.schemas import Comparison
from assay.kinds.registry import KINDS
from assay.recording import events
from assay.runs import examples
from assay.runs.schemas import RunOut, RunSummary, TrialOut, TrialRow
from assay.samples.schemas import SamplesOut
from pydantic import BaseModel

DOCUMENTED: list[type[BaseModel]] = [
    RunSummary,
    RunOut,
    *(kind.result for kind in KINDS.values()),
    *(kind.comparison for kind in KINDS.values()),
    TrialRow,
    TrialOut,
    SamplesOut,
    Comparison,
]


@pytest.mark.parametrize("model", DOCUMENTED)
def test_examples_match_the_schemas(model: type[BaseModel]) -> None:
    extra: Any = model.model_config["json_schema_extra"]
    for example in extra["examples"]:
        assert set(example) == set(model.model_fields)
        model.model_validate(example)


def test_the_example_of_an_event_log_is_an_event() -> None:
    assert events.parse(examples.EVENT.rstrip("\n").encode())

from typing import Any

from assay.compare.schemas import Comparison
from assay.kinds.registry import KINDS
from assay.recording import events
from assay.runs import examples
from assay.runs.schemas import RunOut, RunSummary, TrialOut, TrialRow
from assay.samples.schemas import SamplesOut
from pydantic import BaseModel, ValidationError

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


def test_examples_match_the_schemas() -> None:
    wrong: list[str] = []
    for model in DOCUMENTED:
        extra: Any = model.model_config["json_schema_extra"]
        for example in extra["examples"]:
            differing = set(example) ^ set(model.model_fields)
            wrong += [f"{model.__name__}: {name}" for name in sorted(differing)]
            try:
                model.model_validate(example)
            except ValidationError as error:
                wrong.append(str(error))
    assert not wrong, "\n".join(wrong)


def test_the_example_of_an_event_log_is_an_event() -> None:
    assert events.parse(examples.EVENT.rstrip("\n").encode())

"""API types of comparisons."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from assay.kinds import registry
from assay.kinds.registry import EXAMPLES, Result
from assay.runs import examples
from assay.runs.schemas import RunOut

_RUN: dict[str, Any] = examples.RUN | {"result": EXAMPLES.result}


_EXAMPLE: dict[str, Any] = {
    "runs": [_RUN, _RUN | {"id": 43, "result": EXAMPLES.result | {"run_id": 43}}],
    "differences": [{"what": "Kernel", "name": "kernel", "values": ["6.12.9", "6.18.1"]}],
    "outcome": EXAMPLES.comparison,
}


class ComparedRun(RunOut):
    """A run with its result."""

    result: Result


class ConditionDifference(BaseModel):
    """A condition that differs between runs; `values` are in the order of the runs.

    Sizes are in bytes. If the participants of a run differ, its value is a list.
    """

    what: str
    name: str
    values: list[Any]


class Comparison(BaseModel):
    """Two or more runs, with the differences in their conditions and results."""

    model_config = ConfigDict(json_schema_extra={"examples": [_EXAMPLE]})

    runs: list[ComparedRun]
    differences: list[ConditionDifference]
    outcome: registry.Comparison | None = Field(
        description="How the first two results compare; null where the runs' kinds differ"
    )

"""API types of comparisons."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from assay.base.examples import shown
from assay.kinds import registry
from assay.kinds.registry import SHOWN, Result
from assay.runs import examples
from assay.runs.schemas import RunOut, RunSummary


def _comparison() -> dict[str, Any]:
    result = SHOWN.examples.result
    run = examples.run() | {"result": result}
    return {
        "runs": [run, run | {"id": 43, "result": result | {"run_id": 43}}],
        "differences": [{"what": "Kernel", "name": "kernel", "values": ["6.12.9", "6.18.1"]}],
        "outcome": SHOWN.examples.comparison,
        "others": [],
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


class Suggestions(BaseModel):
    """The runs with which one is most often compared.

    `previous` is the newest earlier run of the same kind at the same places, of the same test if
    there is one. `elsewhere` are those of the same test of the same profile on other hosts, the
    newest of each.
    """

    model_config = ConfigDict(json_schema_extra={"examples": [{"previous": None, "elsewhere": []}]})

    previous: RunSummary | None
    elsewhere: list[RunSummary]


class Comparison(BaseModel):
    """Two or more runs, with the differences in their conditions and results.

    The first run is the base: each of the others is compared with it.
    """

    model_config = ConfigDict(json_schema_extra=shown(_comparison))

    runs: list[ComparedRun]
    differences: list[ConditionDifference]
    outcome: registry.Comparison | None = Field(
        description="How the first two results compare; null where the runs' kinds differ"
    )
    others: list[registry.Comparison] = Field(
        description="How the first result compares with the third, the fourth and so on; empty "
        "where `outcome` is about all runs"
    )

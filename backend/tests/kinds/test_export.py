"""The columns of parameters in exports follow from their declarations."""

from typing import Annotated, Any, Literal

from assay.kinds.export import ExportedTrial, of_parameters
from assay.kinds.kind import BaseParameters
from assay.kinds.parameters import Parameter
from assay.kinds.programs import ToolDefinition
from pydantic import BaseModel


class TapeTest(BaseModel):
    kind: Literal["tape"]
    block: Annotated[list[int], Parameter("Block sizes", format="sizes")]
    lanes: Annotated[list[int], Parameter("Lanes", format="counts", column="lane")]
    mode: Annotated[list[Literal["wind", "rewind"]], Parameter("Mode", format="choices")]
    length: Annotated[int | str, Parameter("Length", format="expression")]
    rest_ms: Annotated[int, Parameter("Rest", format="duration_ms")] = 0
    loud: Annotated[bool, Parameter("Loud", format="switch")] = False
    reel: Annotated[str, Parameter("Reel", condition=False)] = "left"


class ResolvedTape(TapeTest):
    operators: Annotated[int, Parameter("Operators", column="people")]
    programs: Annotated[list[ToolDefinition], Parameter("Programs")]


class TapeParameters(BaseParameters):
    kind: Literal["tape"]
    block: int
    lane: int
    mode: str | None = None
    turns: Annotated[int, Parameter("Turns", column="turns_of_reel")]


def exported(trial: dict[str, Any]) -> dict[str, Any]:
    run = {"block": [1, 2], "mode": ["wind"], "length": 9, "rest_ms": 5, "loud": True}
    one = ExportedTrial(1, 0, 1, "", run | {"operators": 3}, trial, 1, "1")
    columns = of_parameters(TapeTest, ResolvedTape, TapeParameters)
    return {column.name: column.read(one) for column in columns}


def test_declared_conditions_and_parameters_of_trials_are_columns_with_units_and_types() -> None:
    columns = of_parameters(TapeTest, ResolvedTape, TapeParameters)
    assert [(one.name, one.type) for one in columns] == [
        ("block_bytes", "integer"),
        ("lane", "integer"),
        ("mode", "text"),
        ("turns_of_reel", "integer"),
        ("length_bytes", "integer"),
        ("rest_ms", "integer"),
        ("loud", "boolean"),
        ("people", "integer"),
    ]
    assert all(one.is_parameter for one in columns)


def test_a_trials_value_counts_and_else_that_of_its_run() -> None:
    row = exported({"block": 2, "lane": 4, "turns": 7, "mode": None})
    assert (row["block_bytes"], row["lane"], row["turns_of_reel"]) == (2, 4, 7)
    assert (row["mode"], row["length_bytes"], row["rest_ms"]) == ("wind", 9, 5)
    assert (row["loud"], row["people"]) == (True, 3)
    assert exported({"mode": "rewind"})["mode"] == "rewind"

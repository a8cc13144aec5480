"""Fields of a tagged union are named as in the request, for any number of members."""

from typing import Annotated, Literal

import pytest
from assay.base.field_errors import from_pydantic
from pydantic import BaseModel, Field, ValidationError


class Square(BaseModel):
    kind: Literal["square"]
    side: list[int]


class Circle(BaseModel):
    kind: Literal["circle"]
    radius: int


class Drawing(BaseModel):
    shapes: list[Annotated[Square | Circle, Field(discriminator="kind")]]


@pytest.mark.parametrize(
    ("shape", "field", "message"),
    [
        ({"kind": "square", "side": [1, "x"]}, "shapes.0.side.1", "must be a whole number"),
        ({"kind": "circle"}, "shapes.0.radius", "is missing"),
        ({"kind": "oval"}, "shapes.0.kind", "must be one of 'square', 'circle'"),
        ({}, "shapes.0.kind", "is missing"),
    ],
)
def test_a_field_is_named_without_the_tag_of_its_union(
    shape: dict[str, object], field: str, message: str
) -> None:
    body = {"shapes": [shape]}
    with pytest.raises(ValidationError) as refused:
        Drawing.model_validate(body)
    (found,) = from_pydantic(refused.value.errors(), body)
    assert (found.field, found.message) == (field, message)


class Either(BaseModel):
    side: Literal["left", "right"] | list[Literal["left", "right"]]


@pytest.mark.parametrize(
    ("side", "fields"),
    [("up", {"side"}), (["left", "up"], {"side", "side.1"})],
)
def test_a_field_of_several_types_is_named_without_those_types(
    side: object, fields: set[str]
) -> None:
    with pytest.raises(ValidationError) as refused:
        Either.model_validate({"side": side})
    found = from_pydantic(refused.value.errors(), {"side": side})
    assert {one.field for one in found} == fields
    assert len({(one.field, one.message) for one in found}) == len(found)

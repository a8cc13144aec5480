"""An unknown name is answered with the known ones that it may be meant to be."""

from typing import Annotated, Any

import pytest
from assay.base.suggestions import did_you_mean, fields_at
from assay.runs.campaigns.schemas import CampaignPlan
from pydantic import BaseModel
from testing.api import Appliance, problem


def test_the_nearest_names_are_suggested() -> None:
    assert did_you_mean("blocks", ["block", "threads"]) == "Did you mean `block`?"
    assert did_you_mean("Block", ["block"]) == "Did you mean `block`?"
    assert did_you_mean("fils", ["file", "files", "x"]) == "Did you mean `files` or `file`?"


@pytest.mark.parametrize("wanted", ["quux", "", "block" * 100])
def test_an_unlike_name_has_no_suggestion(wanted: str) -> None:
    assert did_you_mean(wanted, ["block", "threads"]) is None


def test_the_fields_are_those_at_the_location() -> None:
    assert "overrides" in fields_at(CampaignPlan, [])
    assert "block" not in fields_at(CampaignPlan, [])
    assert "target_id" in fields_at(CampaignPlan, ["sources", 0])
    matrix, sustained = (
        fields_at(CampaignPlan, ["tests", 0, kind]) for kind in ("matrix", "sustained")
    )
    assert "block" in matrix
    assert "block" in sustained
    assert "length" in sustained - matrix


class Inner(BaseModel):
    size: int


class Outer(BaseModel):
    one: Annotated[Inner | None, "a note"] = None
    any: Any = None


def test_optional_and_untyped_fields_have_locations() -> None:
    assert fields_at(Outer, ["one"]) == {"size"}
    assert fields_at(Outer, ["any", "deeper"]) == set()
    assert fields_at(None, ["one"]) == set()


@pytest.mark.parametrize(
    ("path", "body", "field", "meant"),
    [
        ("/arrays", {"name": "a", "vender": "x"}, "vender", "`vendor`"),
        ("/campaigns", {"profile": "p", "overrides": {"blocks": 1}}, "overrides.blocks", "`block`"),
        (
            "/profiles",
            {"name": "p", "body": {"tests": [{"kind": "matrix", "title": "t", "blocks": [1]}]}},
            "body.tests.0.blocks",
            "`block`",
        ),
    ],
)
def test_an_unknown_field_is_answered_with_the_one_that_is_meant(
    appliance: Appliance, path: str, body: dict[str, Any], field: str, meant: str
) -> None:
    found = problem(appliance.operator.post(path, body), 422, "invalid")
    error = next(one for one in found["errors"] if one["field"] == field)
    assert (error["message"], meant in error["remedy"]) == ("is unknown", True), error


def test_an_unknown_query_parameter_is_answered_with_the_one_that_is_meant(
    appliance: Appliance,
) -> None:
    (error,) = problem(appliance.viewer.get("/hosts", limits=5), 422, "invalid")["errors"]
    assert error["remedy"] == "Did you mean `limit`?"

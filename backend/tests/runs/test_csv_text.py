"""CSV of downloads: no cell is a formula, whatever a host, a target or a test is called."""

import copy
import csv
import io
from datetime import UTC, datetime
from typing import Any

import pytest
from assay.runs import csv_text
from assay.runs.campaigns.mesh import Mesh, mesh_csv
from assay.runs.campaigns.scale_out import ScaleOut, scale_out_csv
from pydantic import BaseModel


def rows_of(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline="")))


@pytest.mark.parametrize("text", ["=HYPERLINK(1)", "+1", "-2", "@SUM(1)", "\t=1", "\r=1"])
def test_a_formula_is_text_with_an_apostrophe(text: str) -> None:
    assert rows_of(csv_text.table(["name"], [[text]])) == [["name"], [f"'{text}"]]


def test_values_are_not_formatted_for_a_locale() -> None:
    row = [True, None, -1.5, 10**16, datetime(2026, 11, 27, 2, tzinfo=UTC), 'a "b", c']
    (_, found) = rows_of(csv_text.table(list("abcdef"), [row]))
    assert found == ["true", "", "-1.5", str(10**16), "2026-11-27T02:00:00.000000Z", 'a "b", c']


def example(model: type[BaseModel]) -> dict[str, Any]:
    return copy.deepcopy(model.model_json_schema()["examples"][0])


def test_hosts_and_tests_of_a_campaign_are_no_formulas_in_its_tables() -> None:
    found = example(Mesh)
    found["grids"][0]["title"] = "=1"
    for place in found["places"]:
        place["host"] = "@host"
    (_, row, *_) = rows_of(mesh_csv(Mesh.model_validate(found)))
    assert (row[1], row[2]) == ("'=1", "'@host")
    found = example(ScaleOut)
    found["curves"][0]["title"] = "+1"
    (_, row, *_) = rows_of(scale_out_csv(ScaleOut.model_validate(found)))
    assert row[1] == "'+1"

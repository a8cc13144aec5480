import json
from pathlib import Path

import pytest
from assay.analysis.streams import STREAM_COLUMNS
from assay.samples.columns import COLUMNS, MARK_COLUMNS, Column

CONTRACT = Path(__file__).parents[3] / "worker" / "probe" / "contract" / "columns.json"


@pytest.mark.parametrize(
    ("name", "columns"), [("columns", COLUMNS), ("mark_columns", MARK_COLUMNS)]
)
def test_the_columns_are_those_of_the_contract_in_its_order(
    name: str, columns: tuple[Column, ...]
) -> None:
    contract = json.loads(CONTRACT.read_text())[name]
    ours = [(column.name, column.merge, column.nullable) for column in columns]
    assert ours == [(c["name"], c["merge"], c["nullable"]) for c in contract]


def test_the_columns_of_a_stream_are_those_of_the_contract() -> None:
    contract = json.loads(CONTRACT.read_text())["stream_columns"]
    assert list(STREAM_COLUMNS) == [column["name"] for column in contract]

import json
from pathlib import Path

from assay.samples.columns import COLUMNS

CONTRACT = Path(__file__).parents[3] / "worker" / "probe" / "contract" / "columns.json"


def test_the_columns_are_those_of_the_contract_in_its_order() -> None:
    contract = json.loads(CONTRACT.read_text())["columns"]
    ours = [(column.name, column.merge, column.nullable) for column in COLUMNS]
    assert ours == [(c["name"], c["merge"], c["nullable"]) for c in contract]

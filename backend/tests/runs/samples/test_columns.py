"""A sample's column is declared once: schema, header, ingest, series, exports and API follow."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from assay.analysis.streams import STREAM_COLUMNS
from assay.runs.samples import columns, schemas, series
from assay.runs.samples.series import Cpus

PROBE = Path(__file__).parents[4] / "worker" / "probe"
CONTRACT = PROBE / "contract" / "columns.json"
SCHEMA = PROBE / "contract" / "events.schema.json"

ADDED: dict[str, Any] = {
    "name": "disk_swap_bytes",
    "unit": "bytes",
    "sql": "bigint",
    "merge": "sum",
    "nullable": True,
    "series": "rate",
    "description": "A column that only this test declares.",
}


def derived(contract: str, folder: Path) -> tuple[dict[str, Any], str, str]:
    """Return the schema, the reader's copy and the C header that follow from a contract."""
    (folder / "columns.json").write_text(contract)
    (folder / "schema.json").write_text(SCHEMA.read_text())
    source, tools = folder / "columns.json", PROBE / "tools"
    for tool, *written in (
        ("columns_contract.py", "schema.json", "copy.json"),
        ("columns_header.py", "columns.h"),
    ):
        paths = [folder / name for name in written]
        subprocess.run([sys.executable, tools / tool, source, *paths], check=True)
    schema = json.loads((folder / "schema.json").read_text())
    return schema, (folder / "copy.json").read_text(), (folder / "columns.h").read_text()


def test_schema_and_copy_are_current(tmp_path: Path) -> None:
    schema, copy, _ = derived(CONTRACT.read_text(), tmp_path)
    assert (tmp_path / "schema.json").read_text() == SCHEMA.read_text(), "run make columns"
    assert copy == columns.CONTRACT.read_text(), "run make columns"
    assert tuple(schema["$defs"]["hello"]["properties"]["columns"]["const"]) == columns.NAMES


def test_a_declared_column_is_in_schema_header_and_reader(tmp_path: Path) -> None:
    contract = json.loads(CONTRACT.read_text())
    contract["columns"].append(ADDED)
    schema, copy, header = derived(json.dumps(contract), tmp_path)
    names = schema["$defs"]["hello"]["properties"]["columns"]["const"]
    assert names == [*columns.NAMES, ADDED["name"]]
    values = schema["$defs"]["sample"]["properties"]["s"]
    assert len(values["prefixItems"]) == values["minItems"] == len(names)
    assert "COLUMN_DISK_SWAP_BYTES," in header
    assert columns.declared(json.loads(copy)["columns"])[-1].name == ADDED["name"]


def test_a_declared_column_is_published_as_a_series(monkeypatch: pytest.MonkeyPatch) -> None:
    (added,) = columns.declared([ADDED])
    every = (*columns.COLUMNS, added)
    published = schemas.with_series(every)
    described = published.model_json_schema()["properties"]["disk_swap_bytes_per_s"]
    assert described["description"] == ADDED["description"]
    monkeypatch.setattr(series, "Columns", published)
    monkeypatch.setattr(series, "SHOWN", [one for one in every if one.series])
    course = {name: [10**9] for name in (*columns.NAMES, "rate_min", "rate_max", added.name)}
    found, _ = series.columns(course, Cpus())
    assert found.disk_swap_bytes_per_s == [10**9]


def test_the_columns_of_a_stream_are_those_of_the_contract() -> None:
    contract = json.loads(CONTRACT.read_text())["stream_columns"]
    assert list(STREAM_COLUMNS) == [column["name"] for column in contract]

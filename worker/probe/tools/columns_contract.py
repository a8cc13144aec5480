"""Write what follows from the sample's columns: the schema of the events, and the reader's copy.

The contract declares the columns once. In the schema, `hello` lists their names, and a sample has a
value for each. The copy belongs to the package of the backend, which may be installed without the
probe's sources.

Usage: columns_contract.py columns.json events.schema.json copy.json
"""

import json
import sys
from copy import deepcopy
from pathlib import Path
from typing import Any

VALUES: dict[str, Any] = {"phase": {"enum": [0, 1, 2]}, "dt_ns": {"$ref": "#/$defs/positive"}}
"""Values of columns that are not any count."""


def with_columns(schema: dict[str, Any], columns: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the schema with these columns in place of those that it has."""
    changed = deepcopy(schema)
    hello, sample = (changed["$defs"][event]["properties"] for event in ("hello", "sample"))
    hello["columns"]["const"] = [column["name"] for column in columns]
    sample["s"]["prefixItems"] = [_value(column) for column in columns]
    sample["s"]["minItems"] = len(columns)
    return changed


def text(schema: dict[str, Any]) -> str:
    """Return the schema as its file has it."""
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def _value(column: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a column's value."""
    plain = "count_or_null" if column["nullable"] else "count"
    return VALUES.get(column["name"], {"$ref": f"#/$defs/{plain}"})


def main() -> None:
    """Read the contract (first argument), change the schema and write the copy (the others)."""
    source, schema, copy = map(Path, sys.argv[1:4])
    columns = json.loads(source.read_text())["columns"]
    schema.write_text(text(with_columns(json.loads(schema.read_text()), columns)))
    copy.write_text(source.read_text())


if __name__ == "__main__":
    main()

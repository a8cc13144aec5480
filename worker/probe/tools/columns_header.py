"""Generate the C header of the sample's columns from the contract.

The contract defines the columns once; the probe's enum and the names in `hello` are generated from
it, so that they always match.

Usage: columns_header.py columns.json columns.h
"""

import json
import sys
from pathlib import Path


def header(contract: dict) -> str:
    """Return the text of columns.h: an enum, the count and the names, in the contract's order."""
    names = [column["name"] for column in contract["columns"]]
    constants = "".join(f"    COLUMN_{name.upper()},\n" for name in names)
    strings = "".join(f'    "{name}",\n' for name in names)
    return (
        "/* Generated from contract/columns.json by tools/columns_header.py. */\n"
        "#ifndef ASSAY_COLUMNS_H\n#define ASSAY_COLUMNS_H\n\n"
        f"#define CONTRACT_VERSION {contract['contract']}\n\n"
        f"enum column {{\n{constants}    COLUMN_COUNT\n}};\n\n"
        f"#define COLUMN_NAMES {{ \\\n{strings.replace(chr(10), ' ' + chr(92) + chr(10))}}}\n\n"
        "#endif\n"
    )


def main() -> None:
    """Read the contract (first argument) and write the header (second argument)."""
    source, destination = map(Path, sys.argv[1:3])
    destination.write_text(header(json.loads(source.read_text())))


if __name__ == "__main__":
    main()

"""The figures of stored samples are measured; their values are not tested."""

import json
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[1] / "appliance/rollups.py"


def test_storing_and_reading_samples_is_measured(tmp_path: Path) -> None:
    lines = tmp_path / "figures.ndjson"
    subprocess.run([sys.executable, SCRIPT, "20000", "2", lines], check=True)
    found = [json.loads(line) for line in lines.read_text().splitlines()]
    assert [(one["unit"], len(one["values"])) for one in found] == [
        ("", 1),
        ("samples/s", 1),
        ("ms", 2),
        ("ms", 2),
    ]
    assert all(value > 0 for one in found for value in one["values"])

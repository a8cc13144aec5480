from pathlib import Path

from assay.settings import Settings

DOCS = Path(__file__).parents[2] / "docs"


def test_every_setting_is_documented_and_no_other() -> None:
    told = {
        line.split("`")[1]
        for line in (DOCS / "operations.md").read_text().splitlines()
        if line.startswith("| `ASSAY_")
    }
    assert told == {f"ASSAY_{name.upper()}" for name in Settings.model_fields}

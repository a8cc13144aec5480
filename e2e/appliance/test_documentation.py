"""Everything named in the documentation exists, and everything that exists is documented."""

import re
import subprocess
from pathlib import Path

import pytest
from assay.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
OPERATIONS = (ROOT / "docs" / "operations.md").read_text()
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize("field", Settings.model_fields)
def test_every_setting_is_documented_with_its_default(field: str) -> None:
    row = f"| `ASSAY_{field.upper()}` | "
    match Settings.model_fields[field].default:
        case bool(default):
            row += "`yes`" if default else "`no`"
        case int() | float() | str() as default:
            row += f"`{default}`"
        case _:  # none, or a path: in words
            pass
    assert row in OPERATIONS


def test_no_documented_setting_is_unknown() -> None:
    known = {f"ASSAY_{name.upper()}" for name in Settings.model_fields}
    compose = set(re.findall(r"\$\{(ASSAY_\w+)", (ROOT / "docker-compose.yml").read_text()))
    command_line = {"ASSAY_URL", "ASSAY_TOKEN"}
    named = set(re.findall(r"`(ASSAY_[A-Z_]+)[`=]", "".join(page.read_text() for page in PAGES)))
    assert named - known - compose - command_line == set()
    assert compose - named == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_internal_link_has_a_target(page: Path) -> None:
    for link in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text()):
        if "://" not in link:
            assert (page.parent / link).exists(), link


def test_every_documented_make_target_exists() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M))
    for page in PAGES:
        named = re.findall(r"`make ([a-z-]+)|^make ([a-z-]+)", page.read_text(), re.M)
        assert {a or b for a, b in named} - targets == set(), page


def test_make_without_a_target_lists_all_targets() -> None:
    shown = subprocess.check_output(["make", "-s", "-C", str(ROOT)], text=True)
    for target in ("run", "test", "lint", "bench", "help"):
        assert re.search(rf"^{target} +\S", shown, re.M), target

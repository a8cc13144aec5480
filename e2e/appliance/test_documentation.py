"""Everything named in the documentation exists, and everything that exists is documented."""

import re
import subprocess
from pathlib import Path

from assay.base.settings import APPLIANCE, Settings

ROOT = Path(__file__).resolve().parents[2]
OPERATIONS = (ROOT / "docs" / "operations.md").read_text()
MAKE = re.compile(r"(?:`|^)make (?:-C (\S+) )?([a-z][a-z-]*)((?: [a-z-]+)*)", re.M)
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def test_every_setting_is_documented_with_its_default() -> None:
    rows = [
        f"| `ASSAY_{name.upper()}` | {_default(field.default)}"
        for name, field in Settings.model_fields.items()
    ]
    missing = [row for row in rows if row not in OPERATIONS]
    assert not missing, "\n".join(missing)


def _default(value: object) -> str:
    match value:
        case bool():
            return "`yes`" if value else "`no`"
        case int() | float() | str():
            return f"`{value}`"
        case _:  # none, or a path: in words
            return ""


def test_no_documented_setting_is_unknown() -> None:
    known = {f"ASSAY_{name.upper()}" for name in Settings.model_fields}
    compose = set(re.findall(r"\$\{(ASSAY_\w+)", (ROOT / "docker-compose.yml").read_text()))
    others = {"ASSAY_URL", "ASSAY_TOKEN", APPLIANCE}  # of the command line, and a mark
    named = set(re.findall(r"`(ASSAY_[A-Z_]+)[`=]", "".join(page.read_text() for page in PAGES)))
    assert named - known - compose - others == set()
    assert compose - named == set()


def test_every_internal_link_has_a_target() -> None:
    links = [
        (page, link)
        for page in PAGES
        for link in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text())
        if "://" not in link
    ]
    assert len(links) > 100
    broken = [
        f"{page.relative_to(ROOT)}: {link}"
        for page, link in links
        if not (page.parent / link).exists()
    ]
    assert not broken, "\n".join(broken)


def test_every_documented_make_target_exists() -> None:
    for page in PAGES:
        for folder, first, others in MAKE.findall(page.read_text()):
            makefile = (ROOT / folder / "Makefile").read_text()
            targets = set(re.findall(r"^([a-z-]+):", makefile, re.M))
            # several targets follow a folder; other words are arguments
            named = {first, *(others.split() if folder else ())}
            assert named - targets == set(), page


def test_make_without_a_target_lists_all_targets() -> None:
    shown = subprocess.check_output(["make", "-s", "-C", str(ROOT)], text=True)
    for target in ("run", "test", "lint", "bench", "help"):
        assert re.search(rf"^{target} +\S", shown, re.M), target

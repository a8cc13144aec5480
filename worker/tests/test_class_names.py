"""A class name has one meaning in backend and worker: no two modules define the same name."""

import ast
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCES = ("backend/assay", "worker/assay_worker")

ALLOWED: frozenset[str] = frozenset()
"""Names that several modules may define, each with its reason."""


def defined_twice(folders: list[Path]) -> dict[str, list[str]]:
    """Return class names that several modules define, with these modules."""
    modules: defaultdict[str, list[str]] = defaultdict(list)
    for folder in folders:
        for path in sorted(folder.rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.ClassDef):
                    modules[node.name].append(str(path.relative_to(folder)))
    return {name: paths for name, paths in modules.items() if len(paths) > 1}


def test_no_class_name_is_defined_twice() -> None:
    found = defined_twice([ROOT / source for source in SOURCES])
    assert {name: found[name] for name in found.keys() - ALLOWED} == {}
    assert found.keys() >= ALLOWED, "a name that is no longer defined twice is still allowed"


def test_a_name_in_two_modules_is_found(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("class Same: ...\nclass Other: ...")
    (tmp_path / "two.py").write_text("class Same: ...")
    assert defined_twice([tmp_path]) == {"Same": ["one.py", "two.py"]}

"""No file outside `assay.kinds` except the built-in profiles names a test kind."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from assay.kinds.registry import KINDS

ROOT = Path(__file__).resolve().parents[3]
SOURCES = (ROOT / "backend/assay", ROOT / "worker/assay_worker")
INSIDE = ROOT / "backend/assay/kinds"
PROFILES = ROOT / "backend/assay/runs/profiles"
KNOWING = (PROFILES / "builtin_storage.py", PROFILES / "builtin_transfers.py")
"""Files that are made of the tests of certain kinds."""


def _others() -> list[Path]:
    files = (file for source in SOURCES for file in source.rglob("*.py"))
    return [file for file in files if INSIDE not in file.parents and file not in KNOWING]


def _imported(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    if isinstance(node, ast.ImportFrom):
        yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _is_kind(node: ast.AST | None) -> bool:
    """Whether the node is a name, an attribute or a key that holds a kind."""
    match node:
        case ast.Name(id="kind") | ast.Attribute(attr="kind") | ast.Constant(value="kind"):
            return True
        case ast.Subscript(slice=ast.Constant(value="kind")):
            return True
        case _:
            return False


def _values_of_kind(node: ast.AST) -> Iterator[ast.expr]:
    """Return what is compared with a kind, or assigned as one."""
    match node:
        case ast.Compare(left=left, comparators=comparators):
            sides = [left, *comparators]
            if any(map(_is_kind, sides)):
                yield from sides
        case ast.keyword(arg="kind", value=value):
            yield value
        case ast.Dict(keys=keys, values=values):
            yield from (value for key, value in zip(keys, values, strict=True) if _is_kind(key))
        case _:
            pass


def names_of_kinds(source: str) -> list[str]:
    """Return each test kind that this code imports or compares with, once per position."""
    found: list[str] = []
    for node in ast.walk(ast.parse(source)):
        for module in _imported(node):
            parts = module.split(".")
            found += [name for name in KINDS if parts[:3] == ["assay", "kinds", name]]
        for value in _values_of_kind(node):
            if isinstance(value, ast.Constant) and value.value in KINDS:
                found.append(value.value)
    return found


def test_no_other_file_names_a_kind() -> None:
    found = {file.relative_to(ROOT): names_of_kinds(file.read_text()) for file in _others()}
    assert {file.parts[0] for file in found} == {"backend", "worker"}
    wrong = [f"{file} names {', '.join(kinds)}" for file, kinds in found.items() if kinds]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    "source",
    [
        "from assay.kinds.matrix.parameters import MatrixTest",
        "from assay.kinds import matrix",
        "import assay.kinds.matrix",
        "run.kind == 'matrix'",
        "'matrix' == test['kind']",
        "Run(kind='matrix')",
        "{'kind': 'matrix'}",
    ],
)
def test_each_way_of_naming_a_kind_is_found(source: str) -> None:
    assert names_of_kinds(source) == ["matrix"]


def test_a_kind_is_imported_by_the_registry_alone() -> None:
    def inside(file: Path) -> bool:
        return file == INSIDE / "registry.py" or any((INSIDE / k) in file.parents for k in KINDS)

    assert [
        f for f in INSIDE.rglob("*.py") if not inside(f) and names_of_kinds(f.read_text())
    ] == []

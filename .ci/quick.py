"""What `make check` checks: types of changed files, all quick tests, and those of changed files."""

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ALWAYS = (".ci/tests", "backend/tests/analysis", "backend/tests/runs/recording/test_contract.py")
"""Pure tests and the probe's contract."""

TYPED = ("backend/assay/", "worker/assay_worker/")
"""The packages whose types depend on one another; the others are few files."""
TYPES_OF_ALL = ("pyproject.toml", "requirements-dev.lock")
TEST_ROOTS = ("backend/tests", "worker/tests")
OF_NOUNS = {"access": "accounts", "api": "", "base": "", "inventory": "", "tables": ""}
"""Floors whose modules have tests in a folder of another floor: its name, by default theirs."""
FLOORS = tuple(
    f"backend/tests/{floor}" for floor in ("api", "base", "history", "inventory", "runs")
)
"""Folders beside whose own tests are those of other packages."""
SLOW = ("e2e",)
"""Folders whose tests need a whole appliance or the lab; only `make test` runs them."""


def changed() -> list[str]:
    """Return the paths that differ from the merge base with the main branch, or are new."""

    def lines(*command: str) -> list[str]:
        done = subprocess.run(
            ["git", *command], cwd=ROOT, capture_output=True, text=True, check=False
        )
        return done.stdout.split("\n") if done.returncode == 0 else []

    names = ("origin/main", "main", "origin/master", "master")
    bases = (lines("merge-base", "HEAD", name) for name in names)
    base = next((found[0] for found in bases if found), "HEAD")
    paths = lines("diff", "--name-only", base)
    paths += lines("ls-files", "--others", "--exclude-standard")
    return sorted({path for path in paths if path})


def typed(paths: Iterable[str], root: Path = ROOT) -> list[str] | None:
    """Return the files whose types a change can break: the changed ones, and their importers.

    None is all files: what the types of every file depend on has changed.
    """
    import grimp  # comes with import-linter, which a checkout without development tools lacks

    changed = {path for path in paths if path.startswith(TYPED) and path.endswith(".py")}
    if any(path in TYPES_OF_ALL for path in paths):
        return None
    sys.path[:0] = [str(root / "backend"), str(root / "worker")]
    graph = grimp.build_graph("assay", "assay_worker", cache_dir=None)
    files = {module_of(path): path for path in changed}
    importers = {
        importer
        for module in files.keys() & graph.modules
        for importer in graph.find_modules_that_directly_import(module)
    }
    found = changed | {path_of(module, root) for module in importers}
    return sorted(path for path in found if (root / path).exists())


def module_of(path: str) -> str:
    """Return the dotted module of a path such as `backend/assay/tables/runs.py`."""
    return path.split("/", 1)[1].removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def path_of(module: str, root: Path) -> str:
    """Return the path of a dotted module, or of a package's `__init__.py`."""
    folder = "backend" if module.split(".", maxsplit=1)[0] == "assay" else "worker"
    stem = f"{folder}/{module.replace('.', '/')}"
    return f"{stem}/__init__.py" if (root / stem).is_dir() else f"{stem}.py"


def mirror(path: Path, root: Path = ROOT) -> Path:
    """Return the tests of a module: `test_<module>.py` in the folder that mirrors its package.

    Without that file, the folder of a noun where its routes, its tables and its types are tested,
    or the mirroring folder, which need not exist.
    """
    tests = Path(path.parts[0], "tests")
    folder = Path(tests, *path.parts[2:-1])
    own = folder / f"test_{path.name}"
    if (root / own).exists():
        return own
    if path.parts[2] in OF_NOUNS:
        of_noun = sorted((root / tests).glob(f"**/{OF_NOUNS[path.parts[2]] or path.stem}"))
        folder = next((found.relative_to(root) for found in of_noun if found.is_dir()), folder)
    return folder


def tests_of(paths: Iterable[str], root: Path = ROOT) -> list[str]:
    """Return the test files and folders, in order, that mirror changed paths."""
    found = set(ALWAYS)
    for path in map(Path, paths):
        parts = path.parts
        if path.name.startswith("test_") and path.suffix == ".py" and parts[0] not in SLOW:
            found.add(str(path))
        elif parts[:2] in (("backend", "assay"), ("worker", "assay_worker")):
            found.add(str(mirror(path, root)))
        elif parts[:2] == ("worker", "probe"):
            found.add("worker/probe/tests/test_contract.py")
            if (
                parts[2:3] == ("src",)
                and (root / f"worker/probe/tests/test_{path.stem}.py").exists()
            ):
                found.add(f"worker/probe/tests/test_{path.stem}.py")
    found -= set(TEST_ROOTS)  # a module without separate tests
    for floor in found & set(FLOORS):
        found |= {str(file.relative_to(root)) for file in (root / floor).glob("test_*.py")}
    found -= set(FLOORS)
    existing = {path for path in found if (root / path).exists()}
    return sorted(path for path in existing if not any(f"{other}/" in path for other in existing))

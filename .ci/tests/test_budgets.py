"""Time budgets of folders, and which tests a change selects."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / ".ci"))

import budgets  # noqa: E402
import quick  # noqa: E402
from budgets import Timed  # noqa: E402

PAGE = (
    "| folder | seconds | tests |\n|---|---|---|\n| `a/tests` | 10 | x |\n| `a/tests/b` | 2 | y |\n"
)


def test_a_test_counts_for_the_deepest_folder_that_contains_it() -> None:
    tests = [Timed("x", "a.tests.test_x", 5, 3), Timed("y", "a.tests.b.test_y", 2, 1)]
    assert budgets.spent(tests, budgets.budgets(PAGE)) == {"a/tests": (5, 3), "a/tests/b": (2, 1)}


@pytest.mark.parametrize(
    ("cpu_s", "slowness", "overruns"), [(10, 1, 0), (11, 1, 1), (19, 2, 0), (21, 2, 1)]
)
def test_a_folder_over_its_budget_of_processor_time_is_reported(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, cpu_s: float, slowness: float, overruns: int
) -> None:
    page = tmp_path / "testing.md"
    page.write_text(PAGE)
    monkeypatch.setattr(budgets, "TABLE", page)
    monkeypatch.setattr(budgets, "ROOT", tmp_path)
    lines, found = budgets.report([Timed("slow", "a.tests.test_x", 99, cpu_s)], slowness)
    assert found == overruns
    assert any("OVER BUDGET" in line for line in lines) == bool(overruns)
    assert any("slow" in line for line in lines)
    assert any(line.split()[-3:] == [f"{99 - cpu_s:.1f}", "s", "a/tests"] for line in lines) == (
        not overruns
    )


def test_a_folder_without_a_budget_is_an_overrun(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "testing.md").write_text(PAGE)
    monkeypatch.setattr(budgets, "TABLE", tmp_path / "testing.md")
    monkeypatch.setattr(budgets, "ROOT", tmp_path)
    assert budgets.report([Timed("x", "c.test_x", 1, 1)], 1)[1] == 1


def test_every_folder_of_tests_has_a_budget() -> None:
    folders = budgets.budgets(budgets.TABLE.read_text())
    files = [
        path.relative_to(ROOT)
        for part in ("backend", "worker", "e2e", ".ci")
        for path in (ROOT / part).rglob("test_*.py")
        if "node_modules" not in path.parts
    ]
    tests = [Timed("x", str(path.with_suffix("")), 1, 1) for path in files]
    assert "" not in budgets.spent(tests, folders)


def test_a_changed_module_selects_its_tests_and_a_package_its_folder() -> None:
    selected = quick.tests_of(
        [
            "backend/assay/runs/schedules/cron.py",
            "backend/assay/inventory/hosts/keys.py",
            "README.md",
        ]
    )
    assert "backend/tests/runs/schedules/test_cron.py" in selected
    assert "backend/tests/inventory/hosts" in selected
    assert set(quick.ALWAYS) <= set(selected)


def test_a_changed_module_of_a_floor_selects_no_tests_of_the_packages_on_it() -> None:
    selected = quick.tests_of(["backend/assay/runs/causes.py"])
    assert "backend/tests/runs/test_endpoints.py" in selected
    assert [path for path in selected if path.startswith("backend/tests/runs/campaigns")] == []


@pytest.mark.parametrize(
    ("module", "tests"),
    [
        ("api/endpoints/arrays.py", "inventory/arrays"),
        ("api/endpoints/history.py", "history/test_history.py"),
        ("api/endpoints/samples.py", "runs/samples"),
        ("api/endpoints/webhooks.py", "api/webhooks"),
        ("api/notes.py", "api/notes"),
        ("access/permissions.py", "api/accounts"),
        ("access/secrets.py", "access/test_secrets.py"),
        ("base/labels.py", "inventory/labels"),
        ("inventory/labels.py", "inventory/labels"),
        ("runs/campaigns/token_usage.py", "runs/campaigns"),
        ("tables/hosts.py", "inventory/hosts"),
        ("tables/schema.py", "tables/test_schema.py"),
    ],
)
def test_a_changed_module_selects_the_tests_of_its_noun(module: str, tests: str) -> None:
    assert f"backend/tests/{tests}" in quick.tests_of([f"backend/assay/{module}"])


def test_the_types_of_a_changed_module_and_of_its_importers_are_checked() -> None:
    found = quick.typed(["backend/assay/runs/schedules/cron.py", "README.md"]) or []
    assert {
        "backend/assay/runs/schedules/cron.py",
        "backend/assay/runs/schedules/queries.py",
    } <= set(found)
    assert "backend/assay/tables/hosts.py" not in found
    assert [path for path in found if not (ROOT / path).exists()] == []


def test_the_types_of_all_modules_are_checked_after_a_change_of_the_settings() -> None:
    assert quick.typed(["pyproject.toml", "backend/assay/runs/schedules/cron.py"]) is None


def test_a_change_outside_the_packages_checks_no_types() -> None:
    assert quick.typed(["README.md", "backend/tests/conftest.py"]) == []


def test_tests_on_the_whole_appliance_are_not_quick() -> None:
    assert quick.tests_of(["e2e/faults/test_every_fault.py"]) == sorted(quick.ALWAYS)

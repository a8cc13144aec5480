"""The catalog of mutants: only the night runs them, but every change may break one."""

from pathlib import Path

import pytest
from mutants.catalog import MUTANTS
from mutants.mutant import Mutant

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("mutant", MUTANTS, ids=str)
def test_a_mutant_changes_exactly_one_place_of_its_source(mutant: Mutant) -> None:
    assert (ROOT / mutant.path).read_text().count(mutant.old) == 1
    assert mutant.old != mutant.new


@pytest.mark.parametrize("mutant", MUTANTS, ids=str)
def test_the_tests_of_a_mutant_exist(mutant: Mutant) -> None:
    base = ROOT / "frontend" if mutant.tests[0] == "vitest" else ROOT
    assert all((base / test.partition("::")[0]).exists() for test in mutant.tests[1:])

"""The catalog of mutants: only the night runs them, but every change may break one."""

from pathlib import Path

from mutants.catalog import MUTANTS
from mutants.mutant import Mutant

ROOT = Path(__file__).resolve().parents[2]


def test_a_mutant_changes_exactly_one_place_of_its_source() -> None:
    places = {one: (ROOT / one.path).read_text().count(one.old) for one in MUTANTS}
    wrong = [f"{one}: {count} places" for one, count in places.items() if count != 1]
    wrong += [f"{one}: changes nothing" for one in MUTANTS if one.old == one.new]
    assert not wrong, "\n".join(wrong)


def test_the_tests_of_a_mutant_exist() -> None:
    missing = [
        f"{one}: {test}"
        for one in MUTANTS
        for test in one.tests[1:]
        if not (_base(one) / test.partition("::")[0]).exists()
    ]
    assert not missing, "\n".join(missing)


def _base(mutant: Mutant) -> Path:
    return ROOT / "frontend" if mutant.tests[0] == "vitest" else ROOT

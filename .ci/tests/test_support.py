"""Support code of tests: its failed assertions show values, as in tests."""

import importlib
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    "name", ["faults.records", "testing.installation", "testing.appliance", "testing.api"]
)
def test_an_assertion_of_a_support_module_shows_its_values(name: str) -> None:
    module = importlib.import_module(name)
    assert "@pytest_ar" in vars(module), f"{sys.modules[name]} was imported unchanged"

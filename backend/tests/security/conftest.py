"""Fixture of the security tests, an appliance in use, and the fixed cases of each operation."""

from collections.abc import Sequence

import pytest
from testing import rotation
from testing.api import Appliance
from testing.furnished import Furnished

MOST_CASES = 150
"""Fixed cases of an operation in one run; an operation with more rotates among them."""
FIXED = "hypothesis_explicit_examples"
"""Where Hypothesis keeps the fixed cases of a test."""


@pytest.hookimpl(tryfirst=True)  # before tests are deselected by their marks
def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    """Keep every n-th of an operation's fixed cases, so that at most MOST_CASES remain."""
    for item in items:
        test = getattr(item, "obj", None)
        cases = vars(test).get(FIXED, ()) if callable(test) and hasattr(test, "__dict__") else ()
        parts = -(-len(cases) // MOST_CASES)
        if parts > 1:
            chosen = rotation.of_name(item.name, parts)
            kept = [case for number, case in enumerate(cases) if number % parts in chosen]
            setattr(test, FIXED, tuple(kept))
            item.add_marker(pytest.mark.rotating)


@pytest.fixture
def furnished(appliance: Appliance) -> Furnished:
    return Furnished(appliance)

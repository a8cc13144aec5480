"""pytest's way into the lab: a `conftest.py` imports `lab`."""

from collections.abc import Generator

import pytest

from lab.lab import Lab


@pytest.fixture
def lab() -> Generator[Lab]:
    """A lab of the test's own; where the machine cannot offer one, the test fails and says why."""
    with Lab() as made:
        yield made

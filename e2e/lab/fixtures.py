"""pytest fixture of the lab; a `conftest.py` imports it."""

from collections.abc import Generator

import pytest

from lab.lab import Lab


@pytest.fixture
def lab() -> Generator[Lab]:
    """Provide a lab for one test; fail with the reason if the machine does not support it."""
    with Lab() as made:
        yield made

"""Fixtures of the client's tests."""

from collections.abc import Iterator

import pytest
from assay.client import Assay
from testing import unreliable as servers
from testing.api import Appliance
from testing.unreliable import Unreliable


@pytest.fixture
def address(served: int) -> str:
    """The address of a served appliance."""
    return f"http://127.0.0.1:{served}"


@pytest.fixture
def assay(address: str, appliance: Appliance) -> Iterator[Assay]:
    """A connection of an operator."""
    with Assay(address, appliance.operator.token) as connection:
        yield connection


@pytest.fixture
def unreliable() -> Iterator[Unreliable]:
    """A server that loses responses."""
    with servers.running() as server:
        yield server

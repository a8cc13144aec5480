"""Fixture of the idempotency tests: an appliance in use."""

import pytest
from testing.api import Appliance
from testing.furnished import Furnished


@pytest.fixture
def furnished(appliance: Appliance) -> Furnished:
    return Furnished(appliance)

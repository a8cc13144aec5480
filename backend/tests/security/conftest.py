"""What the security tests stand on: an appliance in use."""

import pytest
from appliance import Appliance
from furnished import Furnished


@pytest.fixture
def furnished(appliance: Appliance) -> Furnished:
    return Furnished(appliance)

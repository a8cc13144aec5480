"""A target, and a worker that takes every run and drives none."""

import pytest
from assay.runs.scheduling import capacity
from assay.tables.database import writing
from testing.api import Appliance


@pytest.fixture
def target(appliance: Appliance) -> int:
    """A target on a host."""
    return appliance.target(appliance.host())


@pytest.fixture
def worker(appliance: Appliance) -> None:
    """A worker with unlimited capacity that drives no runs."""
    with writing() as session:
        capacity.announce(session, "worker:1", 1000)

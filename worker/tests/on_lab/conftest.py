"""An installation whose hosts are the lab's, which appear as remote machines to the worker."""

from collections.abc import Callable, Iterator

import pytest
from assay.app import app
from assay.db.database import writing
from assay.profiles import builtin
from fastapi.testclient import TestClient
from lab import Disk, Host
from lab.fixtures import lab
from testing.api import Appliance
from testing.installation import Installation

__all__ = ["lab"]


@pytest.fixture
def target_on(installation: Installation) -> Callable[[Host, Disk], int]:
    """Registers a host of the lab with a mounted disk; returns the target's id."""

    def register(host: Host, disk: Disk) -> int:
        host_id = installation.ssh_host(host, name=host.name, address=host.address)
        return installation.known_target(host_id, host.target(disk))

    return register


@pytest.fixture
def api(installation: Installation) -> Iterator[Appliance]:
    """The installation's API, with the built-in profiles."""
    with writing() as session:
        builtin.install(session)
    with TestClient(app) as http:
        yield Appliance(http)

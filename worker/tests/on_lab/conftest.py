"""An installation whose hosts are the lab's, which appear as remote machines to the worker."""

from collections.abc import Callable

import pytest
from assay.tables.database import reading
from assay.tables.targets import Target
from lab import Disk, Host
from lab.fixtures import lab
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
def ready(
    installation: Installation, target_on: Callable[[Host, Disk], int]
) -> Callable[[Host, Disk], int]:
    """Register a host with a mounted disk as `target_on` does, and inspect it for estimates."""

    def register(host: Host, disk: Disk) -> int:
        target_id = target_on(host, disk)
        with reading() as session:
            host_id = session.get_one(Target, target_id).host_id
        assert installation.check(host_id).error is None
        return target_id

    return register

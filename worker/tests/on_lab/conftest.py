"""An installation whose hosts are the lab's, which appear as remote machines to the worker."""

from collections.abc import Callable

import pytest
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

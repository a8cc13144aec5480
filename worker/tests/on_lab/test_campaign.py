"""A run on a host of the lab, over the network and a throttled disk."""

from collections.abc import Callable

import pytest
from lab import GIB, MIB, Disk, Host, Lab
from testing.installation import MB, Installation, wait_until


@pytest.mark.alone
def test_a_run_on_a_throttled_disk_measures_its_rate(
    installation: Installation, lab: Lab, target_on: Callable[[Host, Disk], int]
) -> None:
    disk = lab.disk("a", 1 * GIB, write=40 * MIB)
    host = lab.host("shelf", disk)
    run_id = installation.launch(
        target_on(host, disk),
        file_size=200 * MB,
        block=[MIB],
        threads=[2],
        files=2,
        cache="direct",
    )
    installation.drive_to_the_end(run_id)
    assert installation.run(run_id).state == "done"
    (attempt,) = installation.attempts(run_id)
    assert attempt.status == "complete"
    # a throttle lets through at once what it would in a tenth of a second
    assert 0.99 < attempt.bytes / attempt.app_ns * 1e9 / (40 * MIB) < 1.02
    wait_until(lambda: not host.processes("assay-probe"), 5, "the probe ends")

"""Faults of the lab reach the detached probe, which the worker starts over SSH."""

from collections.abc import Callable

from lab import GIB, MIB, Disk, Fault, Host, Lab
from testing.installation import Installation, wait_until


def test_an_error_at_the_nth_write_fails_only_that_trial(
    installation: Installation, lab: Lab, target_on: Callable[[Host, Disk], int]
) -> None:
    disk = lab.disk("a", 1 * GIB, write=100 * MIB)
    host = lab.host("one", disk)
    target_id = target_on(host, disk)
    host.fault(Fault("pwrite64", when=5, error="EIO"))
    first, second = (installation.launch(target_id, cache="direct") for _ in range(2))
    for run_id in (first, second):
        installation.drive_to_the_end(run_id)
    reasons = [installation.attempts(run_id)[0].reason for run_id in (first, second)]
    assert reasons == ["io", None]
    assert host.faults.struck == 1
    wait_until(lambda: not host.processes("assay-probe"))

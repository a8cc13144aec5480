"""Faults of the lab reach the detached probe, which the worker starts over SSH."""

from collections.abc import Callable

import pytest
from installation import Installation, wait_until
from lab import GIB, MIB, Disk, Fault, Host, Lab


@pytest.mark.parametrize("delay_s", [0.5, 1.0, 5.0])
def test_an_injected_delay_is_found(
    installation: Installation,
    lab: Lab,
    target_on: Callable[[Host, Disk], int],
    delay_s: float,
) -> None:
    disk = lab.disk("a", 1 * GIB)
    host = lab.host("one", disk)
    target_id = target_on(host, disk)
    host.fault(Fault("pwrite64", when=30, delay_s=delay_s))
    run_id = installation.launch(target_id, file_size=100 * MIB, cache="direct")
    installation.drive_to_the_end(run_id)
    (attempt,) = installation.attempts(run_id)
    assert attempt.status == "complete"
    (took_s,) = host.faults.delays_s
    assert took_s >= delay_s
    assert attempt.lat_max_ns == pytest.approx(took_s * 1e9, abs=5e6)


def test_an_error_at_the_nth_write_fails_that_trial_alone(
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

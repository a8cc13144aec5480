"""Transfers between two hosts of the lab, whose bottleneck is known by construction."""

import subprocess
from collections.abc import Callable
from typing import Any

import pytest
from assay.kinds.path.result import PathResult
from assay.kinds.transfer.evidence import Limit
from lab import GIB, MIB, Disk, Host, Lab
from testing import transfers
from testing.installation import Installation, wait_until

pytestmark = pytest.mark.alone

TargetOn = Callable[[Host, Disk], int]
SLOW, FAST = 40 * MIB, 80 * MIB
LENGTH = 100 * MIB
"""Long enough for a rate from the faster disk."""


class Path:
    """Two hosts with a disk each, and a link between them; rates in bytes per second."""

    def __init__(self, lab: Lab, target_on: TargetOn, read: int, write: int, line: int | None):
        self.disks = lab.disk("a", GIB, read=read), lab.disk("b", GIB, write=write)
        self.hosts = tuple(
            lab.host(name, disk) for name, disk in zip(("one", "other"), self.disks, strict=True)
        )
        self.link = lab.link(*self.hosts, rate=line)
        self.ends = [
            {"target_id": target_on(host, disk)}
            for host, disk in zip(self.hosts, self.disks, strict=True)
        ]

    def measured(self, installation: Installation, **test: Any) -> PathResult:
        given = {"length": LENGTH, "duration_ms": 1500, "sink_address": self.link.far.address}
        run_id = transfers.launch(*self.ends, **given | test)
        installation.drive_to_the_end(run_id, 60)
        assert installation.run(run_id).state == "done", installation.run(run_id).error
        for host in self.hosts:
            wait_until(lambda host=host: not host.processes("assay-probe"), 5, "the probes end")
        return transfers.path_of(run_id)


@pytest.mark.parametrize(
    ("read", "write", "line", "limits"),
    [
        # a slow source is named over a long distance in test_path_causes.py
        pytest.param(SLOW, FAST, None, ["source_disk"], marks=pytest.mark.nightly),
        (FAST, SLOW, None, ["sink_disk"]),
        (FAST, FAST, SLOW, ["link", "network"]),
        (SLOW, SLOW, None, ["undetermined"]),
    ],
    ids=["source", "sink", "link", "equal"],
)
def test_the_slow_part_of_a_path_is_named(
    installation: Installation,
    lab: Lab,
    target_on: TargetOn,
    read: int,
    write: int,
    line: int | None,
    limits: list[Limit],
) -> None:
    path = Path(lab, target_on, read, write, line)
    found = path.measured(installation)
    (setting,) = found.settings
    said = setting.bottleneck
    flagged = [
        (leg.leg, trial.status, flag.code, flag.evidence)
        for leg in found.legs
        for trial in leg.trials
        for flag in trial.flags
    ]
    # if other work disturbed a leg, the limit may remain open, but is never a wrong one
    if not all(leg.reliable for leg in found.legs):
        limits = [*limits, "undetermined"]
    # work beside one leg may show a small difference: both are then named, as limits together
    both = said is not None and {said.limit, *said.others} == {"source_disk", "sink_disk"}
    together = read == write and both
    assert said is not None and (said.limit in limits or together), (flagged, said)
    assert found.headline is not None and found.headline.no_result is None, found.headline
    slowest = min(read, write, line or read)
    assert setting.transfer_bytes_per_s is not None
    # a throttle lets through at once what it would in a tenth of a second; a line carries headers
    assert 0.88 < setting.transfer_bytes_per_s / slowest < 1.04
    assert not found.same_host and not found.shared_device


def test_other_io_on_the_sink_disk_is_flagged(
    installation: Installation, lab: Lab, target_on: TargetOn
) -> None:
    path = Path(lab, target_on, FAST, SLOW, None)
    words = ["if=/dev/zero", f"of={path.hosts[1].target(path.disks[1])}/others-data", "bs=1M"]
    other: subprocess.Popen[bytes] = path.hosts[1].begin(
        ["dd", *words, "oflag=direct", "count=400"], path.hosts[1].folder / "dd.log"
    )
    found = path.measured(installation, legs=["disk"])
    other.kill()
    other.wait()
    (leg,) = found.legs
    assert "contended" in [flag.code for flag in leg.trials[0].flags]
    assert found.headline is not None and found.headline.no_result == "unreliable"


def test_a_line_is_full_in_both_directions_at_once(
    installation: Installation, lab: Lab, target_on: TargetOn
) -> None:
    path = Path(lab, target_on, FAST, FAST, SLOW)
    given = {"legs": ["memory"], "duration_ms": 4000, "ramp_ms": 1000}
    found = path.measured(installation, full_duplex=True, **given)
    (leg,) = found.legs
    rates = [one.bytes_per_s.mean / SLOW for one in leg.directions if one.bytes_per_s]
    assert len(rates) == 2, leg
    # each direction has the line for itself, less the headers and the other one's acknowledgements
    assert all(0.85 < rate < 1.0 for rate in rates), rates
    assert leg.bytes_per_s is not None
    assert 1.7 < leg.bytes_per_s.mean / SLOW < 2.0
    (setting,) = found.settings
    assert setting.bottleneck is not None
    # loss that only one direction shows leaves the limit open; no other part is ever named
    named = {setting.bottleneck.limit, *setting.bottleneck.others}
    assert named <= {"link", "network", "undetermined"}, setting.bottleneck

"""Many to one and meshes on the lab, where shares, sums and slow cells are known."""

from collections.abc import Callable
from itertools import pairwise
from threading import Thread

import pytest
from assay.kinds.path.result import PathHeadline
from assay.runs.campaigns.mesh import mesh
from assay.runs.campaigns.scale_out import scale_out
from assay.tables.database import reading
from lab import GIB, MIB, Disk, Host, Lab
from lab.links import Link
from testing import transfers
from testing.installation import Installation, wait_until

pytestmark = pytest.mark.alone

TargetOn = Callable[[Host, Disk], int]
ANYCAST = "192.0.2.1"
"""An address of the sink that every source reaches by its own link."""

HEADERS = (0.88, 1.04)
"""What a link carries of its rate: without its headers, but with its burst."""


def registered(installation: Installation, *hosts: Host) -> list[dict[str, int]]:
    """Return the memory of these hosts as ends of a transfer."""
    return [
        {"host_id": installation.ssh_host(host, name=host.name, address=host.address)}
        for host in hosts
    ]


def routed(link: Link, address: str, *, back: bool = False) -> None:
    """Let one end of a link reach an address at the other one."""
    here, there = (link.far, link.near) if back else (link.near, link.far)
    here.call("ip", "route", "add", address, "via", there.address)


def reachable(sink: Host, *links: Link) -> None:
    """Give the sink an address that all these links lead to."""
    sink.run_as_root("ip", "address", "add", f"{ANYCAST}/32", "dev", "lo")
    for link in links:
        routed(link, ANYCAST)


def measured(installation: Installation, run_ids: list[int]) -> None:
    for run_id in run_ids:
        installation.drive_to_the_end(run_id, 90)
        assert installation.run(run_id).state == "done", installation.run(run_id).error


def test_senders_behind_links_of_known_rates_have_their_sum_and_their_shares(
    installation: Installation, lab: Lab
) -> None:
    rates = {"slow": 10 * MIB, "medium": 20 * MIB, "fast": 40 * MIB}
    sink = lab.host("sink")
    sources = {name: lab.host(name) for name in rates}
    reachable(sink, *(lab.link(sources[name], sink, rate=rate) for name, rate in rates.items()))
    ends = registered(installation, *sources.values(), sink)
    run_ids = transfers.launch_all(
        ends[:-1],
        ends[-1:],
        {"scale_out": True},
        legs=["memory"],
        duration_ms=3000,
        ramp_ms=1000,
        sink_address=ANYCAST,
    )
    measured(installation, run_ids)
    found = transfers.path_of(run_ids[-1])
    (leg,) = found.legs
    (trial,) = leg.trials
    assert trial.application_bytes_per_s is not None and trial.fairness is not None
    assert HEADERS[0] < trial.application_bytes_per_s / (70 * MIB) < HEADERS[1]
    for pair, rate in zip(trial.pairs, rates.values(), strict=True):
        assert pair.share == pytest.approx(rate / (70 * MIB), rel=0.1)
    # Jain's index of 1 : 2 : 4 is 49 ÷ 63
    assert trial.fairness == pytest.approx(49 / 63, rel=0.05)
    assert trial.slowest_pair is not None and trial.pairs[trial.slowest_pair].source == "slow"
    assert found.headline is not None and found.headline.pairs == 3
    with reading() as session:
        (curve,) = scale_out(session, installation.run(run_ids[0]).campaign_id).curves
    assert [run.targets for run in curve.runs] == [1, 2, 3]
    reached = [run.application and run.application.bytes_per_s for run in curve.runs]
    for one, line in zip(reached, (10 * MIB, 30 * MIB, 70 * MIB), strict=True):
        assert one is not None and HEADERS[0] < one / line < HEADERS[1]
    for host in (sink, *sources.values()):
        wait_until(lambda host=host: not host.processes("assay-probe"), 5, "the probes end")


def test_the_disk_that_many_sources_share_at_the_sink_is_the_limit(
    installation: Installation, lab: Lab, target_on: TargetOn
) -> None:
    disk = lab.disk("sink", GIB, write=40 * MIB)
    sink = lab.host("sink", disk)
    sources = [lab.host("one"), lab.host("other")]
    reachable(sink, *(lab.link(source, sink) for source in sources))
    target = {"target_id": target_on(sink, disk)}
    (run_id,) = transfers.launch_all(
        registered(installation, *sources),
        [target],
        legs=["memory", "write", "memory_to_disk"],
        length=60 * MIB,
        duration_ms=1500,
        sink_address=ANYCAST,
    )
    measured(installation, [run_id])
    found = transfers.path_of(run_id)
    (setting,) = found.settings
    flags = [flag for leg in found.legs for one in leg.trials for flag in one.flags]
    assert setting.transfer_bytes_per_s is not None
    assert 0.88 < setting.transfer_bytes_per_s / (40 * MIB) < 1.06
    assert setting.bottleneck is not None
    # if other work disturbed a leg, the limit may remain open, but is never a wrong one
    sound = all(leg.reliable for leg in found.legs)
    expected = {"sink_disk"} if sound else {"sink_disk", "undetermined"}
    assert setting.bottleneck.limit in expected, (flags, setting.bottleneck)
    # what one receiver writes is no foreign I/O to the other
    assert "contended" not in [flag.code for flag in flags]
    for host in (sink, *sources):
        wait_until(lambda host=host: not host.processes("assay-probe"), 5, "the probes end")
    left = sink.run_as_root("find", sink.target(disk), "-type", "f", "-size", "+0")
    assert left.strip() == ""


def test_the_cells_of_a_slow_link_are_the_slow_ones_of_a_mesh(
    installation: Installation, lab: Lab
) -> None:
    hosts = [lab.host(name) for name in ("a", "b", "c")]
    rates = {(0, 1): 60 * MIB, (1, 2): 10 * MIB, (0, 2): 60 * MIB}
    for (one, other), rate in rates.items():
        link = lab.link(hosts[one], hosts[other], rate=rate)
        routed(link, hosts[other].address)
        routed(link, hosts[one].address, back=True)
    run_ids = transfers.launch_all(
        registered(installation, *hosts),
        [],
        {"arrangement": "mesh"},
        legs=["memory"],
        duration_ms=1500,
        ramp_ms=500,
    )
    assert len(run_ids) == 6
    drivers = [
        Thread(target=installation.drive_to_the_end, args=(run_id, 120)) for run_id in run_ids
    ]
    for driver in drivers:
        driver.start()
    for driver in drivers:
        driver.join()
    runs = [installation.run(run_id) for run_id in run_ids]
    assert [run.state for run in runs] == ["done"] * 6, [run.error for run in runs]
    # any two of these pairs have a host in common, so no two of them ran at the same time
    spans = sorted((run.started_at, run.ended_at) for run in runs if run.started_at)
    assert len(spans) == 6
    for (_, ended), (started, _) in pairwise(spans):
        assert ended is not None and ended <= started
    with reading() as session:
        found = mesh(session, runs[0].campaign_id)
    assert [place.host for place in found.places] == ["a", "b", "c"]
    (grid,) = found.grids
    for cell in grid.cells:
        line = rates[min(cell.source, cell.sink), max(cell.source, cell.sink)]
        assert cell.bytes_per_s is not None
        assert HEADERS[0] < cell.bytes_per_s / line < HEADERS[1], cell
        assert isinstance(cell.headline, PathHeadline)
        assert cell.headline.limit in ("link", "network")

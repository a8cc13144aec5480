"""Several hosts of the lab measured at once: the aggregate, the shares and the slowest."""

from collections.abc import Callable

import pytest
from assay.kinds.matrix.result import MatrixResult
from assay.runs.results import judge
from assay.tables.database import reading
from assay.tables.runs import Run
from lab import GIB, MIB, Disk, Host, Lab
from testing.installation import MB, Installation, wait_until

SETTING = {"block": [MIB], "threads": [2], "files": 2, "cache": "direct", "file_size": 100 * MB}


def measured(installation: Installation, *targets: int) -> MatrixResult:
    run_id = installation.launch(*targets, **SETTING)
    installation.drive_to_the_end(run_id, 60)
    assert installation.run(run_id).state == "done"
    with reading() as session:
        found = judge(session, session.get_one(Run, run_id))
    assert isinstance(found, MatrixResult)
    return found


@pytest.mark.alone
def test_disks_of_known_rates_have_their_sum_and_their_shares(
    installation: Installation, lab: Lab, target_on: Callable[[Host, Disk], int]
) -> None:
    # well above half of the others' rate, below which they would overlap too little
    rates = {"slow": 28 * MIB, "one": 40 * MIB, "other": 40 * MIB}
    disks = {name: lab.disk(name, 1 * GIB, write=rate) for name, rate in rates.items()}
    hosts = {name: lab.host(name, disk) for name, disk in disks.items()}
    targets = {name: target_on(hosts[name], disks[name]) for name in rates}

    (cell,) = measured(installation, targets["one"], targets["other"]).cells
    assert [flag.code for flag in cell.flags] == []
    assert cell.application is not None and cell.shares is not None
    assert cell.shares.application is not None
    # a throttle lets through at once what it would in a tenth of a second
    assert 0.98 < cell.application.mean / (80 * MIB) < 1.03
    assert cell.shares.application.fairness > 0.999

    found = measured(installation, *targets.values())
    (cell,) = found.cells
    assert [flag.code for flag in cell.flags] == []
    assert cell.durable is not None and cell.shares is not None
    assert cell.shares.durable is not None
    # 600 MB until the slowest has synced its 200
    assert 0.97 < cell.durable.mean / (3 * 28 * MIB) < 1.03
    shares = [share.share for share in cell.shares.durable.participants]
    assert all(
        abs(got - wanted / 27) < 0.01 for got, wanted in zip(shares, (7, 10, 10), strict=True)
    )
    # Jain's index of 7 : 10 : 10 is 27² ÷ (3 × 249)
    assert cell.shares.durable.fairness == pytest.approx(729 / 747, abs=0.005)
    names = {one.id: one.host for one in found.participants}
    assert names[cell.shares.durable.slowest_participant_id] == "slow"
    assert found.headline is not None and found.headline.participants == 3
    for host in hosts.values():
        wait_until(lambda host=host: not host.processes("assay-probe"), 5, "the probes end")

"""A disk whose rate drops twice during a trial, as if two caches became full."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from assay.runs.results import judge
from assay.tables.database import reading
from assay.tables.runs import Run
from lab import GIB, MIB, Disk, Host, Lab
from testing.installation import Installation, wait_until

pytestmark = pytest.mark.alone

RATES = (150 * MIB, 50 * MIB, 20 * MIB)
FIRST, SECOND, WHOLE = 450 * MIB, 650 * MIB, 750 * MIB
"""Bytes written before the disk is slowed down (three and four seconds), and in total (five)."""


def test_the_matrix_shows_every_rate_of_a_disk_that_slowed_down_twice(
    installation: Installation, lab: Lab, target_on: Callable[[Host, Disk], int]
) -> None:
    disk = lab.disk("a", 2 * GIB, write=RATES[0])
    host = lab.host("one", disk)
    run_id = installation.launch(
        target_on(host, disk),
        operation="write",
        cache="direct",
        block=[MIB],
        threads=[2],
        files=2,
        file_size=WHOLE // 2,
        sample_ms=100,
    )
    before = disk.moved.written
    with ThreadPoolExecutor(1) as pool:
        driving = pool.submit(installation.drive_to_the_end, run_id, 60)
        for moved, rate in zip((FIRST, SECOND), RATES[1:], strict=True):
            wait_until(lambda moved=moved: disk.moved.written - before >= moved, 40, "a level")
            disk.set_rate(write=rate)
        driving.result()
    with reading() as session:
        found = judge(session, session.get_one(Run, run_id))
    (cell,) = found.cells
    (flag,) = [flag for flag in cell.flags if flag.code == "cliff"]
    print(found.headline, flag.evidence)
    assert [level.bytes_per_s for level in flag.levels] == pytest.approx(RATES, rel=0.1)
    ends = [level.to_bytes for level in flag.levels]
    assert ends == pytest.approx([FIRST, SECOND, WHOLE], rel=0.1)
    assert "durable" in flag.rates
    assert found.headline and found.headline.figure and found.headline.figure.levels
    assert found.headline_levels == list(flag.levels)

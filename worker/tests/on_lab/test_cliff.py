"""A disk whose rate drops in the middle of a trial, as if its write cache were full."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from assay.db.database import reading
from assay.runs.models import Run
from assay.runs.results import judge
from lab import GIB, MIB, Disk, Host, Lab
from testing.installation import Installation, wait_until

pytestmark = pytest.mark.alone

FAST, SLOW = 100 * MIB, 25 * MIB
FIRST, WHOLE = 400 * MIB, 560 * MIB
"""Bytes written before the disk is slowed down (four seconds), and in total."""


def test_the_matrix_shows_both_rates_of_a_disk_that_slowed_down(
    installation: Installation, lab: Lab, target_on: Callable[[Host, Disk], int]
) -> None:
    disk = lab.disk("a", 2 * GIB, write=FAST)
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
        wait_until(lambda: disk.moved.written - before >= FIRST, 40, "the first level's bytes")
        disk.set_rate(write=SLOW)
        driving.result()
    with reading() as session:
        found = judge(session, session.get_one(Run, run_id))
    (cell,) = found.cells
    (flag,) = [flag for flag in cell.flags if flag.code == "cliff"]
    print(found.headline, flag.evidence)
    assert flag.figures["before_bytes_per_s"] == pytest.approx(FAST, rel=0.1)
    assert flag.figures["after_bytes_per_s"] == pytest.approx(SLOW, rel=0.1)
    assert "durable" in flag.rates
    assert found.headline and found.headline.figure and found.headline.figure.levels
    assert found.headline_levels

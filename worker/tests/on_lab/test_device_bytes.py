"""Bytes that the device moved, compared with the bytes that a trial claims."""

import re
from collections.abc import Callable

import pytest
from assay.runs.results import judge
from assay.runs.samples import stored
from assay.tables.database import reading
from assay.tables.runs import Attempt, Run
from lab import MIB, Disk, Host, Lab
from testing.installation import MB, Installation


def device_bytes(attempt_id: int) -> int:
    """Return the bytes that the device has written, by the attempt's samples."""
    with reading() as session:
        rows = stored.rows(session, session.get_one(Attempt, attempt_id))
        return sum(row["dev_write_bytes"] or 0 for row in rows)


@pytest.mark.parametrize("file_system", ["ext4", "xfs"])
def test_device_bytes_equal_the_claimed_bytes_of_large_overwrites(
    installation: Installation,
    lab: Lab,
    target_on: Callable[[Host, Disk], int],
    file_system: str,
) -> None:
    disk = lab.disk("a", 512 * MIB, file_system)
    host = lab.host("one", disk)
    run_id = installation.launch(
        target_on(host, disk),
        file_size=256 * MIB,
        block=[MIB],
        layout="overwrite",
        cache="direct",
    )
    installation.drive_to_the_end(run_id)
    (attempt,) = installation.attempts(run_id)
    assert attempt.status == "complete" and attempt.result is not None
    assert attempt.bytes == 256 * MIB
    assert attempt.result["dev_app_bytes"] == pytest.approx(attempt.bytes, rel=0.001)
    assert attempt.result["dev_durable_bytes"] == pytest.approx(attempt.bytes, rel=0.001)
    assert device_bytes(attempt.id) == pytest.approx(attempt.bytes, rel=0.001)


def test_the_amplification_of_small_synchronous_writes_is_the_devices(
    installation: Installation, lab: Lab, target_on: Callable[[Host, Disk], int]
) -> None:
    disk = lab.disk("a", 256 * MIB)
    host = lab.host("one", disk)
    mounted = disk.moved.written
    target_id = target_on(host, disk)
    registered = disk.moved.written
    run_id = installation.launch(target_id, file_size=4 * MB, block=[4096], open_mode="rws")
    installation.drive_to_the_end(run_id)
    ended = disk.moved.written
    (attempt,) = installation.attempts(run_id)
    assert attempt.status == "complete"
    tried = registered - mounted  # direct I/O is tested with a few bytes, and again before a run
    factor = (ended - registered - tried) / attempt.bytes
    assert device_bytes(attempt.id) / attempt.bytes == pytest.approx(factor, rel=0.02)
    with reading() as session:
        (cell,) = judge(session, session.get_one(Run, run_id)).cells
    assert cell.served_by and cell.served_by.durable and cell.served_by.application
    for served_by in (cell.served_by.application, cell.served_by.durable):
        shown = re.search(r"([\d.]+) times the data", served_by.evidence)
        # a host of the lab does not see the processes outside it, so contention is not ruled out
        assert served_by.reason == "others_or_amplification" and shown
        assert float(shown[1]) == pytest.approx(factor, abs=0.05 + 0.02 * factor)

"""Page-cache writes to disks that rested first: what their durable rate includes."""

from typing import Any

import pytest
from assay.kinds.matrix.result import MatrixResult
from assay.runs.results import judge
from assay.tables.database import reading
from assay.tables.runs import Run
from lab import GIB, MIB, Lab
from testing.api import Appliance
from testing.installation import MB, Installation

from .test_sustained import TargetOn, launch, only_cell

pytestmark = pytest.mark.alone

SLICES = 0.05
"""A throttle passes what it owes of a slice of 100 ms at once, of trials of three seconds."""
MEMORY = 2 * GIB
"""The kernel writes back from a share of the memory of a host on."""


@pytest.mark.parametrize(
    ("mib", "size"), [(60, 200 * MB), pytest.param(100, 800 * MB, marks=pytest.mark.nightly)]
)
def test_the_rate_from_writeback_on_is_the_throttles(
    installation: Installation, api: Appliance, lab: Lab, ready: TargetOn, mib: int, size: int
) -> None:
    disk = lab.disk("a", 4 * GIB, write=mib * MIB)
    target_id = ready(lab.host("one", disk), disk)
    test: dict[str, Any] = {"kind": "matrix", "operation": "write"}
    test |= {
        "cache": "page",
        "open_mode": "rw",
        "block": [MIB],
        "threads": [2],
        "file_size": size,
        "repeats": 2,
    }
    run_id = launch(api, [target_id], **test)
    installation.drive_to_the_end(run_id, 180)
    with reading() as session:
        found = judge(session, session.get_one(Run, run_id))
    assert isinstance(found, MatrixResult)
    (cell,) = found.cells
    said = [one.message for one in found.warnings if one.code == "writeback_delay"]
    assert cell.durable
    assert cell.writeback
    assert cell.writeback.bytes_per_s is not None
    assert cell.writeback.bytes_per_s == pytest.approx(mib * MIB, rel=SLICES)
    assert cell.durable.mean < cell.writeback.bytes_per_s
    # the time before writeback explains the rest
    explained = cell.writeback.bytes_per_s * (1 - cell.writeback.share)
    assert cell.durable.mean == pytest.approx(explained, rel=0.03)
    assert bool(said) == (cell.writeback.share >= 0.02)


def test_so_is_that_of_a_sustained_test(
    installation: Installation, api: Appliance, lab: Lab, ready: TargetOn
) -> None:
    disk = lab.disk("a", 4 * GIB, write=80 * MIB)
    target_id = ready(lab.host("one", disk), disk)
    run_id = launch(api, [target_id], cache="page", length=1000 * MB, sample_ms=100)
    installation.drive_to_the_end(run_id, 90)
    cell, trial = only_cell(run_id)
    assert trial.durable_bytes_per_s is not None
    assert cell.writeback
    assert cell.writeback.bytes_per_s is not None
    assert cell.writeback.bytes_per_s == pytest.approx(80 * MIB, rel=SLICES)
    assert trial.durable_bytes_per_s < cell.writeback.bytes_per_s

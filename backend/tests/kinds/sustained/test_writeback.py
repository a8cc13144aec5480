"""Buffered writes to a device that rested first: the figure beside the durable rate."""

from dataclasses import replace

import pytest
from assay.analysis.excess import DeviceReadings
from assay.kinds.sustained.metrics import METRICS
from assay.kinds.sustained.result import SustainedResult
from kinds.tables import rows_of

from .simulated import KIND, MB, SECOND, attempt, planned, run_of, sustained, trial_parameters

BLOCK = 2**20
(METRIC,) = (one for one in METRICS if one.name == "writeback.mean")
(DURABLE,) = (one for one in METRICS if one.name == "durable.mean")


def judged(cache: str) -> SustainedResult:
    """Write 1,000 MiB, and sync them; the device takes 100 MB/s after a rest of 2 s."""
    test = planned(sustained(block=[BLOCK], length=10_000 * BLOCK, cache=cache))
    (cell,) = test.planned_cells
    moved = 1000 * BLOCK
    took_ns = round((2 + moved / (100 * MB)) * SECOND)
    one = attempt(trial_parameters(cell), [5_000_000] * 1000, sync_ns=took_ns - 5 * SECOND)
    count = -(-took_ns // SECOND)
    ends = [min((n + 1) * SECOND, took_ns) for n in range(count)]
    dt = [end - n * SECOND for n, end in enumerate(ends)]
    written = [round(100 * MB * length / SECOND) * (n >= 2) for n, length in enumerate(dt)]
    none = [0] * count
    device = DeviceReadings(ends, dt, none, none, written, none)
    return KIND.judge(run_of(test, {cell.key: [[replace(one, device=device)]]}))


def test_a_criterion_can_use_the_rate_from_the_start_of_writeback() -> None:
    found = judged("page")
    durable, writeback = DURABLE.read(found, {}), METRIC.read(found, {})
    assert durable.value == pytest.approx(1000 * BLOCK / (2 + 1000 * BLOCK / (100 * MB)))
    assert durable.value
    assert durable.value < 0.9 * 100 * MB
    assert writeback.value == pytest.approx(100 * MB, rel=0.001)
    assert writeback.doubts == durable.doubts
    (said,) = [one for one in found.warnings if one.code == "writeback_delay"]
    assert "2.00 s of 12.5 s. From then on the data reached the device at 100 MB/s" in said.message
    (row,) = rows_of(found)
    assert float(row["writeback_bytes_per_s"]) == pytest.approx(100 * MB, rel=0.001)
    assert float(row["writeback_begins_ns"]) == pytest.approx(2 * SECOND, rel=0.001)


def test_direct_writes_have_none() -> None:
    found = judged("direct")
    assert found.cells[0].writeback is None
    assert METRIC.read(found, {}).value is None
    assert "writeback_delay" not in {one.code for one in found.warnings}
    direct = planned(sustained(block=[BLOCK], cache="direct"))
    assert METRIC.unavailable(direct.test, {}) == "it bypasses the page cache"

"""Sustained tests of steady disks that look uneven: a standstill, and a throttle's slices."""

import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from assay.kinds.sustained.figures import CarriedRate, SustainedTrial
from assay.kinds.sustained.result import SustainedResult
from lab import GIB, MIB, Host, Lab
from testing.api import Appliance
from testing.installation import MB, Installation

from .test_sustained import TargetOn, launch, only_cell, result_of

pytestmark = pytest.mark.alone

STILL_S = 5.0

OC_3 = "OC-3"


def carries(cell: Any) -> CarriedRate:
    (found,) = [one for one in cell.carry if one.label == OC_3]
    return found


def stopped(host: Host) -> None:
    host.kill("assay-probe", signal.SIGSTOP)
    time.sleep(STILL_S)
    host.kill("assay-probe", signal.SIGCONT)


def frozen(host: Host) -> None:
    group = Path(f"/sys/fs/cgroup/freezer/assay-still-{host.process}")
    group.mkdir()
    try:
        for pid in host.processes("assay-probe"):
            (group / "cgroup.procs").write_text(str(pid))
        (group / "freezer.state").write_text("FROZEN")
        time.sleep(STILL_S)
        (group / "freezer.state").write_text("THAWED")
    finally:
        for pid in (group / "cgroup.procs").read_text().split():
            Path("/sys/fs/cgroup/freezer/cgroup.procs").write_text(pid)
        group.rmdir()


@pytest.mark.parametrize(
    ("hold", "paced"),
    [
        (stopped, True),
        (frozen, False),
        pytest.param(stopped, False, marks=pytest.mark.nightly),
        pytest.param(frozen, True, marks=pytest.mark.nightly),
    ],
    ids=["stopped, paced", "frozen, unpaced", "stopped, unpaced", "frozen, paced"],
)
def test_a_standstill_needs_no_buffer(
    installation: Installation,
    api: Appliance,
    lab: Lab,
    ready: TargetOn,
    hold: Callable[[Host], None],
    paced: bool,
) -> None:
    """A disk of 60 MiB/s carries OC-3 (19.4 MB/s) with few blocks, standstill or not."""
    disk = lab.disk("a", 2 * GIB, write=60 * MIB)
    host = lab.host("one", disk)
    test: dict[str, Any] = {"length": 700 * MB}
    if paced:
        test = {"length": "16 s", "pace": "rate", "rate_bytes_per_s": [30 * MB]}
    run_id = launch(api, [ready(host, disk)], **test)

    def hold_it() -> bool:
        if installation.sample_count(run_id) < 4:
            return False
        hold(host)
        return True

    installation.drive_until(run_id, hold_it)
    installation.drive_to_the_end(run_id, 60)
    cell, trial = only_cell(run_id)
    answer = carries(cell)
    print(answer, trial.application_bytes_per_s, trial.gaps, trial.due_peak_ns, trial.peak_ns)
    (gap,) = trial.gaps
    assert gap.until_ns - gap.from_ns >= STILL_S * 1e9
    assert not gap.delays
    assert answer.carried in {"yes", "buffered"}
    assert answer.buffer_most_bytes is not None
    # of the 97 MB that would arrive in the standstill; the throttle's slices need a few blocks
    assert answer.buffer_most_bytes <= 8 * MB
    assert trial.p99_ns is not None
    assert trial.p99_ns < 1e9
    rate = 30 * MB if paced else 60 * MIB
    assert trial.application_bytes_per_s == pytest.approx(rate, rel=0.03)
    if paced:
        assert trial.due_peak_ns is not None
        assert trial.due_peak_ns < 1e9
        assert trial.backlog_most_bytes is not None
        assert trial.backlog_most_bytes < 30 * MB
        assert trial.backlog_end_bytes == 0


def shape_of(result: SustainedResult) -> list[SustainedTrial]:
    return [trial for cell in result.cells for trial in cell.trials if trial.shape]


@pytest.mark.parametrize("mib", [60, pytest.param(68, marks=pytest.mark.nightly)])
def test_a_throttles_slices_are_no_sawtooth(
    installation: Installation, api: Appliance, lab: Lab, ready: TargetOn, mib: int
) -> None:
    """The kernel lets data through in slices of 100 ms, which no mark fits."""
    disk = lab.disk("a", 4 * GIB, write=mib * MIB)
    target_id = ready(lab.host("one", disk), disk)
    for mark in (6, 10):
        run_id = launch(
            api,
            [target_id],
            title=f"Marks of {mark} MiB",
            length=900 * MB,
            block=[MIB],
            mark_bytes=mark * MIB,
        )
        installation.drive_to_the_end(run_id, 90)
        _, trial = only_cell(run_id)
        assert trial.application_bytes_per_s == pytest.approx(mib * MIB, rel=0.02)
        assert shape_of(result_of(run_id)) == []
        assert trial.levels is None

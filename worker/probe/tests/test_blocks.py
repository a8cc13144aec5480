"""Data threads: as many for a shared file as for files of one thread each."""

import subprocess
from pathlib import Path

import pytest
from probe_driver import Probe


def test_no_io_thread_generates_or_verifies_data_between_its_calls(blocks_checker: Path) -> None:
    """Nor does a call that hangs stop the others, and a file is written in its order."""
    checked = subprocess.run(
        [blocks_checker], capture_output=True, text=True, timeout=120, check=False
    )
    assert (checked.returncode, checked.stdout, checked.stderr) == (0, "", "")


def threads_of(probe: Probe, trial: dict) -> int:
    """Return the number of threads of a trial that is ready to start."""
    probe.start(probe.plan(trial, barrier="yes"))
    probe.wait_for("ready")
    count = len(list(Path(f"/proc/{probe.pid()}/task").iterdir()))
    assert probe.stop() == "stopped"
    return count


@pytest.mark.parametrize("operation", ["write", "read"])
def test_threads_that_share_a_file_have_a_data_thread_each(shipped: Probe, operation: str) -> None:
    """Otherwise the columns of a matrix would differ by the probe."""
    trial = {"operation": operation, "file_size": 32 << 20, "block": 1 << 20, "threads": 4}
    kinds = [trial | {"block": 4096}, trial | {"files": 4}, trial, trial | {"files": 3}]
    counts = []
    for number, kind in enumerate(kinds):
        shipped.run_dir = shipped.home / "runs" / str(number)
        counts.append(threads_of(shipped, kind))
    small, *large = counts
    assert large == [small + 4] * 3

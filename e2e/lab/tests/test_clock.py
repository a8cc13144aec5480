"""A clock that is set back for running processes."""

import os
import subprocess
import sys
import time
from pathlib import Path

from lab.clock import Clock

TELL = """
import sys, time
for line in sys.stdin:
    time.sleep(0.1)
    print(time.time(), time.monotonic(), flush=True)
"""


def test_a_clock_is_set_back_one_hour_during_a_process(tmp_path: Path) -> None:
    clock = Clock(tmp_path / "clock")
    with subprocess.Popen(
        [sys.executable, "-c", TELL],
        env=os.environ | clock.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin
        assert process.stdout
        for offset in (0, -3600):
            clock.set(offset)
            process.stdin.write("?\n")
            process.stdin.flush()
            wall, monotonic = map(float, process.stdout.readline().split())
            assert abs(wall - time.time() - offset) < 2
            assert abs(monotonic - time.monotonic()) < 2
        process.stdin.close()

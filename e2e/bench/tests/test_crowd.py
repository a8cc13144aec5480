"""Far more runs than a worker has slots for: none is active without a driver."""

import json
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[1] / "fleet/crowd.py"

RUNS, SLOTS = 72, 8
"""A quarter of 300 runs on 32 slots, which take four times the CPU time for the same waves."""

SHORTEST_WATCH_DEADLINE_S = 10


def test_every_run_is_followed_when_runs_exceed_slots_ninefold() -> None:
    command = [sys.executable, str(SCRIPT), str(RUNS), str(SLOTS)]
    found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    assert found["states"] == {"done": RUNS}
    assert found["most_active"] == SLOTS
    assert found["waits_for"] == ["worker"]
    assert (found["starts"], found["driven_twice"]) == (1, 0)
    assert found["longest_unwatched_s"] < SHORTEST_WATCH_DEADLINE_S

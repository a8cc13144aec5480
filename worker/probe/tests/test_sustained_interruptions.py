"""Kills and pauses of a sustained trial before and after its measured part."""

import time

import pytest
from disturbance_driver import pause
from probe_driver import Probe, moments, of
from sustained_driver import BLOCK, STRACE, named_files, result_of

MIB = 1 << 20
TRIAL = {"layout": "ring", "files": 2, "file_bytes": 4 * MIB, "block": MIB, "mark_bytes": 4 * MIB}
TRIAL |= {"length_bytes": 16 * MIB}
SLOW_SYNC = (*STRACE, "-e", "inject=fsync:delay_enter=4000000:when=3")
"""The third fsync of the thread that preconditions takes four seconds."""
SLOW_DROP = (*STRACE, "-e", "inject=fadvise64:delay_enter=5000000:when=1")


def wait_for_progress(probe: Probe, doing: str) -> None:
    for _ in moments():
        if any(one["doing"] == doing for one in of(probe.events(), "progress")):
            return
    raise AssertionError(f"it was never {doing}")


@pytest.mark.parametrize(
    ("doing", "slow"),
    [("preconditioning", {"precondition_passes": 100}), ("idling", {"idle_ms": 60_000})],
)
def test_a_trial_killed_in_its_preparation_begins_anew(
    probe: Probe, doing: str, slow: dict
) -> None:
    trial = TRIAL | {"file_bytes": 32 * MIB, "length_bytes": 64 * MIB}  # 100 passes take seconds
    probe.start(probe.plan(trial | slow, job="sustained"))
    wait_for_progress(probe, doing)
    probe.kill()
    quick = {"precondition_passes": 1} if doing == "preconditioning" else {"idle_ms": 10}
    probe.start(probe.plan(trial | quick, job="sustained"))
    probe.follow()
    events = probe.events()
    assert probe.problems() == []
    begun = of(events, "trial")
    assert [(one["attempt"], one.get("done_bytes")) for one in begun] == [(1, None), (2, None)]
    result = result_of(events)
    assert (result["attempt"], result["status"], result["bytes"]) == (2, "complete", 64 * MIB)
    assert not named_files(probe)


def test_a_trial_killed_in_its_ramp_up_begins_anew_with_a_ramp_up(probe: Probe) -> None:
    trial = {"length_bytes": 0, "duration_ms": 3000, "ramp_ms": 1500, "pace": "rate"}
    plan = probe.plan(trial | {"rate_bytes_per_s": 50 * BLOCK}, job="sustained")
    probe.start(plan)
    probe.wait_for("sample", count=3)
    probe.kill()
    probe.start(plan)
    probe.follow()
    assert probe.problems() == []
    events = probe.events()
    assert of(events, "trial")[1].get("done_bytes") is None
    detail = result_of(events)["detail"]
    assert detail["ramp_ns"] == 1500 * 10**6
    assert detail["ramp_ops"] > 0


def test_a_pause_in_the_preparation_does_not_use_up_its_time_limit(shipped: Probe) -> None:
    limited = {"precondition_passes": 3, "prepare_timeout_ms": 5000}
    plan = shipped.plan(TRIAL | limited, job="sustained")
    shipped.start_traced(plan, SLOW_SYNC)
    shipped.wait_for("progress")
    pause(shipped, 7)
    shipped.follow()
    result = result_of(shipped.events())
    assert (result["status"], result["reason"]) == ("complete", None)
    done = result["detail"]["preparation"]
    assert done["precondition_ns"] > 5 * 10**9, "longer than the limit"
    assert shipped.problems() == []


def test_a_pause_while_reading_back_leaves_its_rate_unknown(shipped: Probe) -> None:
    shipped.start_traced(shipped.plan(TRIAL | {"read_back": 1}, job="sustained"), SLOW_DROP)
    shipped.wait_for("result")
    time.sleep(0.3)
    pause(shipped, 1.5)
    shipped.follow()
    [found] = of(shipped.events(), "readback")
    assert (found["whole"], found["bytes"], found["ns"]) == (True, 8 * MIB, 0)
    assert result_of(shipped.events())["status"] == "complete"
    assert shipped.problems() == []

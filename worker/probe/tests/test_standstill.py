"""What a standstill of the probe adds to the figures of a sustained trial: nothing."""

import os
import signal
import time
from collections.abc import Callable

import pytest
from disturbance_driver import attempts, control_group
from probe_driver import Probe, of
from sustained_driver import BLOCK, STRACE, marks_of, result_of

SECOND, MS = 10**9, 10**6

STILL_S = 2.0

SLOWEST_NS = 700 * MS
"""No operation of a working machine takes as long; the standstill takes three times that."""

RATE = 8_000_000

PACED = {"pace": "rate", "rate_bytes_per_s": RATE}

TRIALS: dict[str, dict] = {
    "paced": PACED,
    "unpaced": {"streams": 2, "layout": "ring", "files": 2, "file_bytes": 256 * BLOCK},
    "bursts": {"pace": "burst", "burst_blocks": 4, "gap_ns": 20 * MS},
    "paced io_uring": PACED | {"engine": "io_uring", "queue_depth": 4},
    "mixed": PACED
    | {"operation": "mixed", "read_percent": 50, "access": "random", "file_bytes": 64 * BLOCK},
    "periodic syncs": PACED | {"sync_ms": 100},
}


def stop(probe: Probe) -> None:
    os.kill(probe.pid(), signal.SIGSTOP)
    time.sleep(STILL_S)
    os.kill(probe.pid(), signal.SIGCONT)


def freeze(probe: Probe) -> None:
    with control_group("freezer", "still") as group:
        (group / "cgroup.procs").write_text(str(probe.pid()))
        (group / "freezer.state").write_text("FROZEN")
        time.sleep(STILL_S)
        (group / "freezer.state").write_text("THAWED")


@pytest.mark.parametrize(("name", "hold"), [*((name, stop) for name in TRIALS), ("paced", freeze)])
def test_a_standstill_is_in_no_service_time_due_time_or_backlog(
    probe: Probe, name: str, hold: Callable[[Probe], None]
) -> None:
    trial = {"length_bytes": 0, "duration_ms": 6000, "mark_bytes": 16 * BLOCK}
    probe.start(probe.plan(trial | TRIALS[name], job="sustained"))
    probe.wait_for("sample", count=2)
    hold(probe)
    probe.follow()
    events = probe.events()
    assert attempts(events) == [(0, 1, "complete")]
    result = result_of(events)
    detail = result["detail"]
    still = detail["stood_still_ns"]
    assert [one["excluded"] for one in of(events, "notice") if one["code"] == "gap"] == [True]
    assert STILL_S * SECOND - 100 * MS <= still <= (STILL_S + 0.5) * SECOND
    rows = {rate: (most, at_end) for rate, most, at_end, _ in detail["backlogs"]}
    for rate, (most, _) in rows.items():
        # the queue of a rate that the storage carries; faster ones grow with every call
        assert rate > RATE or most <= rate * SLOWEST_NS / SECOND + 4 * BLOCK
    latencies = [one["lat_max_ns"] for one in marks_of(events)]
    assert max(latencies) < SLOWEST_NS
    assert max(one[0] for one in detail["slowest"]) < SLOWEST_NS
    assert result["lat_max_ns"] < SLOWEST_NS
    assert detail["syncs"]["max_ns"] < SLOWEST_NS
    busy = sum(one["busy_ns"] for one in marks_of(events))
    streams = TRIALS[name].get("streams", 1)
    assert busy <= streams * (result["app_ns"] - still + 200 * MS)
    if detail["due_max_ns"] is not None:
        assert detail["due_max_ns"] < SLOWEST_NS
        assert max(one["due_max_ns"] for one in marks_of(events)) < SLOWEST_NS
        assert detail["backlog_max_bytes"] <= RATE * SLOWEST_NS / SECOND
        # unknown if the last write was late: none ended after the schedule's end
        at_end = detail["backlog_end_bytes"]
        assert at_end is None or at_end <= 2 * BLOCK + RATE * SLOWEST_NS / SECOND
        moved = RATE * (result["app_ns"] - still) / SECOND
        assert result["bytes"] == pytest.approx(moved, rel=0.06), "nothing was caught up"
    assert probe.problems() == []


def test_stalls_of_the_storage_are_no_standstill(shipped: Probe) -> None:
    """A sync that takes 600 ms, in which the probe's other threads run, is service time."""
    slow = (*STRACE, "-e", "trace=fdatasync", "-e", "inject=fdatasync:delay_enter=600000:when=2")
    trial = {"length_bytes": 0, "duration_ms": 4000, "sync_ms": 500} | PACED
    shipped.start_traced(shipped.plan(trial, job="sustained"), prefix=slow)
    shipped.wait_for("sample")
    shipped.follow()
    result = result_of(shipped.events())
    detail = result["detail"]
    assert detail["stood_still_ns"] == 0
    assert detail["syncs"]["max_ns"] >= 600 * MS
    assert detail["due_max_ns"] >= 500 * MS, "the next write was due soon after it began"
    assert detail["backlog_max_bytes"] >= 0.4 * RATE
    backlogs = {rate: most for rate, most, *_ in detail["backlogs"]}
    assert backlogs[1_000_000] >= 600_000
    assert of(shipped.events(), "notice") == []

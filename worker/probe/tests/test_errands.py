"""Preparing and removing test files: shown while in progress, and stopped between calls."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from probe_driver import Probe, moments, of

SET = {"operation": "read", "file_size": 200 << 20, "block": 1 << 20}


def tracing(probe: Probe, strace: str, fault: str) -> tuple:
    call = fault.partition(":")[0]
    trace = ("-f", "-qq", "-o", probe.home / "trace", "-e", f"trace={call},faccessat")
    return (strace, *trace, "-e", f"inject={fault}")


def test_preparation_shows_its_progress(shipped: Probe, strace: str) -> None:
    slow = tracing(shipped, strace, "pwrite64:delay_exit=100000")
    shipped.start_traced(shipped.plan(SET | {"timeout_ms": 1000}), slow)
    shipped.wait_for("end")
    preparing = of(shipped.events(), "progress")
    assert len(preparing) >= 3
    assert {event["doing"] for event in preparing} == {"preparing"}
    assert {event["total_bytes"] for event in preparing} == {200 << 20}
    done = [event["bytes"] for event in preparing]
    assert done == sorted(done)
    assert 0 < done[0] < done[-1] <= 200 << 20
    assert "pwrite" in {event["call"] for event in preparing}
    assert shipped.problems() == []


def test_a_stop_ends_preparation_between_calls(shipped: Probe, strace: str) -> None:
    slow = tracing(shipped, strace, "pwrite64:delay_exit=500000")
    shipped.start_traced(shipped.plan(SET, {}), slow)
    done = shipped.wait_for("progress", count=2)["bytes"]
    assert shipped.stop() == "stopped"
    events = shipped.events()
    (result,) = of(events, "result")
    assert (result["status"], result["started_ns"], result["ops"]) == ("stopped", None, 0)
    assert max(event["bytes"] for event in of(events, "progress")) <= done + (20 << 20)
    assert not [event for event in of(events, "notice") if event["code"] == "prepared"]
    assert shipped.leftovers() == []


def test_a_stop_names_the_call_that_removes_a_large_file(shipped: Probe, strace: str) -> None:
    slow = tracing(shipped, strace, "ftruncate:delay_enter=4000000")
    large = {"layout": "preallocated", "file_size": 3_500_000_000, "block": 512, "open": "rws"}
    shipped.start_traced(shipped.plan(large), slow)
    shipped.wait_for("sample")
    assert shipped.stop_answer(wait_ms=3000) == {"state": "stopping", "call": "ftruncate"}
    assert shipped.stop() == "stopped"
    removing = [event for event in of(shipped.events(), "progress") if event["doing"] == "removing"]
    assert removing[0]["call"] == "ftruncate"
    assert shipped.events()[-1]["cleaned"]
    assert shipped.problems() == []


def test_a_run_that_cannot_monitor_the_free_space_fails(shipped: Probe, strace: str) -> None:
    first_thread = (strace, "-f", "-qq", "-o", shipped.home / "trace", "-e", "trace=clone,clone3")
    shipped.start(
        shipped.plan({}), prefix=(*first_thread, "-e", "inject=clone,clone3:error=EAGAIN:when=1")
    )
    events = shipped.events()
    assert (events[-1]["status"], events[-1]["reason"]) == ("failed", "system")
    assert "free space" in of(events, "error")[0]["message"]
    assert of(events, "trial") == []


GROUP_BYTES = 96 << 20


@pytest.fixture
def memory_group() -> Iterator[Path]:
    """A separate control group with little memory: version 1, or 2 if only that exists."""
    first = Path("/sys/fs/cgroup/memory")
    group = (first if first.is_dir() else first.parent) / f"assay-probe-test-{os.getpid()}"
    group.mkdir()
    try:
        limit = "memory.limit_in_bytes" if first.is_dir() else "memory.max"
        (group / limit).write_text(str(GROUP_BYTES))
        yield group
    finally:
        for _ in moments():
            if not (group / "cgroup.procs").read_text():
                break
        group.rmdir()


def test_buffers_stay_below_the_limit_of_the_control_group(
    shipped: Probe, memory_group: Path
) -> None:
    joining = ("sh", "-c", f'echo $$ > {memory_group}/cgroup.procs; exec "$@"', "sh")
    trial = {"threads": 8, "block": 4 << 20, "file_size": 64 << 20}
    shipped.start(shipped.plan(trial, max_buffer_bytes=1 << 30), prefix=joining)
    shipped.follow()
    (complete,) = of(shipped.events(), "result")
    assert complete["status"] == "complete"
    shipped.start(shipped.plan(trial | {"attempt": 2}), prefix=joining)
    shipped.follow()
    (told,) = of(shipped.events(), "error")
    assert told["code"] == "memory"
    limit = re.search(r"limit of (\d+) bytes", told["message"])
    assert limit
    assert 0 < int(limit[1]) <= GROUP_BYTES // 10

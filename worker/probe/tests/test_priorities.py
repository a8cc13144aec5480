"""CPU and I/O priorities of sustained trials: threads of a real probe, refusals, and no effect."""

import ctypes
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from disturbance_driver import control_group
from probe_driver import Probe, moments, of
from sustained_driver import BLOCK, result_of

LIBC = ctypes.CDLL(None, use_errno=True)
SYS_IOPRIO_GET = 252 if os.uname().machine == "x86_64" else 31
SCHED_OTHER, SCHED_FIFO, SCHED_RR = os.SCHED_OTHER, os.SCHED_FIFO, os.SCHED_RR
WORKING = {
    "length_bytes": 0,
    "duration_ms": 60_000,
    "layout": "ring",
    "files": 2,
    "file_bytes": 16 * BLOCK,
    "cache": "direct",
    "streams": 2,
}
BURSTS = {"pace": "burst", "burst_blocks": 8, "gap_ns": 1_000_000}
REAL_TIME, BEST_EFFORT, IDLE = 1, 2, 3
UNPRIVILEGED = (
    "setpriv",
    "--bounding-set=-sys_nice",
    "--inh-caps=-sys_nice",
    "--ambient-caps=-all",
)
"""Without CAP_SYS_NICE; the process stays root, which alone permits nothing."""


def threads(probe: Probe) -> Iterator[tuple[int, str, int, int, int]]:
    """Yield each thread: its number, name, policy, real-time level and nice value."""
    for task in Path(f"/proc/{probe.pid()}/task").iterdir():
        stat = (task / "stat").read_text()
        name, fields = stat[stat.index("(") + 1 : stat.rindex(")")], stat.rpartition(")")[2].split()
        yield int(task.name), name, int(fields[38]), int(fields[37]), int(fields[16])


def writers(probe: Probe) -> list[tuple[int, int, int, int]]:
    """Return both writers as soon as they are named after a call."""
    found: dict[int, tuple[int, int, int, int]] = {}
    for _ in moments():
        for number, name, policy, level, nice in threads(probe):
            if name.startswith("assay:pwrite"):
                found[number] = (number, policy, level, nice)
        if len(found) == 2:
            return list(found.values())
    raise AssertionError("there are not two writers")


def working(probe: Probe, **given: object) -> list[tuple[int, int, int, int]]:
    probe.start(probe.plan(WORKING | given, job="sustained"))
    probe.wait_for("sample", count=2)
    return writers(probe)


@pytest.mark.parametrize(
    ("priority", "expected", "above"),
    [
        ("normal", (SCHED_OTHER, 0, 0), (SCHED_OTHER, 0, 0)),
        ("high", (SCHED_OTHER, 0, -10), (SCHED_OTHER, 0, -11)),
        ("fifo", (SCHED_FIFO, 10, 0), (SCHED_FIFO, 11, 0)),
        pytest.param("rr", (SCHED_RR, 10, 0), (SCHED_RR, 11, 0), marks=pytest.mark.nightly),
    ],
)
def test_writers_have_the_priority_and_the_sampler_runs_above_them(
    probe: Probe, priority: str, expected: tuple[int, int, int], above: tuple[int, int, int]
) -> None:
    found = working(probe, priority=priority)
    assert [one[1:] for one in found] == [expected, expected]
    numbers = {one[0] for one in found}
    observers = [one for one in threads(probe) if one[0] not in numbers]
    raised = [one for one in observers if one[2:] == above]
    assert probe.pid() in {one[0] for one in raised}, "the sampler"
    assert len(raised) >= 2, "the heartbeat"
    assert probe.stop() == "stopped"
    assert probe.problems() == []


@pytest.mark.parametrize(
    ("priority", "below"),
    [
        ("normal", (SCHED_OTHER, 0, 0)),
        ("high", (SCHED_OTHER, 0, -9)),
        ("fifo", (SCHED_FIFO, 9, 0)),
        ("rr", (SCHED_RR, 9, 0)),
    ],
)
def test_threads_that_generate_data_run_below_the_writers(
    probe: Probe, priority: str, below: tuple[int, int, int]
) -> None:
    """A paced trial generates its data in threads of their own, one for each writer."""
    numbers = {one[0] for one in working(probe, **BURSTS, priority=priority)}
    others = [one[2:] for one in threads(probe) if one[0] not in numbers]
    assert others.count(below) >= 2
    assert probe.stop() == "stopped"


def test_the_sampler_steps_down_after_the_trial(probe: Probe) -> None:
    short = WORKING | {"duration_ms": 500, "priority": "fifo"}
    probe.start(probe.plan(short, WORKING, job="sustained"))
    probe.wait_for("trial", count=2)
    [normal] = {one[1:] for one in writers(probe)}
    assert normal == (SCHED_OTHER, 0, 0)
    assert {one[2:] for one in threads(probe)} == {(SCHED_OTHER, 0, 0)}
    probe.stop()


@pytest.mark.parametrize(
    ("io_priority", "expected"),
    [
        ("real_time", (REAL_TIME, 4)),
        ("high", (BEST_EFFORT, 0)),
        ("low", (BEST_EFFORT, 7)),
        ("idle", (IDLE, 0)),
    ],
)
def test_writers_have_the_io_priority(
    probe: Probe, io_priority: str, expected: tuple[int, int]
) -> None:
    found = working(probe, io_priority=io_priority)
    values = [LIBC.syscall(SYS_IOPRIO_GET, 1, number) for number, *_ in found]
    assert [(value >> 13, value & 0x1FFF) for value in values] == [expected, expected]
    probe.stop()


def refusal(probe: Probe, prefix: tuple[str, ...] = (), **given: str) -> str:
    """Return why a trial was refused, which has begun nothing."""
    probe.start(probe.plan(WORKING | given, job="sustained"), prefix=prefix)
    probe.follow()
    events = probe.events()
    [error] = of(events, "error")
    assert (error["code"], error["trial"]) == ("priority_refused", None)
    assert of(events, "trial") == of(events, "result") == []
    assert of(events, "end")[0]["reason"] == "priority_refused"
    assert probe.problems() == []
    return error["message"]


def test_a_high_priority_without_permission_names_capability_limit_and_remedy(
    shipped: Probe,
) -> None:
    why = refusal(shipped, UNPRIVILEGED, priority="high")
    assert why.startswith("priority=high: the probe lacks CAP_SYS_NICE, and RLIMIT_NICE is 0 ")
    assert 'add "- nice -11"' in why


@pytest.mark.parametrize("priority", ["fifo", "rr"])
def test_real_time_without_permission_names_capability_limit_and_remedy(
    shipped: Probe, priority: str
) -> None:
    why = refusal(shipped, UNPRIVILEGED, priority=priority)
    assert why.startswith(
        f"priority={priority}: the probe lacks CAP_SYS_NICE, and RLIMIT_RTPRIO is 0 "
    )
    assert 'add "- rtprio 11"' in why


def with_real_time_limit(level: int) -> tuple[str, ...]:
    """Return the command that raises RLIMIT_RTPRIO and then gives up the capability."""
    raising = ("prlimit", f"--rtprio={level}")
    if subprocess.run([*raising, "true"], capture_output=True, check=False).returncode != 0:
        pytest.skip("RLIMIT_RTPRIO cannot be raised here: that needs CAP_SYS_RESOURCE")
    return (*raising, *UNPRIVILEGED)


def test_a_limit_that_permits_the_writers_but_not_the_sampler_is_refused(shipped: Probe) -> None:
    limited = with_real_time_limit(10)
    assert "RLIMIT_RTPRIO is 10 where 11 is needed" in refusal(shipped, limited, priority="fifo")


def test_a_sufficient_limit_permits_real_time_without_the_capability(shipped: Probe) -> None:
    limited = with_real_time_limit(11)
    trial = WORKING | {"duration_ms": 500, "priority": "fifo"}
    shipped.start(shipped.plan(trial, job="sustained"), prefix=limited)
    shipped.follow()
    assert result_of(shipped.events())["status"] == "complete"


def test_a_control_group_without_real_time_budget_is_named(shipped: Probe) -> None:
    with control_group("cpu", "no-real-time") as group:
        if not (group / "cpu.rt_runtime_us").exists():
            pytest.skip("this kernel does not limit real-time threads of control groups")
        assert (group / "cpu.rt_runtime_us").read_text().strip() == "0"
        enter = f'echo $$ > {group}/tasks; exec "$@"'
        why = refusal(shipped, ("sh", "-c", enter, "sh"), priority="fifo")
    assert f"cpu.rt_runtime_us of the control group {group} is 0" in why
    assert "write a time" in why


def test_a_real_time_io_priority_without_permission_names_the_capability(shipped: Probe) -> None:
    without = ("setpriv", "--bounding-set=-sys_nice,-sys_admin")
    why = refusal(shipped, without, io_priority="real_time")
    assert why == (
        "io_priority=real_time: the probe lacks CAP_SYS_NICE; run it as root, or use "
        "io_priority=high"
    )


def notices(probe: Probe, **given: str) -> list[str]:
    events = probe.run(WORKING | {"duration_ms": 200} | given, job="sustained")
    return [one["message"] for one in of(events, "notice") if one["code"] == "io_priority_ignored"]


def test_an_io_priority_of_page_cache_writes_has_no_effect(probe: Probe) -> None:
    [why] = notices(probe, io_priority="idle", cache="page")
    assert why.startswith("io_priority=idle has no effect on the writes: the kernel writes")


def test_an_io_priority_in_memory_has_no_effect(memory_target: Probe) -> None:
    [why] = notices(memory_target, io_priority="idle", cache="page")
    assert "the target has no block device" in why


def test_the_default_io_priority_is_not_reported(probe: Probe) -> None:
    assert notices(probe, io_priority="default", cache="direct") == []


def test_an_unknown_priority_is_refused_with_the_choices(probe: Probe) -> None:
    plan = probe.plan({"priority": "urgent"}, job="sustained")
    done = probe.verb("start", probe.run_dir, stdin=plan, check=False)
    assert done.returncode == 3
    assert "priority=urgent: must be one of normal, high, fifo, rr" in done.stderr.decode()

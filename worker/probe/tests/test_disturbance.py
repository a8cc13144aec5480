"""Attempts that were disturbed by a cause other than the storage: suspended, or starved of CPU."""

import ctypes
import json
import subprocess
import time
from collections.abc import Callable

import pytest
import spool_rules
from disturbance_driver import PAUSE_S, attempts, control_group, pause
from probe_driver import LONG, Probe, moments, of, samples

SOURCE = spool_rules.CONTRACT.parent / "src"
SECOND, MS = 10**9, 10**6
UNDISTURBED, SUSPENDED, STARVED = range(3)
BEAT = 100 * MS

JUDGING = """
#include "disturbance.h"
int judge(const int64_t *rows, size_t beats);
int judge(const int64_t *rows, size_t beats)
{
    struct evidence evidence = {.began = (uint64_t)rows[0]};
    struct beat before = {0};
    for (size_t i = 0; i < beats; i++, rows += 7) {
        struct beat now = {(uint64_t)rows[0], (uint64_t)rows[1], (uint64_t)rows[2],
                           (uint64_t)rows[3], (uint64_t)rows[4], rows[5] != 0};
        if (i > 0)
            evidence_add(&evidence, &before, &now, (uint64_t)rows[6]);
        before = now;
    }
    return (int)evidence_verdict(&evidence);
}
int starved(uint64_t duration, uint64_t threads, uint64_t cpus, uint64_t used, uint64_t run_delay);
int starved(uint64_t duration, uint64_t threads, uint64_t cpus, uint64_t used, uint64_t run_delay)
{
    struct cpu_share share = {duration, threads, cpus, used, run_delay};
    return cpu_starved(&share);
}
"""


class Clocks:
    """Readings of a heartbeat that beats every 100 ms; unspecified ones are on time."""

    def __init__(self) -> None:
        self.mono, self.boot, self.wall = 1000 * SECOND, 5000 * SECOND, 1_780_000_000 * SECOND
        self.run_delay = self.steal = 0
        self.rows = [[self.mono, self.boot, self.wall, 0, 0, 1, 0]]

    def beat(
        self,
        late: int = 90_000,
        run_delay: int = 80_000,
        steal: int = 0,
        slept: int = 0,
        step: int = 0,
        *,
        known: bool = True,
    ) -> "Clocks":
        due = self.mono + BEAT
        self.mono += BEAT + late
        self.boot += BEAT + late + slept
        self.wall += BEAT + late + slept + step
        self.run_delay += run_delay
        self.steal += steal
        readings = [self.mono, self.boot, self.wall, self.run_delay, self.steal, int(known), due]
        self.rows.append(readings)
        return self

    def quiet(self, seconds: int = 5) -> "Clocks":
        for _ in range(10 * seconds):
            self.beat()
        return self


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """The rules of the C source, callable from here; undefined behavior ends the test."""
    folder = tmp_path_factory.mktemp("disturbance")
    (folder / "judging.c").write_text("#include <stddef.h>\n" + JUDGING)
    command = ["gcc", "-std=c11", "-D_GNU_SOURCE", "-O1", "-shared", "-fPIC", "-I", SOURCE]
    command += ["-fsanitize=undefined", "-fsanitize-undefined-trap-on-error"]
    made = folder / "judging.so"
    subprocess.run(
        [*command, folder / "judging.c", SOURCE / "disturbance.c", "-o", made], check=True
    )
    library = ctypes.CDLL(str(made))
    library.judge.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    library.starved.argtypes = [ctypes.c_uint64] * 5
    return library


@pytest.fixture
def judge(rules: ctypes.CDLL) -> Callable[[Clocks], int]:
    def verdict(clocks: Clocks) -> int:
        rows = [value for row in clocks.rows for value in row]
        return rules.judge((ctypes.c_int64 * len(rows))(*rows), len(clocks.rows))

    return verdict


def test_a_heartbeat_on_time_shows_no_disturbance(judge) -> None:
    assert judge(Clocks().quiet()) == UNDISTURBED


def test_a_paused_virtual_machine_with_a_running_clock_is_suspended(judge) -> None:
    """Paused by its hypervisor: neither run delay nor steal counts the pause."""
    assert judge(Clocks().quiet().beat(late=40 * SECOND, run_delay=3 * MS).quiet()) == SUSPENDED


def test_a_paused_virtual_machine_whose_clock_is_set_afterwards_is_suspended(judge) -> None:
    """Its monotonic clock stood still; a guest agent sets the wall clock when it resumes."""
    assert judge(Clocks().quiet().beat(step=40 * SECOND).quiet()) == SUSPENDED


def test_a_suspended_host_is_detected_by_its_boot_time(judge) -> None:
    """Suspended to RAM: the monotonic clock stops, the other two continue."""
    assert judge(Clocks().quiet().beat(slept=95 * SECOND).quiet()) == SUSPENDED


def test_a_slewed_wall_clock_does_not_jump(judge) -> None:
    clocks = Clocks()
    for _ in range(600):
        clocks.beat(step=50_000)  # 500 ppm, the most that NTP slews by
    assert judge(clocks) == UNDISTURBED


def test_a_stop_whose_resumption_waits_a_little_for_a_cpu_is_still_a_stop(judge) -> None:
    assert judge(Clocks().quiet().beat(late=3 * SECOND, run_delay=200 * MS)) == SUSPENDED


def test_a_late_heartbeat_with_a_short_cpu_wait_is_a_stop(judge) -> None:
    """Just over the limit in total, and just under it without the wait."""
    assert judge(Clocks().quiet().beat(late=260 * MS, run_delay=12 * MS).quiet()) == SUSPENDED
    assert judge(Clocks().quiet().beat(late=260 * MS, run_delay=140 * MS).quiet()) == STARVED


def test_many_short_stops_add_up_to_a_suspension(judge) -> None:
    """As `cpulimit` does it: stopped and continued every 100 ms."""
    clocks = Clocks()
    for _ in range(20):
        clocks.beat(late=60 * MS).beat()
    assert judge(clocks) == SUSPENDED


def test_a_late_heartbeat_that_waited_for_a_cpu_is_starved(judge) -> None:
    assert judge(Clocks().quiet().beat(late=400 * MS, run_delay=390 * MS).quiet()) == STARVED


def test_steal_is_a_wait_for_a_cpu(judge) -> None:
    assert judge(Clocks().quiet().beat(late=400 * MS, steal=390 * MS).quiet()) == STARVED


def test_a_late_heartbeat_of_a_kernel_without_run_delay_counts_as_suspended(judge) -> None:
    assert judge(Clocks().beat(known=False).beat(late=400 * MS, known=False)) == SUSPENDED


def test_delays_of_a_busy_host_are_not_a_disturbance(judge) -> None:
    clocks = Clocks()
    for _ in range(100):
        clocks.beat(late=75 * MS, run_delay=74 * MS)
    assert judge(clocks) == UNDISTURBED


@pytest.mark.parametrize(
    ("what", "expected", "threads", "used", "run_delay"),
    [
        ("direct writes on an idle host", False, 1, SECOND // 2, 50 * MS),
        ("16 threads that share two CPUs", False, 16, 19 * SECOND, 141 * SECOND),
        ("a thread under a quota of a fifth of a CPU", True, 1, 2 * SECOND, 8 * SECOND),
        ("16 threads with as many of other processes", True, 16, 10 * SECOND, 150 * SECOND),
        ("waits for a CPU after each of many calls", True, 1, SECOND // 2, 9 * SECOND),
    ],
)
def test_threads_are_starved_by_others_and_not_by_each_other(
    rules: ctypes.CDLL, what: str, expected: bool, threads: int, used: int, run_delay: int
) -> None:
    assert bool(rules.starved(10 * SECOND, threads, 2, used, run_delay)) is expected, what


def test_a_stopped_probe_is_suspended_and_repeats_the_trial(probe: Probe) -> None:
    probe.start(probe.plan(LONG | {"timeout_ms": 8000, "threads": 2}))
    probe.wait_for("sample", count=2)
    pause(probe)
    suspended = probe.wait_for("result")
    assert (suspended["attempt"], suspended["status"]) == (1, "suspended")
    assert (suspended["sync"], suspended["durable_ns"]) == ("none", None)
    assert suspended["disturbance"]["paused_ns"] > (PAUSE_S - 0.2) * SECOND
    notice = of(probe.events(), "notice")[0]
    assert (notice["code"], notice["trial"], notice["attempt"]) == ("suspended", 0, 1)
    assert "did not run for 1." in notice["message"]
    assert max(sample["late_ns"] for sample in samples(probe.events())) > SECOND
    probe.wait_for("trial", count=2)
    probe.stop()
    assert [event["attempt"] for event in of(probe.events(), "trial")] == [1, 2]
    assert probe.problems() == []


def test_a_trial_is_abandoned_after_three_suspended_attempts(probe: Probe) -> None:
    probe.start(probe.plan(LONG, {}))
    for number in (1, 2, 3):
        probe.wait_for("trial", count=number)
        seen = len(of(probe.events(), "sample"))
        probe.wait_for("sample", count=seen + 2)
        pause(probe, 1)
        probe.wait_for("result", count=number)
    probe.follow()
    assert attempts(probe.events()) == [
        (0, 1, "suspended"),
        (0, 2, "suspended"),
        (0, 3, "suspended"),
        (1, 1, "complete"),
    ]
    assert of(probe.events(), "end")[0]["trials_complete"] == 1
    assert probe.problems() == []
    again = json.loads(probe.start(probe.plan(LONG, {})).stdout)
    assert again["state"] == "done"


def test_attempts_are_counted_across_segments(probe: Probe) -> None:
    probe.start(probe.plan(LONG))
    probe.wait_for("sample", count=2)
    pause(probe, 1)
    probe.wait_for("trial", count=2)
    seen = len(of(probe.events(), "sample"))
    probe.wait_for("sample", count=seen + 1)
    probe.kill()
    probe.start(probe.plan(LONG | {"attempt": 3}, generation=2))
    for number in (2, 3):
        probe.wait_for("trial", count=number + 1)
        seen = len(of(probe.events(), "sample"))
        probe.wait_for("sample", count=seen + 2)
        pause(probe, 1)
        probe.wait_for("result", count=number)
    probe.follow(generation=2)
    numbers = [(0, number, "suspended") for number in (1, 3, 4)]
    assert attempts(probe.events()) == numbers
    assert probe.problems() == []


def test_a_slow_spool_directory_is_not_a_suspension(shipped: Probe, strace: str) -> None:
    tracing = (strace, "-f", "--seccomp-bpf", "-qq", "-o", "/dev/null", "-e", "trace=write")
    slow = ("-e", "inject=write:delay_exit=700000:when=5+")
    shipped.start(shipped.plan(LONG | {"timeout_ms": 1500}), prefix=(*tracing, *slow))
    shipped.follow()
    assert attempts(shipped.events()) == [(0, 1, "timed_out")]
    assert of(shipped.events(), "notice") == []
    assert shipped.problems() == []


def test_a_frozen_control_group_is_a_suspension(probe: Probe) -> None:
    with control_group("freezer", "frozen") as group:
        probe.start(probe.plan(LONG | {"timeout_ms": 8000}))
        probe.wait_for("sample", count=2)
        (group / "cgroup.procs").write_text(str(probe.pid()))
        (group / "freezer.state").write_text("FROZEN")
        for _ in moments():
            if (group / "freezer.state").read_text().strip() == "FROZEN":
                break
        time.sleep(PAUSE_S)
        (group / "freezer.state").write_text("THAWED")
        result = probe.wait_for("result")
        probe.stop()
    assert (result["attempt"], result["status"]) == (1, "suspended")
    assert result["disturbance"]["paused_ns"] > SECOND
    assert probe.problems() == []


def test_a_cpu_quota_starves_the_threads(shipped: Probe) -> None:
    """A tenth of a CPU for writes that only copy memory."""
    copying = {"file_size": 4 << 30, "block": 4096, "timeout_ms": 6000}
    with control_group("cpu", "quota") as group:
        (group / "cpu.cfs_quota_us").write_text("10000")
        shipped.start(shipped.plan(copying))
        shipped.wait_for("sample")
        (group / "cgroup.procs").write_text(str(shipped.pid()))
        result = shipped.wait_for("result")
        shipped.stop()
    assert result["status"] == "starved"
    assert result["disturbance"]["cpu_lost_ns"] > SECOND
    notice = of(shipped.events(), "notice")
    assert "starved" in [event["code"] for event in notice]

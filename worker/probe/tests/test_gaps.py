"""Disturbances of a sustained trial: it goes on, and what they cover is not measured."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import spool_rules
from disturbance_driver import attempts, control_group, pause
from probe_driver import Probe, moments, of, samples
from sustained_driver import BLOCK, STRACE, result_of

SECOND, MS = 10**9, 10**6


def sustained(probe: Probe, seconds: int) -> None:
    """Start a sustained trial, and wait for its first samples."""
    trial = {"length_bytes": 0, "duration_ms": 1000 * seconds, "pace": "rate"}
    probe.start(probe.plan(trial | {"rate_bytes_per_s": 8_000_000}, job="sustained"))
    probe.wait_for("sample", count=2)


def gaps_of(events: list[dict]) -> list[dict]:
    """Return the last report of each gap."""
    reports = [notice for notice in of(events, "notice") if notice["code"] == "gap"]
    return list({(one["attempt"], one["from_ns"]): one for one in reports}.values())


def wait_for_gap(probe: Probe) -> dict:
    for _ in moments(8):
        if found := gaps_of(probe.events()):
            return found[-1]
    raise AssertionError("no gap was reported")


def test_a_stopped_sustained_trial_goes_on_with_a_gap(probe: Probe) -> None:
    sustained(probe, seconds=7)
    pause(probe, 1)
    probe.follow()
    events = probe.events()
    assert attempts(events) == [(0, 1, "complete")]
    assert of(events, "result")[0]["disturbance"]["paused_ns"] > 0.8 * SECOND
    [gap] = gaps_of(events)
    assert (gap["trial"], gap["attempt"], gap["what"]) == (0, 1, "suspended")
    assert gap["disturbances"] == 1
    assert 0.8 * SECOND < gap["until_ns"] - gap["from_ns"] < 2 * SECOND
    late = max(samples(events), key=lambda sample: sample["late_ns"])
    assert gap["from_ns"] < late["end_ns"]
    assert gap["until_ns"] > late["end_ns"] - late["dt_ns"]
    assert "did not run for" in gap["message"]
    assert probe.problems() == []


def test_disturbances_close_to_each_other_are_one_gap(probe: Probe) -> None:
    sustained(probe, seconds=9)
    for _ in range(2):
        pause(probe, 0.6)
        seen = len(of(probe.events(), "sample"))
        probe.wait_for("sample", count=seen + 2)
    probe.follow()
    [gap] = gaps_of(probe.events())
    assert gap["disturbances"] == 2
    assert 1.2 * SECOND < gap["until_ns"] - gap["from_ns"] < 4.5 * SECOND
    assert attempts(probe.events()) == [(0, 1, "complete")]


def test_a_gap_is_reported_before_the_probe_dies(probe: Probe) -> None:
    sustained(probe, seconds=60)
    pause(probe, 1)
    gap = wait_for_gap(probe)
    probe.kill()
    assert gap["until_ns"] - gap["from_ns"] > 0.8 * SECOND
    assert of(probe.events(), "result") == []


def test_a_gap_that_grows_is_reported_again_before_its_end(probe: Probe) -> None:
    sustained(probe, seconds=60)
    pause(probe, 0.6)
    first = wait_for_gap(probe)
    for _ in moments(20):
        pause(probe, 0.6)
        time.sleep(0.5)
        grown = wait_for_gap(probe)
        if grown["until_ns"] > first["until_ns"]:
            break
    probe.kill()
    assert grown["from_ns"] == first["from_ns"]
    assert grown["disturbances"] > 2
    reports = [notice for notice in of(probe.events(), "notice") if notice["code"] == "gap"]
    assert len(reports) == 2, "not one per disturbance"


def test_a_sustained_trial_does_not_count_if_gaps_take_half_of_it(probe: Probe) -> None:
    sustained(probe, seconds=2)
    pause(probe, 3)
    probe.wait_for("trial", count=2)
    probe.stop()
    codes = [notice["code"] for notice in of(probe.events(), "notice")]
    assert codes[:2] == ["gap", "suspended"]
    assert attempts(probe.events())[0] == (0, 1, "suspended")
    assert probe.problems() == []


COPYING = {
    "length_bytes": 0,
    "block": 1 << 20,
    "layout": "ring",
    "files": 2,
    "file_bytes": 8 << 20,
    "mark_bytes": 1 << 30,
    "pace": "rate",
    "rate_bytes_per_s": 500_000_000,
}
"""Writes that only copy memory: their thread needs a small part of a CPU."""


def writer(probe: Probe) -> str:
    """Return the thread that writes, which is named after its calls."""
    for _ in moments():
        for task in Path(f"/proc/{probe.pid()}/task").iterdir():
            if (task / "comm").read_text().startswith("assay:pwrite"):
                return task.name
    raise AssertionError("no thread writes")


@contextmanager
def little_cpu(probe: Probe) -> Iterator[Path]:
    """Leave the writing thread a hundredth of a CPU; the probe's other threads are not limited.

    Yields the statistics of its control group.
    """
    with control_group("cpu", "writer") as group:
        (group / "cpu.cfs_quota_us").write_text("1000")
        (group / "tasks").write_text(writer(probe))
        yield group / "cpu.stat"


def throttled_ns(statistics: Path) -> int:
    """Return how long the threads of a control group were kept from running."""
    fields = dict(line.split() for line in statistics.read_text().splitlines())
    return int(fields["throttled_time"])


def test_a_lack_of_cpu_just_before_the_end_is_a_gap(shipped: Probe) -> None:
    """It is judged although its window is not over."""
    shipped.start(shipped.plan(COPYING | {"duration_ms": 11_000}, job="sustained"))
    shipped.wait_for("sample", count=60)
    pause(shipped, 0.6)  # begins a new window
    seen = len(of(shipped.events(), "sample"))
    shipped.wait_for("sample", count=seen + 2)
    with little_cpu(shipped):
        result = shipped.wait_for("result")
    shipped.follow()
    assert (result["attempt"], result["status"]) == (1, "complete")
    [gap] = gaps_of(shipped.events())
    assert gap["disturbances"] == 2
    assert gap["until_ns"] >= result["app_ns"] - 200 * MS
    assert shipped.problems() == []


def test_a_pause_does_not_hide_the_lack_of_cpu_before_it(shipped: Probe) -> None:
    began = time.monotonic_ns()
    shipped.start(shipped.plan(COPYING | {"duration_ms": 11_000}, job="sustained"))
    shipped.wait_for("sample")
    with little_cpu(shipped) as statistics:
        for _ in moments():
            if throttled_ns(statistics) > 3.4 * SECOND:
                break
        pause(shipped, 0.6)
        gap = wait_for_gap(shipped)
    told_ns = time.monotonic_ns() - began
    shipped.follow()
    assert result_of(shipped.events())["status"] == "complete"
    assert gap["from_ns"] == 0
    assert 4 * SECOND < gap["until_ns"] < told_ns
    assert shipped.problems() == []


def test_a_pause_extends_the_limit_of_the_final_sync(shipped: Probe) -> None:
    """The sync takes 3 s, of which the probe is stopped for more than 1 s; its limit is 2 s."""
    slow = (*STRACE, "-e", "trace=fdatasync", "-e", "inject=fdatasync:delay_enter=3000000:when=1")
    trial = {"length_bytes": 0, "duration_ms": 4000, "pace": "rate", "rate_bytes_per_s": 8_000_000}
    shipped.start_traced(
        shipped.plan(trial | {"sync_timeout_ms": 2000}, job="sustained"), prefix=slow
    )
    for _ in moments():
        if any(sample["phase"] == spool_rules.SYNC_PHASE for sample in samples(shipped.events())):
            break
    pause(shipped, 1.5)
    shipped.follow()
    result = result_of(shipped.events())
    assert (result["status"], result["sync"]) == ("complete", "complete")
    assert result["durable_ns"] - result["app_ns"] > 2.8 * SECOND
    [gap] = gaps_of(shipped.events())
    assert gap["from_ns"] < result["app_ns"] + 2 * SECOND < gap["until_ns"] + SECOND
    assert shipped.problems() == []


def test_a_pause_does_not_use_up_the_time_limit(probe: Probe) -> None:
    """The trial sleeps for 4 s of its limit of 5 s; the pause adds to that."""
    trial = {"length_bytes": 101 * BLOCK, "pace": "burst", "burst_blocks": 1, "gap_ns": 40 * MS}
    probe.start(probe.plan(trial | {"timeout_ms": 5000}, job="sustained"))
    probe.wait_for("sample", count=2)
    pause(probe, 1.8)
    probe.follow()
    assert attempts(probe.events()) == [(0, 1, "complete")]
    assert of(probe.events(), "result")[0]["app_ns"] > 5 * SECOND
    assert probe.problems() == []


def test_a_trial_that_is_too_slow_times_out_despite_a_pause(probe: Probe) -> None:
    trial = {"length_bytes": 1000 * BLOCK, "pace": "rate", "rate_bytes_per_s": 125 * BLOCK}
    probe.start(probe.plan(trial | {"timeout_ms": 3000}, job="sustained"))
    probe.wait_for("sample", count=2)
    pause(probe, 1)
    probe.follow()
    assert attempts(probe.events()) == [(0, 1, "timed_out")]
    assert of(probe.events(), "result")[0]["app_ns"] > 3.8 * SECOND

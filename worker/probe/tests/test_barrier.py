"""The barrier: participants of a run are prepared, wait, and start together."""

import time

import pytest
from probe_driver import LONG, Probe, of

MS, MIB = 10**6, 1 << 20


def boot_ns() -> int:
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)


def started_at(probe: Probe, number: int = 0) -> int:
    """Return when a trial started, by the boot clock."""
    hello, result = of(probe.events(), "hello")[0], of(probe.events(), "result")[number]
    behind = boot_ns() - time.monotonic_ns()
    return hello["mono_ns"] + result["started_ns"] + behind


def test_a_trial_waits_until_it_is_released_and_starts_at_the_agreed_time(probe: Probe) -> None:
    probe.start(probe.plan({}, barrier="yes"))
    probe.wait_for("ready")
    assert of(probe.events(), "sample") == []
    agreed = boot_ns() + 500 * MS
    probe.release(0, agreed)
    probe.follow()
    assert [result["status"] for result in of(probe.events(), "result")] == ["complete"]
    assert started_at(probe) >= agreed - MS  # both clocks are read here, one after the other
    delay = of(probe.events(), "result")[0]["start_delay_ns"]
    assert abs(agreed + delay - started_at(probe)) < MS
    assert probe.problems() == []


def test_a_trial_that_is_released_late_says_by_how_much(probe: Probe) -> None:
    probe.start(probe.plan({}, barrier="yes"))
    probe.wait_for("ready")
    probe.release(0, boot_ns() - 2000 * MS)
    probe.follow()
    assert of(probe.events(), "result")[0]["start_delay_ns"] >= 2000 * MS


def test_a_trial_without_a_barrier_or_aborted_there_has_no_delay(probe: Probe) -> None:
    probe.start(probe.plan({}))
    probe.follow()
    assert of(probe.events(), "result")[0]["start_delay_ns"] is None
    probe.start(probe.plan({}, {}, barrier="yes", generation=2))
    probe.wait_for("ready")
    probe.release(1, "abort", generation=2)
    probe.follow(generation=2)
    assert of(probe.events(), "result")[1]["start_delay_ns"] is None


def test_a_release_of_another_trial_starts_nothing(probe: Probe) -> None:
    probe.start(probe.plan({}, {}, barrier="yes"))
    probe.wait_for("ready")
    probe.release(1, 0)
    time.sleep(0.3)
    assert of(probe.events(), "result") == []
    probe.release(0, 0)
    probe.wait_for("ready", count=2)
    probe.release(1, 0)
    probe.follow()
    assert [result["status"] for result in of(probe.events(), "result")] == ["complete"] * 2


def test_abort_ends_a_trial_that_waits_or_is_measured_and_the_next_follows(probe: Probe) -> None:
    probe.start(probe.plan({}, LONG, {}, barrier="yes"))
    probe.wait_for("ready")
    probe.release(0, "abort")
    probe.wait_for("ready", count=2)
    probe.release(1, 0)
    probe.wait_for("sample", count=2)
    probe.release(1, "abort")
    probe.wait_for("ready", count=3)
    probe.release(2, 0)
    probe.follow()
    statuses = [result["status"] for result in of(probe.events(), "result")]
    assert statuses == ["stopped", "stopped", "complete"]
    assert of(probe.events(), "end")[0]["status"] == "done"
    assert probe.problems() == []


def test_an_unreleased_trial_ends_with_the_watch_deadline(probe: Probe) -> None:
    probe.start(probe.plan({}, barrier="yes", watch_ms=300))
    assert probe.wait_for("end")["status"] == "deadline"


def test_a_lower_generation_releases_nothing(probe: Probe) -> None:
    probe.start(probe.plan({}, barrier="yes", generation=3))
    probe.wait_for("ready")
    assert probe.release(0, 0, generation=2, check=False).returncode == 4
    assert of(probe.events(), "result") == []


def test_a_release_of_an_earlier_segment_is_forgotten(probe: Probe) -> None:
    probe.start(probe.plan(LONG, barrier="yes"))
    probe.wait_for("ready")
    probe.release(0, 0)
    probe.wait_for("sample")
    probe.kill()
    assert probe.release(0, 0, check=False).returncode == 10
    probe.start(probe.plan(LONG, barrier="yes", generation=2))
    probe.wait_for("ready", count=2)
    time.sleep(0.3)
    assert of(probe.events(), "result") == []
    assert probe.stop(generation=2) == "stopped"


def test_a_run_with_a_barrier_is_removed_completely(probe: Probe) -> None:
    probe.start(probe.plan({}, barrier="yes"))
    probe.wait_for("ready")
    probe.release(0, 0)
    probe.follow()
    assert probe.stop() == "done"
    probe.verb("sweep", probe.run_dir.parent, "--forget", probe.run_dir.name)
    assert not probe.run_dir.exists()


@pytest.mark.parametrize(
    "preparation",
    [
        {"idle_ms": 60_000},
        {"precondition_passes": 100, "layout": "ring", "files": 2, "file_bytes": 64 << 20},
        {"operation": "read", "length_bytes": 2 << 30},
    ],
    ids=["idle", "preconditioning", "files of a read"],
)
def test_abort_ends_the_preparation_of_a_trial_and_the_next_follows(
    probe: Probe, preparation: dict
) -> None:
    slow = {"block": MIB, "mark_bytes": 8 * MIB, "length_bytes": 128 * MIB} | preparation
    probe.start(probe.plan(slow, {}, job="sustained", barrier="yes"))
    probe.wait_for("progress")
    began = time.monotonic()
    probe.release(0, "abort")
    result = probe.wait_for("result")
    assert time.monotonic() - began < 10
    assert (result["status"], result["reason"], result["bytes"]) == ("stopped", None, 0)
    probe.wait_for("ready")
    probe.release(1, 0)
    probe.follow()
    assert of(probe.events(), "result")[1]["status"] == "complete"
    assert of(probe.events(), "error") == []
    assert probe.problems() == []

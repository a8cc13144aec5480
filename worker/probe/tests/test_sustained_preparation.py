"""What a sustained trial does before it is measured: fill, precondition, idle."""

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from probe_driver import Probe, of
from sustained_driver import MB, named_files, result_of, sustained

MIB = 1 << 20
RING = {"layout": "ring", "files": 2, "file_bytes": 2 * MIB, "block": MIB, "mark_bytes": 4 * MIB}
RING |= {"length_bytes": 8 * MIB}


def preparation(events: list[dict]) -> dict:
    return result_of(events)["detail"]["preparation"]


def notices(events: list[dict], code: str) -> list[dict]:
    return [one for one in of(events, "notice") if one["code"] == code]


@pytest.fixture
def small(probe: Probe) -> Iterator[Probe]:
    """The probe with a target on a file system of 256 MiB."""
    mount = Path("/dev/shm") / f"assay-probe-fill-{os.getpid()}-{time.monotonic_ns()}"
    mount.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256m", "assay", mount], check=True)
    probe.target = mount / "target"
    probe.target.mkdir()
    try:
        yield probe
    finally:
        probe.clean_up()
        left = probe.leftovers()
        subprocess.run(["umount", mount], check=True)
        mount.rmdir()
        assert left == []


def used_share(path: Path) -> float:
    found = os.statvfs(path)
    return 1 - found.f_bavail / found.f_blocks


def test_the_working_set_is_written_before_the_trial_and_not_measured(probe: Probe) -> None:
    events = sustained(probe, RING | {"precondition_passes": 2})
    done, result = preparation(events), result_of(events)
    assert probe.problems() == []
    assert done["precondition_passes"] == 2
    assert done["precondition_bytes"] == 2 * 4 * MIB
    assert done["precondition_ns"] > 0
    assert result["bytes"] == 8 * MIB
    assert notices(events, "preconditioned")[0]["bytes"] == 8 * MIB


@pytest.mark.parametrize("cache", ["page", "direct"])
def test_one_file_of_each_stream_is_preconditioned(probe: Probe, cache: str) -> None:
    trial = {"length_bytes": 10 * MIB, "block": MIB, "mark_bytes": MIB, "streams": 2}
    done = preparation(sustained(probe, trial | {"precondition_passes": 3, "cache": cache}))
    assert done["precondition_bytes"] == 3 * 10 * MIB


def test_the_trial_waits_for_the_idle_time(probe: Probe) -> None:
    events = sustained(probe, {"idle_ms": 1200})
    assert preparation(events)["idle_ns"] >= 1200 * MB
    [begun], result = of(events, "trial"), result_of(events)
    assert result["started_ns"] - begun["t"] >= 1200 * MB
    assert notices(events, "idled")


def test_the_file_system_is_filled_to_the_level_and_emptied_at_the_end(small: Probe) -> None:
    before = used_share(small.target)
    trial = RING | {"fill_percent": 60, "duration_ms": 1500, "length_bytes": 0}
    small.start(small.plan(trial, job="sustained"))
    small.wait_for("sample")
    during = used_share(small.target)
    small.follow()
    events = small.events()
    assert small.problems() == []
    done = preparation(events)
    assert 0.59 <= done["level_bytes"] / done["size_bytes"] <= 0.61
    assert 0.59 <= during <= 0.63  # with the ring of 4 MiB
    assert notices(events, "filled")[0]["bytes"] == done["fill_bytes"] > 140 * MIB
    assert used_share(small.target) == pytest.approx(before, abs=0.01)


def test_a_later_trial_keeps_the_files_of_the_fill(small: Probe) -> None:
    first, second = (
        one["detail"]["preparation"]
        for one in of(sustained(small, *[RING | {"fill_percent": 50}] * 2), "result")
    )
    assert first["fill_bytes"] > 100 * MIB
    assert second["fill_bytes"] < 8 * MIB
    assert second["level_bytes"] / second["size_bytes"] == pytest.approx(0.5, abs=0.01)


def test_the_files_of_a_killed_probe_are_swept(small: Probe) -> None:
    trial = RING | {"fill_percent": 50, "idle_ms": 60_000}
    small.start(small.plan(trial, job="sustained"))
    until = time.monotonic() + 30
    while used_share(small.target) < 0.5 and time.monotonic() < until:
        time.sleep(0.05)
    assert list(small.target.glob(".assay-*/fill-*"))
    small.kill()
    small.answer("sweep", small.run_dir.parent)
    assert used_share(small.target) < 0.1
    assert small.leftovers() == []


@pytest.mark.parametrize("key", ["fill_percent", "precondition_passes", "idle_ms"])
def test_each_part_can_be_stopped(small: Probe, key: str) -> None:
    long = {"fill_percent": 90, "precondition_passes": 100, "idle_ms": 600_000}[key]
    trial = RING | {key: long, "file_bytes": 8 * MIB, "mark_bytes": 8 * MIB}
    small.start(small.plan(trial, job="sustained"))
    small.wait_for("trial")
    began = time.monotonic()
    small.stop()
    assert time.monotonic() - began < 10
    end = of(small.events(), "end")[0]
    assert (end["status"], end["cleaned"]) == ("stopped", True)
    assert not named_files(small)


def test_a_level_that_leaves_no_room_for_the_reserve_is_refused(small: Probe) -> None:
    events = sustained(small, RING | {"fill_percent": 90}, reserve_bytes=64 * MIB)
    [error] = of(events, "error")
    assert error["code"] == "no_space"
    assert "fill_percent=90" in error["message"]
    assert not notices(events, "filled")


def test_preparation_that_takes_too_long_fails_the_trial(probe: Probe) -> None:
    events = sustained(
        probe, RING | {"precondition_passes": 100, "prepare_timeout_ms": 1, "file_bytes": 8 * MIB}
    )
    assert of(events, "error")[0]["code"] == "prepare_timeout"
    assert result_of(events)["reason"] == "prepare_timeout"


@pytest.mark.parametrize(
    "bad",
    [
        {"operation": "read"},
        {"layout": "sequence", "file_bytes": MIB, "block": MIB, "mark_bytes": MIB},
        {"duration_ms": 1000, "length_bytes": 0},
    ],
)
def test_a_working_set_that_does_not_exist_is_not_preconditioned(probe: Probe, bad: dict) -> None:
    refused = probe.verb(
        "start",
        probe.run_dir,
        stdin=probe.plan(bad | {"precondition_passes": 1}, job="sustained"),
        check=False,
    )
    assert refused.returncode == 3
    assert b"precondition_passes=1" in refused.stderr


def test_a_file_system_that_reports_its_free_space_late_is_not_overfilled(
    small: Probe, late_statfs: Path
) -> None:
    """Its free space stays that before the fill; what was written is counted."""
    small.environment |= {
        "LD_PRELOAD": str(late_statfs),
        "ASAN_OPTIONS": f"{small.environment['ASAN_OPTIONS']}:verify_asan_link_order=0",
    }
    trial = RING | {"fill_percent": 50, "duration_ms": 1500, "length_bytes": 0}
    small.start(small.plan(trial, job="sustained"))
    small.wait_for("sample")
    assert used_share(small.target) == pytest.approx(0.5, abs=0.05)
    small.follow()
    assert preparation(small.events())["fill_bytes"] == pytest.approx(128 * MIB, abs=2 * MIB)

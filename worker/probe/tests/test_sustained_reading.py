"""Sustained reads: files are prepared, dropped from the page cache, read in order and verified."""

import json
import os
import time

import pytest
from probe_driver import Probe, of, samples
from sustained_driver import BLOCK, MB, STRACE, marks_of, named_files, result_of, sustained

READ = {"operation": "read", "length_bytes": 64 * BLOCK}
RING = {"layout": "ring", "file_bytes": 4 * BLOCK, "files": 2}


def notices(events: list[dict], code: str) -> list[dict]:
    return [one for one in of(events, "notice") if one["code"] == code]


@pytest.mark.parametrize("cache", ["page", "direct"])
@pytest.mark.parametrize(
    ("layout", "files"),
    [
        ({"layout": "one"}, 3),
        ({"layout": "sequence", "file_bytes": 4 * BLOCK}, 18),
        (RING, 6),
    ],
    ids=["one", "sequence", "ring"],
)
def test_every_layout_is_prepared_and_read_in_full(
    probe: Probe, layout: dict, files: int, cache: str
) -> None:
    events = sustained(probe, READ | layout | {"streams": 3, "cache": cache})
    result = result_of(events)
    assert (result["status"], result["bytes"], result["ops"]) == ("complete", 64 * BLOCK, 64)
    assert (result["sync"], result["durable_ns"], result["verify_errors"]) == ("none", None, 0)
    footprint = (24 if layout == RING else 64) * BLOCK
    assert result["first_read_bytes"] == footprint == result["working_set_bytes"]
    assert result["detail"]["footprint_bytes"] == footprint
    prepared = notices(events, "prepared")[-1]
    assert (prepared["files"], prepared["bytes"]) == (files, footprint)
    assert prepared["ns"] > 0
    opened = result["detail"]["files"]["create"]["count"]
    assert opened == (15 if layout["layout"] == "sequence" else 0)
    assert {sample["phase"] for sample in samples(events)} == {2}
    assert sum(mark["bytes"] for mark in marks_of(events)) == 64 * BLOCK
    assert (result["resident_checked"] > 0, result["resident_pages"]) == (True, 0)
    assert named_files(probe) == []


def test_blocks_that_are_not_whole_sectors_are_verified_after_the_ring_begins_anew(
    probe: Probe,
) -> None:
    odd = {"block": 1000, "mark_bytes": 50_000, "length_bytes": 200_000}
    large = {"block": 77_777, "mark_bytes": 77_777, "length_bytes": 40 * 77_777}
    for trial in (odd | {"file_bytes": 7000}, large | {"file_bytes": 5 * 77_777}):
        probe.run_dir = probe.home / "runs" / str(trial["block"])
        result = result_of(sustained(probe, READ | RING | trial))
        assert (result["status"], result["verify_errors"]) == ("complete", 0)
        assert result["first_read_bytes"] == 2 * trial["file_bytes"]


def test_a_file_of_a_ring_is_dropped_from_the_page_cache_before_it_is_read_again(
    probe: Probe,
) -> None:
    ring = RING | {"file_bytes": 64 * BLOCK, "length_bytes": 384 * BLOCK, "cache": "page"}
    result = result_of(sustained(probe, READ | ring))
    assert result["first_read_bytes"] == 128 * BLOCK
    assert result["dev_app_bytes"] is not None, "this file system has a device that counts"
    assert result["dev_app_bytes"] >= result["bytes"] == 384 * BLOCK


def test_a_duration_reads_a_ring_again_and_again(probe: Probe) -> None:
    result = result_of(sustained(probe, READ | RING | {"length_bytes": 0, "duration_ms": 500}))
    assert (result["status"], result["verify_errors"]) == ("complete", 0)
    assert 450 * MB <= result["app_ns"] < 2000 * MB
    assert result["bytes"] > result["first_read_bytes"] == 8 * BLOCK


def test_a_rate_is_held_by_reads(probe: Probe) -> None:
    paced = {"length_bytes": 0, "duration_ms": 1000, "block": 4096, "mark_bytes": 40960}
    paced |= {"pace": "rate", "rate_bytes_per_s": 409_600}
    ring = {"layout": "ring", "files": 2, "file_bytes": 40960}
    result = result_of(sustained(probe, READ | paced | ring))
    detail = result["detail"]
    assert result["ops"] + detail["due_unfinished"] == 100
    assert sum(count for _, count in detail["due_hist"]) == 100
    assert detail["asleep_ns"] > 500 * MB


def spoil(probe: Probe, trial: dict, copy_from: int) -> None:
    """Overwrite the third block of the prepared file by another block of it; release the trial."""
    probe.start(probe.plan(READ | trial, job="sustained", barrier="yes"))
    probe.wait_for("ready")
    path = probe.test_files()[0]
    with path.open("r+b") as file:
        file.seek(copy_from)
        data = file.read(BLOCK)
        file.seek(2 * BLOCK)
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    probe.release(0, 0)


def spoiled(probe: Probe, trial: dict, copy_from: int) -> list[dict]:
    spoil(probe, trial, copy_from)
    probe.follow()
    assert probe.problems() == []
    return probe.events()


def test_data_of_another_place_is_found_each_time_it_is_read(probe: Probe) -> None:
    events = spoiled(probe, RING | {"length_bytes": 24 * BLOCK}, copy_from=0)
    assert result_of(events)["verify_errors"] == 3 * BLOCK // 512
    *_, found = notices(events, "verification_failed")
    assert (found["corrupt"], found["stale"], found["misplaced"]) == (0, 0, 3 * BLOCK // 512)
    assert found["first_offset_bytes"] == 2 * BLOCK


def test_wrong_data_is_reported_before_a_probe_is_killed(probe: Probe) -> None:
    slow = {"pace": "rate", "rate_bytes_per_s": 20 * BLOCK, "duration_ms": 60_000}
    spoil(probe, RING | slow | {"length_bytes": 0}, copy_from=0)
    for _ in range(300):
        if found := notices(probe.events(), "verification_failed"):
            break
        time.sleep(0.1)
    probe.kill()
    assert of(probe.events(), "result") == []
    assert (found[0]["trial"], found[0]["attempt"]) == (0, 1)
    assert found[0]["misplaced"] >= BLOCK // 512
    assert found[0]["first_offset_bytes"] == 2 * BLOCK


def test_extents_that_were_never_written_fail_the_trial(shipped: Probe) -> None:
    """A write that only reports success during preparation leaves a hole."""
    lost = ("-e", "trace=pwrite64", "-e", f"inject=pwrite64:retval={4 << 20}:when=5")
    trial = READ | {"length_bytes": 40 << 20}
    shipped.start(shipped.plan(trial, job="sustained"), prefix=(*STRACE, *lost))
    shipped.follow()
    result = result_of(shipped.events())
    assert (result["status"], result["reason"]) == ("failed", "unwritten_extents")
    assert result["unwritten"] == "found"
    assert shipped.problems() == []


def test_a_stop_ends_preparation(shipped: Probe) -> None:
    slow = ("-e", "trace=pwrite64", "-e", "inject=pwrite64:delay_exit=500000")
    long = READ | {"length_bytes": 200 << 20, "layout": "sequence", "file_bytes": 16 << 20}
    shipped.start_traced(shipped.plan(long, job="sustained"), (*STRACE, *slow))
    progress = shipped.wait_for("progress", count=2)
    assert (progress["doing"], progress["total_bytes"]) == ("preparing", 200 << 20)
    assert 0 < progress["bytes"] < 100 << 20
    assert shipped.stop() == "stopped"
    result = result_of(shipped.events())
    assert (result["status"], result["started_ns"], result["ops"]) == ("stopped", None, 0)
    assert notices(shipped.events(), "prepared") == []
    assert shipped.leftovers() == []


@pytest.mark.parametrize(
    "layout",
    [
        {"layout": "one"},
        {"layout": "sequence", "file_bytes": 8 << 20},
        {"layout": "ring", "file_bytes": 8 << 20, "files": 3},
    ],
    ids=lambda layout: layout["layout"],
)
def test_a_full_disk_in_preparation_fails_the_trial_and_leaves_nothing(
    shipped: Probe, layout: dict
) -> None:
    full = ("-e", "trace=pwrite64", "-e", "inject=pwrite64:error=ENOSPC:when=5+")
    trial = READ | layout | {"length_bytes": 48 << 20, "streams": 2}
    shipped.start(shipped.plan(trial, job="sustained"), prefix=(*STRACE, *full))
    shipped.follow()
    result = result_of(shipped.events())
    assert (result["status"], result["reason"]) == ("failed", "no_space")
    assert shipped.problems() == []
    assert shipped.leftovers() == []


def test_too_little_space_is_found_before_anything_is_written(probe: Probe) -> None:
    events = sustained(probe, READ | {"length_bytes": 1 << 50})
    assert (result_of(events)["status"], result_of(events)["reason"]) == ("failed", "no_space")
    assert notices(events, "preparing") == []


def test_the_files_of_a_killed_sequence_are_swept(probe: Probe) -> None:
    paced = {"pace": "burst", "burst_blocks": 1, "gap_ns": 3_000_000_000_000}
    trial = READ | paced | {"layout": "sequence", "file_bytes": 4 * BLOCK}
    probe.start(probe.plan(trial, job="sustained"))
    probe.wait_for("sample")
    probe.kill()
    assert len(named_files(probe)) == 16
    probe.answer("sweep", probe.run_dir.parent)
    assert named_files(probe) == []


def test_a_killed_read_continues_with_new_files(probe: Probe) -> None:
    paced = {"pace": "rate", "rate_bytes_per_s": 40 * BLOCK, "mark_bytes": 2 * BLOCK}
    plan = probe.plan(READ | RING | paced | {"length_bytes": 60 * BLOCK}, job="sustained")
    probe.start(plan)
    probe.wait_for("mark", count=5)
    probe.kill()
    probe.start(plan)
    probe.follow()
    events = probe.events()
    begins = of(events, "trial")[-1]
    assert begins["done_bytes"] >= 10 * BLOCK
    assert begins["total_bytes"] == 60 * BLOCK - begins["done_bytes"]
    result = result_of(events)
    assert (result["status"], result["bytes"]) == ("complete", begins["total_bytes"])
    assert (result["verify_errors"], result["first_read_bytes"]) == (0, 8 * BLOCK)
    assert len(notices(events, "prepared")) == 2
    assert probe.problems() == []


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"length_bytes": 0, "duration_ms": 1000}, "duration_ms"),
        ({"sync_bytes": BLOCK}, "sync_bytes"),
        ({"sync_ms": 1000}, "sync_ms"),
    ],
)
def test_what_a_read_cannot_do_rejects_the_plan(probe: Probe, changed: dict, named: str) -> None:
    plan = probe.plan(READ | changed, job="sustained")
    done = probe.verb("start", probe.run_dir, stdin=plan, check=False)
    assert done.returncode == 3
    assert f"{named}=" in done.stderr.decode()


def test_the_operation_is_reported(probe: Probe) -> None:
    *_, event = of(sustained(probe, READ), "trial")
    assert event["parameters"]["operation"] == "read"
    json.dumps(event)

"""Sustained trials: length, layouts, marks, backlogs, slowest operations."""

import json
import math
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest
import spool_rules
from probe_driver import TRIALS, Probe, moments, of
from sustained_driver import BLOCK, KB, MB, STRACE, marks_of, named_files, result_of, sustained


@pytest.mark.parametrize("cache", ["page", "direct"])
@pytest.mark.parametrize(
    "layout",
    [
        {"layout": "one"},
        {"layout": "sequence", "file_bytes": 4 * BLOCK},
        {"layout": "ring", "file_bytes": 4 * BLOCK, "files": 2},
    ],
    ids=lambda layout: layout["layout"],
)
def test_every_layout_writes_all_data_of_all_streams(
    probe: Probe, layout: dict, cache: str
) -> None:
    events = sustained(
        probe, {"streams": 3, "length_bytes": 64 * BLOCK - 5, "cache": cache} | layout
    )
    result = result_of(events)
    assert (result["status"], result["bytes"], result["ops"]) == ("complete", 64 * BLOCK, 64)
    assert result["sync"] == "complete"
    assert of(events, "trial")[0]["total_bytes"] == 64 * BLOCK
    footprint = min(64, 3 * 2 * 4) if layout["layout"] == "ring" else 64
    assert result["detail"]["footprint_bytes"] == footprint * BLOCK == result["working_set_bytes"]
    created = result["detail"]["files"]["create"]
    # of 22, 21 and 21 blocks, files of 4: the first of each stream exists before the trial
    assert created["count"] == (15 if layout["layout"] == "sequence" else 0)
    assert created["sum_ns"] >= created["max_ns"] >= (created["count"] > 0)


def test_a_sequence_leaves_as_many_files_as_it_needs_and_removes_them(probe: Probe) -> None:
    trial = {
        "layout": "sequence",
        "file_bytes": 2 * BLOCK,
        "length_bytes": 0,
        "duration_ms": 60_000,
    }
    paced = {"pace": "rate", "rate_bytes_per_s": 40 * BLOCK}
    probe.start(probe.plan(trial | paced, job="sustained"))
    for _ in moments():
        files = named_files(probe)
        if len(files) >= 5:
            break
    assert all(file.stat().st_size <= 2 * BLOCK for file in files)
    assert probe.stop() == "stopped"
    assert named_files(probe) == []
    assert probe.problems() == []


def test_the_files_of_a_killed_sequence_are_swept(probe: Probe) -> None:
    trial = {"layout": "sequence", "file_bytes": BLOCK, "length_bytes": 0, "duration_ms": 60_000}
    probe.start(probe.plan(trial | {"mark_bytes": BLOCK}, job="sustained"))
    probe.wait_for("mark", count=20)
    probe.kill()
    assert len(named_files(probe)) >= 20
    probe.answer("sweep", probe.run_dir.parent)
    assert named_files(probe) == []


def begun(events: list[dict]) -> dict:
    """Return the `trial` event of the newest attempt."""
    return of(events, "trial")[-1]


def measured(events: list[dict], attempt: int) -> tuple[int, int]:
    """Return the bytes and the end of an attempt's marks."""
    marks = [
        dict(zip(spool_rules.MARK_COLUMNS, mark["m"], strict=True))
        for mark in of(events, "mark")
        if mark["attempt"] == attempt
    ]
    return sum(mark["bytes"] for mark in marks), marks[-1]["end_ns"]


def test_a_killed_trial_continues_from_its_last_mark(probe: Probe) -> None:
    trial = {"length_bytes": 90 * BLOCK, "mark_bytes": 4 * BLOCK, "ramp_ms": 5}
    plan = probe.plan(
        trial | {"pace": "rate", "rate_bytes_per_s": 30 * BLOCK, "streams": 2}, job="sustained"
    )
    for number in (1, 2):
        probe.start(plan)
        probe.wait_for("trial", count=number)
        seen = len(of(probe.events(), "mark"))
        probe.wait_for("mark", count=seen + 3)
        probe.kill()
    probe.start(plan)
    probe.follow()
    events = probe.events()
    first, second, third = of(events, "trial")
    assert "done_bytes" not in first
    assert (second["done_bytes"], second["done_ns"]) == measured(events, 1)
    more_bytes, more_ns = measured(events, 2)
    assert third["attempt"] == 3
    assert third["done_bytes"] == second["done_bytes"] + more_bytes
    assert third["done_ns"] == second["done_ns"] + more_ns
    assert third["total_bytes"] == 90 * BLOCK - third["done_bytes"]
    assert third["parameters"]["ramp_ms"] == 0
    result = result_of(events)
    assert (result["status"], result["bytes"]) == ("complete", third["total_bytes"])
    assert probe.problems() == []
    assert json.loads(probe.start(plan).stdout)["state"] == "done"


def test_a_duration_continues_with_what_is_left_of_it(probe: Probe) -> None:
    paced = {"pace": "rate", "rate_bytes_per_s": 40 * BLOCK, "mark_bytes": BLOCK}
    plan = probe.plan({"length_bytes": 0, "duration_ms": 4000} | paced, job="sustained")
    probe.start(plan)
    probe.wait_for("mark", count=40)
    probe.kill()
    probe.start(plan)
    probe.follow()
    done = begun(probe.events())["done_ns"]
    assert begun(probe.events())["parameters"]["duration_ms"] == 4000 - done // MB
    assert result_of(probe.events())["app_ns"] < 4 * 10**9 - done + 10**9


def test_a_trial_interrupted_in_its_final_sync_writes_one_more_mark(probe: Probe) -> None:
    trial = {"length_bytes": 8 * BLOCK, "mark_bytes": 2 * BLOCK}
    known = {"done_bytes": 8 * BLOCK, "done_ns": 10**9, "attempt": 2}
    events = sustained(probe, trial | known)
    assert begun(events)["done_bytes"] == 8 * BLOCK
    assert result_of(events)["bytes"] == 2 * BLOCK


def test_the_workers_record_is_continued_if_the_host_lost_the_end_of_the_spool(
    probe: Probe,
) -> None:
    trial = {"length_bytes": 60 * BLOCK, "mark_bytes": BLOCK}
    paced = {"pace": "rate", "rate_bytes_per_s": 40 * BLOCK}
    probe.start(probe.plan(trial | paced, job="sustained"))
    probe.wait_for("mark", count=20)
    probe.kill()
    stored = probe.spool()[: probe.spool().rfind(b"\n") + 1]
    done_bytes, done_ns = measured(probe.events(), 1)
    spool = probe.run_dir / "events.ndjson"
    spool.write_bytes(stored[: len(stored) // 2])
    known = {"done_bytes": done_bytes, "done_ns": done_ns, "attempt": 2}
    read = {"read_bytes": len(stored), "read_events": stored.count(b"\n")}
    probe.start(probe.plan(trial | paced | known, job="sustained", generation=2, **read))
    probe.follow(len(stored), generation=2)
    lines = probe.spool()[len(stored) :].splitlines()
    begins = next(event for line in lines if (event := json.loads(line))["ev"] == "trial")
    assert (begins["done_bytes"], begins["done_ns"]) == (done_bytes, done_ns)


def test_participants_start_anew_together(probe: Probe) -> None:
    known = {"done_bytes": BLOCK, "done_ns": 1000}
    probe.start(probe.plan(known, job="sustained", barrier="yes"))
    probe.wait_for("ready")
    probe.release(0, 0)
    probe.follow()
    assert "done_bytes" not in begun(probe.events())
    assert result_of(probe.events())["bytes"] == TRIALS["sustained"]["length_bytes"]


def test_a_duration_ends_the_trial_as_complete(probe: Probe) -> None:
    events = sustained(
        probe,
        {
            "length_bytes": 0,
            "duration_ms": 500,
            "layout": "ring",
            "files": 2,
            "file_bytes": 16 * BLOCK,
        },
    )
    result = result_of(events)
    assert result["status"] == "complete"
    assert of(events, "trial")[0]["total_bytes"] is None
    assert 450 * MB <= result["app_ns"] < 2000 * MB
    assert result["bytes"] > 0


def test_marks_never_exceed_their_limit(marks_checker: Path) -> None:
    """Longer trials get wider marks, whatever was planned."""
    checked = subprocess.run(
        [marks_checker], capture_output=True, text=True, timeout=120, check=False
    )
    assert (checked.returncode, checked.stdout, checked.stderr) == (0, "", "")


def test_frames_are_lost_as_their_arrival_and_the_time_of_each_demand(
    frames_checker: Path,
) -> None:
    checked = subprocess.run(
        [frames_checker], capture_output=True, text=True, timeout=120, check=False
    )
    assert (checked.returncode, checked.stdout, checked.stderr) == (0, "", "")


@pytest.mark.parametrize("streams", [1, 3])
def test_marks_divide_the_data(probe: Probe, streams: int) -> None:
    size = 8 * BLOCK
    events = sustained(probe, {"length_bytes": 99 * BLOCK, "mark_bytes": size, "streams": streams})
    marks = marks_of(events)
    assert sum(mark["bytes"] for mark in marks) == 99 * BLOCK
    for before, after in pairwise(marks):
        assert before["end_ns"] + after["dt_ns"] == after["end_ns"]
    if streams == 1:
        assert [mark["bytes"] for mark in marks] == [size] * 12 + [3 * BLOCK]
        assert marks[0]["end_ns"] == marks[0]["dt_ns"]
        assert max(mark["lat_max_ns"] for mark in marks) == result_of(events)["lat_max_ns"]
    assert marks[-1]["end_ns"] <= result_of(events)["app_ns"]


def test_the_ramp_up_is_excluded_and_reported(probe: Probe) -> None:
    trial = {
        "length_bytes": 0,
        "duration_ms": 1000,
        "ramp_ms": 400,
        "block": 4096,
        "mark_bytes": 40960,
        "pace": "rate",
        "rate_bytes_per_s": 409600,
    }
    events = sustained(probe, trial)
    result, marks = result_of(events), marks_of(events)
    detail = result["detail"]
    assert result["ops"] == 100
    assert 39 <= detail["ramp_ops"] <= 41
    assert detail["ramp_bytes"] == detail["ramp_ops"] * 4096
    assert 380 * MB <= detail["ramp_ns"] < 500 * MB
    assert marks[0]["end_ns"] - marks[0]["dt_ns"] == 400 * MB
    assert sum(mark["ops"] for mark in marks) == result["ops"] - detail["ramp_ops"]


def test_the_backlog_of_each_rate_follows_from_the_recorded_service_times(shipped: Probe) -> None:
    """A write of 300 ms in a queue fed at R needs R x 0.3 s, and more only if it clusters."""
    delayed = ("-e", "trace=pwrite64", "-e", "inject=pwrite64:delay_exit=300000:when=20")
    rates = [100 * KB, 2 * MB, 20 * MB]
    trial = {"length_bytes": 60 * BLOCK, "rates": ",".join(map(str, rates))}
    shipped.start(shipped.plan(trial, job="sustained"), prefix=(*STRACE, *delayed))
    shipped.follow()
    detail = result_of(shipped.events())["detail"]
    backlogs = {rate: (most, last, at) for rate, most, last, at in detail["backlogs"]}
    assert sorted(backlogs) == [rate for rate, *_ in detail["backlogs"]]
    assert len(backlogs) == 64 + len(rates)
    assert min(backlogs) == 100 * KB
    assert math.isclose(max(backlogs), 1e11, rel_tol=1e-3)
    peak_ns, peak_end, *_ = detail["slowest"][0]
    assert peak_ns >= 300 * MB
    for rate in (100 * KB, 2 * MB):
        most, last, at = backlogs[rate]
        assert math.isclose(most, rate * peak_ns / 1e9, rel_tol=0.02)
        assert at == peak_end
        assert last < BLOCK
    assert backlogs[20 * MB][0] >= 20 * MB * peak_ns // 10**9


def test_the_hundred_slowest_operations_are_sorted_and_distinct(probe: Probe) -> None:
    events = sustained(probe, {"length_bytes": 500 * BLOCK, "streams": 2})
    slowest = result_of(events)["detail"]["slowest"]
    assert len(slowest) == 100
    assert [latency for latency, *_ in slowest] == sorted((s[0] for s in slowest), reverse=True)
    assert len({(offset, stream) for *_, offset, stream in slowest}) == 100
    assert slowest[0][0] == result_of(events)["lat_max_ns"]


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"length_bytes": 0}, "duration_ms"),
        ({"duration_ms": 1000}, "length_bytes"),
        ({"length_bytes": 0, "duration_ms": 1000, "ramp_ms": 1000}, "ramp_ms"),
        ({"streams": 64, "length_bytes": 63 * BLOCK}, "length_bytes"),
        ({"length_bytes": (1 << 60) + 1}, "length_bytes"),
        ({"duration_ms": 367 * 86_400_000, "length_bytes": 0}, "duration_ms"),
        ({"layout": "ring", "files": 1, "file_bytes": BLOCK}, "files"),
        ({"layout": "ring", "files": 300, "streams": 2, "file_bytes": BLOCK}, "files"),
        ({"layout": "ring", "files": 2, "file_bytes": BLOCK + 1}, "file_bytes"),
        ({"layout": "ring", "files": 2}, "file_bytes"),
        ({"layout": "sequence", "file_bytes": BLOCK, "length_bytes": 1 << 50}, "file_bytes"),
        ({"file_bytes": BLOCK}, "file_bytes"),
        ({"files": 2}, "files"),
        ({"mark_bytes": BLOCK + 1}, "mark_bytes"),
        ({"pace": "rate"}, "rate_bytes_per_s"),
        ({"rate_bytes_per_s": 1}, "rate_bytes_per_s"),
        ({"pace": "rate", "rate_bytes_per_s": 10**12 + 1}, "rate_bytes_per_s"),
        ({"pace": "burst"}, "burst_blocks"),
        ({"gap_ns": 5}, "burst_blocks"),
        ({"rates": "5,"}, "rates"),
        ({"rates": "5,x"}, "rates"),
        ({"rates": "0"}, "rates"),
        ({"rates": "-1"}, "rates"),
        ({"rates": ",".join(["7"] * 65)}, "rates"),
        ({"operation": "erase"}, "operation"),
        ({"sync_bytes": BLOCK, "sync_ms": 1000}, "sync_ms"),
        ({"sync_ms": 367 * 86_400_000}, "sync_ms"),
    ],
)
def test_a_bad_field_rejects_the_plan_and_is_named(probe: Probe, changed: dict, named: str) -> None:
    plan = probe.plan(changed, job="sustained")
    done = probe.verb("start", probe.run_dir, stdin=plan, check=False)
    assert done.returncode == 3
    assert f"{named}=" in done.stderr.decode()
    assert not probe.run_dir.exists() or probe.events() == []


def test_a_block_that_direct_io_cannot_write_fails_the_trial(probe: Probe) -> None:
    events = sustained(probe, {"block": 1000, "mark_bytes": 1000, "cache": "direct"})
    assert (result_of(events)["status"], result_of(events)["reason"]) == ("failed", "misaligned")
    assert result_of(events)["detail"] is None


def test_a_full_disk_fails_the_trial_and_leaves_nothing(shipped: Probe) -> None:
    full = ("-e", "trace=pwrite64", "-e", "inject=pwrite64:error=ENOSPC:when=30+")
    shipped.start(
        shipped.plan({"streams": 2, "length_bytes": 100 * BLOCK}, job="sustained"),
        prefix=(*STRACE, *full),
    )
    shipped.follow()
    result = result_of(shipped.events())
    assert (result["status"], result["reason"]) == ("failed", "no_space")
    assert named_files(shipped) == []
    assert shipped.problems() == []


def test_no_data_repeats_within_a_run(shipped: Probe, tmp_path: Path) -> None:
    """The writes of two trials and two streams, seen by strace, are all different."""
    seen = tmp_path / "writes"
    trace = ("strace", "-ff", "-qq", "-xx", "-s", "64", "-e", "trace=pwrite64", "-o", str(seen))
    assert shutil.which("strace")
    trial = {"length_bytes": 8 * BLOCK, "streams": 2}
    shipped.start(shipped.plan(trial, trial, job="sustained"), prefix=trace)
    shipped.follow()
    texts = (path.read_text() for path in tmp_path.glob("writes.*"))  # one file per thread
    lines = [line for text in texts for line in text.splitlines()]
    writes = [line.split('"')[1] for line in lines if line.endswith(f"= {BLOCK}")]
    assert len(writes) == len(set(writes)) == 16


def test_parameters_are_reported_as_used(probe: Probe) -> None:
    trial = {"layout": "ring", "files": 3, "file_bytes": 2 * BLOCK, "sync_bytes": BLOCK}
    *_, event = of(sustained(probe, trial), "trial")
    assert event["parameters"] == TRIALS["sustained"] | trial | {
        "ramp_ms": 0,
        "rate_bytes_per_s": 0,
        "burst_blocks": 0,
        "gap_ns": 0,
        "quantum_ns": 0,
        "sync_ms": 0,
        "fill_percent": 0,
        "precondition_passes": 0,
        "idle_ms": 0,
        "prepare_timeout_ms": 86_400_000,
        "priority": "normal",
        "io_priority": "default",
        "read_back": 0,
        "access": "sequential",
        "read_percent": 0,
        "seed": 0,
        "engine": "threads",
        "queue_depth": 1,
    }
    json.dumps(event)

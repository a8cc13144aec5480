"""Sustained trials: length, layouts, pacing, marks, backlogs, slowest operations."""

import json
import math
import shutil
from itertools import pairwise
from pathlib import Path

import pytest
import spool_rules
from probe_driver import TRIALS, Probe, moments, of

KB, MB = 1000, 10**6
BLOCK = TRIALS["sustained"]["block"]
STRACE = ("strace", "-f", "-qq", "-o", "/dev/null")


def sustained(probe: Probe, *trials: dict, **fields: object) -> list[dict]:
    return probe.run(*trials, job="sustained", **fields)


def result_of(events: list[dict]) -> dict:
    """Return the result; on a busy machine attempts that did not get their CPU came before."""
    *disturbed, result = of(events, "result")
    assert {one["status"] for one in disturbed} <= {"suspended", "starved"}
    return result


def named_files(probe: Probe) -> list[Path]:
    return list(probe.target.glob(".assay-*/stream*"))


def marks_of(events: list[dict]) -> list[dict]:
    attempt = result_of(events)["attempt"]
    return [
        dict(zip(spool_rules.MARK_COLUMNS, mark["m"], strict=True))
        for mark in of(events, "mark")
        if mark["attempt"] == attempt
    ]


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


def test_a_stopped_trial_is_stopped_while_its_streams_sleep(probe: Probe) -> None:
    trial = {"pace": "burst", "burst_blocks": 1, "gap_ns": 3_000_000_000_000}
    probe.start(probe.plan(trial, job="sustained"))
    probe.wait_for("sample", count=2)
    assert probe.stop() == "stopped"
    result = result_of(probe.events())
    assert (result["status"], result["ops"]) == ("stopped", 1)
    assert probe.problems() == []


def test_a_rate_is_held_on_its_schedule(probe: Probe) -> None:
    rate = 8 * MB
    trial = {
        "length_bytes": 0,
        "duration_ms": 1000,
        "block": 4000,
        "mark_bytes": 400 * KB,
        "streams": 2,
        "pace": "rate",
        "rate_bytes_per_s": rate,
    }
    result = result_of(sustained(probe, trial))
    detail = result["detail"]
    # operations are due at 0, 0.5 … 999.5 ms: as many as fit into the second, and none is left over
    assert result["bytes"] == rate
    assert detail["backlog_end_bytes"] == 0
    assert detail["asleep_ns"] > 0
    assert sum(count for _, count in detail["due_hist"]) == result["ops"]
    assert detail["due_max_ns"] >= result["lat_max_ns"]


def test_a_stall_is_latency_from_the_due_time_and_backlog(shipped: Probe) -> None:
    """A write that takes 0.5 s delays those that were due meanwhile."""
    delayed = ("-e", "trace=pwrite64", "-e", "inject=pwrite64:delay_exit=500000:when=40")
    trial = {
        "length_bytes": 0,
        "duration_ms": 1500,
        "block": 4096,
        "mark_bytes": 40960,
        "pace": "rate",
        "rate_bytes_per_s": 409600,
    }
    shipped.start(shipped.plan(trial, job="sustained"), prefix=(*STRACE, *delayed))
    shipped.follow()
    assert shipped.problems() == []
    result = result_of(shipped.events())
    detail = result["detail"]
    assert result["ops"] == 150
    late = sum(count for step, count in detail["due_hist"] if lower(step) > 100 * MB)
    assert 35 <= late <= 60, "every write that was due in the stall waited for it"
    assert sum(count for step, count in detail["hist"] if lower(step) > 100 * MB) == 1
    assert 500 * MB <= detail["due_max_ns"] < 700 * MB
    assert 45 * 4096 <= detail["backlog_max_bytes"] <= 70 * 4096
    assert detail["backlog_end_bytes"] == 0
    assert max(mark["due_max_ns"] for mark in marks_of(shipped.events())) == detail["due_max_ns"]
    slowest = detail["slowest"][0]
    assert slowest[0] == result["lat_max_ns"]
    assert slowest[2:] == [slowest[2] // 4096 * 4096, 0]


def lower(step: int) -> int:
    return step if step < 128 else (64 + step % 64) << (step // 64 - 1)


def test_burst_and_gap_sleeps_literally_after_each_burst(probe: Probe) -> None:
    trial = {"length_bytes": 12 * BLOCK, "pace": "burst", "burst_blocks": 3, "gap_ns": 100 * MB}
    result = result_of(sustained(probe, trial))
    asleep = result["detail"]["asleep_ns"]
    assert 3 * 100 * MB <= asleep < 3 * 100 * MB + 30 * MB
    assert result["app_ns"] >= asleep + result["lat_sum_ns"]


def test_a_gap_is_rounded_up_to_the_delay_quantum(probe: Probe) -> None:
    owl = {"gap_ns": 40 * MB, "quantum_ns": 15_625_000}
    trial = {"length_bytes": 4 * BLOCK, "pace": "burst", "burst_blocks": 1} | owl
    asleep = result_of(sustained(probe, trial))["detail"]["asleep_ns"]
    assert 3 * 46_875_000 <= asleep < 3 * 46_875_000 + 30 * MB


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


def test_a_periodic_sync_is_counted_apart_from_writes(shipped: Probe) -> None:
    delayed = ("-e", "trace=fdatasync", "-e", "inject=fdatasync:delay_exit=200000:when=2")
    trial = {"length_bytes": 16 * BLOCK, "sync_bytes": 4 * BLOCK}
    shipped.start(shipped.plan(trial, job="sustained"), prefix=(*STRACE, *delayed))
    shipped.follow()
    result = result_of(shipped.events())
    syncs = result["detail"]["syncs"]
    assert syncs["count"] == 4
    assert 200 * MB <= syncs["max_ns"] <= syncs["sum_ns"]
    assert result["lat_max_ns"] < 200 * MB


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
    }
    json.dumps(event)

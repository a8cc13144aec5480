"""Pacing of sustained trials: rates, bursts, latency from the due time, sleep."""

from pathlib import Path

import pytest
from probe_driver import Probe, of
from sustained_driver import BLOCK, KB, MB, STRACE, marks_of, result_of, sustained


def test_a_stopped_trial_is_stopped_while_its_streams_sleep(probe: Probe) -> None:
    trial = {"pace": "burst", "burst_blocks": 1, "gap_ns": 3_000_000_000_000}
    probe.start(probe.plan(trial, job="sustained"))
    probe.wait_for("sample", count=2)
    assert probe.stop() == "stopped"
    result = result_of(probe.events())
    assert (result["status"], result["ops"]) == ("stopped", 1)
    assert probe.problems() == []


@pytest.mark.parametrize(
    "pace",
    [
        {"pace": "burst", "burst_blocks": 1, "gap_ns": 3_000_000_000_000},
        {"pace": "rate", "rate_bytes_per_s": 1},
    ],
    ids=lambda pace: pace["pace"],
)
def test_a_stream_that_sleeps_past_the_time_limit_times_out(probe: Probe, pace: dict) -> None:
    """No call was in the kernel, so none is reported as interrupted."""
    events = sustained(probe, pace | {"streams": 2, "timeout_ms": 400})
    result = result_of(events)
    assert (result["status"], result["sync"]) == ("timed_out", "complete")
    assert 700 * MB <= result["detail"]["asleep_ns"] < 1200 * MB, "of two streams"
    assert not [one for one in of(events, "notice") if one["code"] == "interrupted"]


def test_a_sleeping_thread_makes_no_call(probe: Probe) -> None:
    trial = {"pace": "burst", "burst_blocks": 1, "gap_ns": 3_000_000_000_000}
    probe.start(probe.plan(trial, job="sustained"))
    probe.wait_for("sample", count=2)
    names = [path.read_text() for path in Path(f"/proc/{probe.pid()}/task").glob("*/comm")]
    assert len(names) >= 2
    assert not [name for name in names if name.startswith("assay:")]
    assert probe.stop() == "stopped"


@pytest.mark.alone
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
    # operations are due at 0, 0.5 … 999.5 ms; on a busy machine the last one may not begin in time
    assert result["bytes"] == rate - detail["due_unfinished"] * 4000
    assert detail["due_unfinished"] <= 1
    assert detail["backlog_end_bytes"] <= 4000
    assert detail["asleep_ns"] > 0
    assert sum(count for _, count in detail["due_hist"]) == rate // 4000
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


def test_writes_that_are_late_at_the_end_count_with_the_latency_they_have_reached(
    shipped: Probe,
) -> None:
    """A write that takes 0.5 s past the end of the duration keeps the later ones from beginning."""
    delayed = ("-e", "trace=pwrite64", "-e", "inject=pwrite64:delay_exit=500000:when=81")
    trial = {
        "length_bytes": 0,
        "duration_ms": 1000,
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
    assert (result["status"], result["ops"], detail["due_unfinished"]) == ("complete", 81, 19)
    late = {lower(step): count for step, count in detail["due_hist"] if lower(step) > 250 * MB}
    assert sum(late.values()) == 20, "due at 800, 810 … 990 ms, and at 1300 ms not begun"
    assert 300 * MB <= min(late) < max(late) <= detail["due_max_ns"] < 600 * MB
    assert sum(count for step, count in detail["hist"] if lower(step) > 250 * MB) == 1


def test_a_hung_write_counts_from_its_due_time(shipped: Probe) -> None:
    """It is abandoned after `hang_ms`: at least that long is its latency."""
    hangs = ("-e", "trace=pwrite64", "-e", "inject=pwrite64:delay_enter=8000000:when=20")
    paced = {"block": 4096, "pace": "rate", "rate_bytes_per_s": 409600, "streams": 2}
    trial = paced | {"length_bytes": 0, "duration_ms": 60_000, "mark_bytes": 40960}
    plan = shipped.plan(trial | {"timeout_ms": 1500}, job="sustained", hang_ms=1000)
    shipped.start(plan, prefix=(*STRACE, *hangs))
    shipped.follow()
    result = result_of(shipped.events())
    detail = result["detail"]
    assert detail["due_unfinished"] > 100
    assert detail["due_max_ns"] > 3 * 10**9, "due at 0.2 s, interrupted at 3.5 s"
    assert [ns > 3 * 10**9 for ns in detail["unreturned"]] == [True, True]
    assert shipped.problems() == []


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


def test_a_stall_loses_the_frames_that_arrive_while_the_memory_is_full(shipped: Probe) -> None:
    """A file is a frame: of two blocks, every 40 ms; one write takes 1 s longer."""
    delayed = ("-e", "trace=pwrite64", "-e", "inject=pwrite64:delay_exit=1000000:when=20")
    trial = {
        "length_bytes": 100 * BLOCK,
        "layout": "sequence",
        "file_bytes": 2 * BLOCK,
        "pace": "rate",
        "rate_bytes_per_s": 50 * BLOCK,
    }
    shipped.start(shipped.plan(trial, job="sustained"), prefix=(*STRACE, *delayed))
    shipped.follow()
    result = result_of(shipped.events())
    frames = result["detail"]["frames"]
    dropped = dict(frames["dropped"])
    longest = result["lat_max_ns"]
    assert longest >= 1000 * MB
    assert (frames["bytes"], frames["count"]) == (2 * BLOCK, 50)
    least = -(-longest // (40 * MB))
    assert least <= frames["needed"] <= least + 1, "with the frame's other write, and its file"
    for memory, lost in dropped.items():
        assert lost == max(0, frames["needed"] - memory), memory
    assert {32: 0, 1024: 0}.items() <= dropped.items()


def test_a_read_ahead_bridges_a_stall_of_playout(shipped: Probe) -> None:
    delayed = ("-e", "trace=pread64", "-e", "inject=pread64:delay_exit=300000:when=20")
    trial = {
        "operation": "read",
        "length_bytes": 60 * BLOCK,
        "pace": "rate",
        "rate_bytes_per_s": 50 * BLOCK,
    }
    shipped.start(shipped.plan(trial, job="sustained"), prefix=(*STRACE, *delayed))
    shipped.follow()
    frames = result_of(shipped.events())["detail"]["frames"]
    dropped = dict(frames["dropped"])
    assert (frames["bytes"], frames["count"]) == (BLOCK, 60)
    assert frames["needed"] >= 15
    assert dropped[1] >= 14
    assert dropped[1] > dropped[8] > 0 == dropped[64]


def test_only_a_rate_has_frames(probe: Probe) -> None:
    assert result_of(sustained(probe, {}))["detail"]["frames"] is None


def test_a_sync_that_stalls_at_the_end_counts_for_the_writes_that_were_due(
    shipped: Probe,
) -> None:
    """The last periodic sync takes 0.5 s past the end: no write returns after it."""
    delayed = ("-e", "trace=fdatasync", "-e", "inject=fdatasync:delay_exit=500000:when=2")
    trial = {"length_bytes": 0, "duration_ms": 1000, "block": 4096, "mark_bytes": 40960}
    trial |= {"pace": "rate", "rate_bytes_per_s": 409600, "sync_bytes": 40 * 4096}
    shipped.start(shipped.plan(trial, job="sustained"), prefix=(*STRACE, *delayed))
    shipped.follow()
    assert shipped.problems() == []
    detail = result_of(shipped.events())["detail"]
    assert detail["syncs"]["max_ns"] >= 500 * MB
    assert detail["due_unfinished"] == 20, "due at 800, 810 … 990 ms"
    assert detail["due_max_ns"] >= 480 * MB
    late = sum(count for step, count in detail["due_hist"] if lower(step) > 250 * MB)
    assert late == 20

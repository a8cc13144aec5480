"""The engine io_uring: operations in flight, their order, stops and hangs, and its refusals."""

import errno
import os
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from probe_driver import Probe, is_gone, of, samples
from sustained_driver import MB, STRACE, marks_of, result_of, sustained
from test_disks import call, on_disk
from test_pacing import lower

BLOCK = 4096
DEPTH = 16
IN_FLIGHT = {"engine": "io_uring", "queue_depth": DEPTH, "block": BLOCK, "mark_bytes": 64 * BLOCK}
RANDOM = IN_FLIGHT | {"access": "random", "cache": "direct", "file_bytes": 1024 * BLOCK}
FILTER = (sys.executable, Path(__file__).with_name("seccomp.py"))


@pytest.fixture
def disk(probe: Probe, tmp_path: Path) -> Iterator[Probe]:
    """The probe with a target on a separate disk."""
    with on_disk(probe, tmp_path, "ext4"):
        yield probe


@pytest.mark.parametrize("operation", ["write", "read"])
def test_as_many_operations_are_in_flight_as_asked(shipped: Probe, operation: str) -> None:
    """By Little's law: the latencies' sum is the time with each of them in flight."""
    result = result_of(
        sustained(
            shipped,
            RANDOM | {"operation": operation, "length_bytes": 64 * MB, "mark_bytes": 1 << 24},
        )
    )
    assert result["ops"] > 100 * DEPTH
    in_flight = result["lat_sum_ns"] / result["app_ns"]
    assert DEPTH * 0.6 < in_flight <= DEPTH


def test_a_stream_is_busy_no_longer_than_the_trial_takes(probe: Probe) -> None:
    events = sustained(probe, RANDOM | {"length_bytes": 4000 * BLOCK, "streams": 2})
    result, marks = result_of(events), marks_of(events)
    assert sum(mark["busy_ns"] for mark in marks) <= 2 * result["app_ns"]
    assert result["data_ns"] <= 2 * result["app_ns"]
    assert sum(mark["lat_sum_ns"] for mark in marks) > 3 * result["app_ns"]


LAYOUTS = [
    pytest.param({"layout": "one"}, id="one"),
    pytest.param({"layout": "ring", "files": 3, "file_bytes": 1 << 20}, id="ring"),
    pytest.param({"layout": "sequence", "file_bytes": 1 << 20}, id="sequence"),
    pytest.param(
        {"layout": "ring", "files": 2, "file_bytes": 1 << 20, "sync_bytes": 1 << 19}, id="sync"
    ),
]


@pytest.mark.parametrize("block", [BLOCK, 16 * BLOCK], ids=["inline", "data thread"])
@pytest.mark.parametrize("cache", ["page", "direct"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_is_written_in_full(
    probe: Probe, layout: dict, cache: str, block: int
) -> None:
    trial = IN_FLIGHT | {"block": block, "mark_bytes": block * 4, "read_back": 1, "cache": cache}
    events = sustained(probe, trial | layout | {"length_bytes": 8 << 20, "streams": 2})
    result = result_of(events)
    assert (result["status"], result["bytes"]) == ("complete", 8 << 20)
    (read_back,) = of(events, "readback")
    assert (read_back["whole"], read_back["errors"]) == (True, 0)
    assert read_back["bytes"] == result["working_set_bytes"]
    if layout["layout"] == "sequence":
        assert result["detail"]["files"]["close"]["count"] == 2 * 3
    if "sync_bytes" in layout:
        assert result["detail"]["syncs"]["count"] >= 2 * 4


@pytest.mark.parametrize("block", [BLOCK, 16 * BLOCK], ids=["small blocks", "large blocks"])
@pytest.mark.parametrize("layout", LAYOUTS[:3])
def test_every_layout_is_read_and_verified(probe: Probe, layout: dict, block: int) -> None:
    trial = IN_FLIGHT | {"operation": "read", "block": block, "mark_bytes": block * 4}
    result = result_of(
        sustained(probe, trial | layout | {"length_bytes": 4 << 20, "cache": "direct"})
    )
    assert (result["status"], result["bytes"]) == ("complete", 4 << 20)
    assert result["verify_errors"] == 0


@pytest.mark.parametrize("operation", ["write", "read"])
def test_fewer_blocks_than_the_depth_are_all_moved(probe: Probe, operation: str) -> None:
    trial = IN_FLIGHT | {"operation": operation, "length_bytes": 7 * BLOCK, "streams": 3}
    result = result_of(sustained(probe, trial))
    assert (result["status"], result["ops"]) == ("complete", 7)


def test_a_ring_that_is_as_long_as_the_depth_is_overwritten_in_its_order(probe: Probe) -> None:
    """A block whose write is in flight is not written again before that has returned."""
    ring = {"layout": "ring", "files": 2, "file_bytes": DEPTH * BLOCK, "read_back": 1}
    events = sustained(probe, IN_FLIGHT | ring | {"length_bytes": 100 * DEPTH * BLOCK})
    assert [one["errors"] for one in of(events, "readback")] == [0]


def test_passes_over_as_many_blocks_as_are_in_flight_find_what_they_wrote(probe: Probe) -> None:
    trial = RANDOM | {"file_bytes": DEPTH * BLOCK, "operation": "mixed", "read_percent": 50}
    events = sustained(probe, trial | {"length_bytes": 3000 * BLOCK, "read_back": 1})
    result = result_of(events)
    assert (result["ops"], result["verify_errors"]) == (3000, 0)
    assert [one["errors"] for one in of(events, "readback")] == [0]


def test_a_rate_is_held_with_latencies_from_the_due_time(probe: Probe) -> None:
    paced = {
        "pace": "rate",
        "rate_bytes_per_s": 1000 * BLOCK,
        "duration_ms": 1000,
        "length_bytes": 0,
    }
    result = result_of(sustained(probe, RANDOM | paced | {"streams": 2}))
    detail = result["detail"]
    assert result["ops"] + detail["due_unfinished"] == 1000
    assert detail["due_unfinished"] <= 2
    assert detail["asleep_ns"] > 0
    assert detail["due_max_ns"] >= result["lat_max_ns"]
    assert result["app_ns"] > 990 * MB


def test_an_operation_returns_before_the_next_one_is_due(probe: Probe) -> None:
    """The results are taken when they come, not when the thread wakes for its next turn."""
    paced = {"pace": "rate", "rate_bytes_per_s": 20 * BLOCK, "length_bytes": 20 * BLOCK}
    result = result_of(sustained(probe, RANDOM | paced | {"operation": "read"}))
    early = sum(count for step, count in result["hist"] if lower(step) < 25 * MB)
    assert early > 15
    assert result["detail"]["asleep_ns"] > result["app_ns"] / 2


def test_the_gap_begins_when_the_burst_has_returned(probe: Probe) -> None:
    burst = {"pace": "burst", "burst_blocks": 20, "gap_ns": 100 * MB, "length_bytes": 80 * BLOCK}
    result = result_of(sustained(probe, RANDOM | burst))
    assert 300 * MB <= result["detail"]["asleep_ns"] < 400 * MB
    assert result["app_ns"] >= 300 * MB


def test_a_gap_is_no_stall_and_its_burst_is_in_the_samples_before_it(probe: Probe) -> None:
    """The last result of a burst is counted before the thread sleeps."""
    burst = {"pace": "burst", "burst_blocks": 8, "gap_ns": 1000 * MB, "length_bytes": 16 * BLOCK}
    events = sustained(probe, RANDOM | burst)
    result = result_of(events)
    taken = samples([one for one in events if one.get("attempt") == result["attempt"]])
    assert max(one["oldest_ns"] for one in taken) <= result["lat_max_ns"] + 100 * MB
    assert sum(one["bytes"] for one in taken if one["end_ns"] < 900 * MB) == 8 * BLOCK


def test_a_periodic_sync_comes_once_in_its_interval(probe: Probe) -> None:
    """With room for other operations in flight until the next one is due."""
    timed = {"length_bytes": 0, "duration_ms": 1200, "sync_ms": 300, "queue_depth": 8}
    syncs = result_of(sustained(probe, RANDOM | timed))["detail"]["syncs"]
    assert 1 <= syncs["count"] <= 4


def test_a_stop_ends_a_trial_with_operations_in_flight(probe: Probe) -> None:
    probe.start(
        probe.plan(
            RANDOM | {"length_bytes": 0, "duration_ms": 60_000, "mark_bytes": 1 << 30},
            job="sustained",
        )
    )
    probe.wait_for("sample", count=3)
    assert probe.stop() == "stopped"
    result = result_of(probe.events())
    assert (result["status"], result["sync"]) == ("stopped", "none")
    assert result["ops"] > 0
    assert probe.problems() == []


def test_a_time_limit_ends_a_trial_with_operations_in_flight(probe: Probe) -> None:
    events = sustained(
        probe, RANDOM | {"length_bytes": 1 << 50, "timeout_ms": 400, "mark_bytes": 1 << 30}
    )
    result = result_of(events)
    assert (result["status"], result["sync"]) == ("timed_out", "complete")
    assert 400 * MB <= result["app_ns"] < 2000 * MB


def test_a_stop_waits_for_operations_that_hang_and_names_them(disk: Probe) -> None:
    disk.start(
        disk.plan(
            RANDOM | {"length_bytes": 0, "duration_ms": 60_000, "mark_bytes": 1 << 30},
            job="sustained",
        )
    )
    disk.wait_for("sample", count=2)
    pid = disk.pid()
    call("fsfreeze", "--freeze", disk.target.parent)
    frozen_at = len(of(disk.events(), "sample"))
    disk.wait_for("sample", count=frozen_at + 8)
    hung = samples(disk.events())[frozen_at + 2 :]
    ages = [sample["oldest_ns"] for sample in hung]
    assert [sample["ops"] for sample in hung] == [0] * len(hung)
    assert ages == sorted(ages)
    assert ages[-1] - ages[0] == pytest.approx(hung[-1]["end_ns"] - hung[0]["end_ns"], rel=0.05)
    assert disk.stop_answer(wait_ms=500) == {"state": "stopping", "call": "io_uring"}
    call("fsfreeze", "--unfreeze", disk.target.parent)
    disk.follow()
    assert disk.problems() == []
    assert result_of(disk.events())["status"] == "stopped"
    assert disk.events()[-1]["cleaned"]
    assert disk.stop() == "stopped"
    assert is_gone(pid)


def test_operations_that_hang_past_the_limit_are_abandoned_and_counted_from_their_due_time(
    disk: Probe,
) -> None:
    paced = {"pace": "rate", "rate_bytes_per_s": 200 * BLOCK, "length_bytes": 0}
    trial = RANDOM | paced | {"duration_ms": 60_000, "timeout_ms": 1500}
    disk.start(disk.plan(trial, job="sustained", hang_ms=3000))
    disk.wait_for("mark")
    call("fsfreeze", "--freeze", disk.target.parent)
    end = disk.wait_for("end")
    call("fsfreeze", "--unfreeze", disk.target.parent)
    assert (end["status"], end["reason"]) == ("failed", "hung")
    assert disk.problems() == []
    (told,) = of(disk.events(), "error")
    assert (told["code"], told["message"].split()[0]) == ("hung", "io_uring")
    (result,) = of(disk.events(), "result")
    assert result["status"] == "timed_out"
    assert result["detail"]["due_unfinished"] > DEPTH
    assert result["detail"]["due_max_ns"] > 3 * 10**9
    unreturned = result["detail"]["unreturned"]
    assert len(unreturned) == DEPTH
    assert min(unreturned) > 3 * 10**9
    assert disk.stop() in {"done", "stopped"}
    disk.answer("sweep", disk.run_dir.parent)
    assert disk.leftovers() == []


def test_what_returned_before_a_submission_that_hangs_is_counted(
    shipped: Probe, strace: str
) -> None:
    """Of two in flight, one has returned when the thread hangs while it begins the next one."""
    shallow = {"queue_depth": 2, "streams": 1, "cache": "direct", "length_bytes": 1 << 30}
    for number in range(40, 48):  # about every second call submits, the others wait for a result
        fault = f"io_uring_enter:delay_enter=5000000:when={number}"
        trace = shipped.home / "trace"
        tracing = (strace, "-f", "-qq", "-o", trace, "-e", "trace=io_uring_enter")
        plan = shipped.plan(
            IN_FLIGHT | shallow | {"timeout_ms": 600}, job="sustained", hang_ms=1000
        )
        shipped.start_traced(plan, (*tracing, "-e", f"inject={fault}"))
        shipped.wait_for("sample", count=4)
        (file,) = shipped.test_files()
        size = file.stat().st_size
        end = shipped.wait_for("end")
        assert (end["status"], end["reason"]) == ("failed", "hung")
        assert shipped.problems() == []
        (result,) = of(shipped.events(), "result")
        counted = result["ops"] + len(result["detail"]["unreturned"])
        submits = re.findall(r"io_uring_enter\(\d+, (\d+),", trace.read_text())
        assert size == (counted - int(submits[-1])) * BLOCK
        assert shipped.stop() in {"done", "stopped"}
        shipped.answer("sweep", shipped.run_dir.parent)
        assert shipped.leftovers() == []
        shutil.rmtree(shipped.run_dir)
        if int(submits[-1]):
            return
    pytest.fail("No submission was delayed.")


def test_a_full_disk_fails_the_trial_and_leaves_nothing(disk: Probe) -> None:
    """No operation is in flight any more when its memory is freed."""
    trial = IN_FLIGHT | {"length_bytes": 1 << 30, "block": 1 << 20, "mark_bytes": 1 << 20}
    events = sustained(disk, trial | {"cache": "direct"})
    result = result_of(events)
    assert (result["status"], result["reason"]) == ("failed", "no_space")
    assert disk.leftovers() == []


def test_a_file_that_becomes_shorter_fails_the_trial(probe: Probe) -> None:
    trial = RANDOM | {"operation": "read", "idle_ms": 1000, "length_bytes": 1024 * BLOCK}
    probe.start(probe.plan(trial, job="sustained"))
    probe.wait_for("notice", 2)  # prepared
    (file,) = probe.test_files()
    os.truncate(file, 512 * BLOCK)
    result = probe.wait_for("result")
    assert (result["status"], result["reason"]) == ("failed", "io")
    probe.wait_for("end")


def test_a_continued_trial_reads_what_its_own_attempt_wrote(probe: Probe) -> None:
    trial = RANDOM | {"operation": "mixed", "read_percent": 50, "length_bytes": 4000 * BLOCK}
    paced = {"pace": "rate", "rate_bytes_per_s": 2000 * BLOCK}
    probe.start(probe.plan(trial | paced, job="sustained"))
    probe.wait_for("mark", 4)
    probe.kill()
    probe.start(probe.plan(trial | paced, job="sustained"))
    result = probe.wait_for("result")
    (_, again) = of(probe.events(), "trial")
    assert again["done_bytes"] + again["total_bytes"] == 4000 * BLOCK
    assert (result["status"], result["verify_errors"]) == ("complete", 0)
    assert result["bytes"] == again["total_bytes"]
    probe.wait_for("end")


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (errno.EPERM, "a seccomp filter refuses io_uring_setup"),
        (errno.ENOSYS, "a seccomp filter refuses io_uring_setup"),
        (errno.ENOMEM, "RLIMIT_MEMLOCK"),
    ],
)
def test_a_host_that_refuses_it_is_named_before_the_first_byte(
    probe: Probe, error: int, reason: str
) -> None:
    filtered = (*FILTER, error)
    prefix = tuple(map(str, filtered))
    found = probe.answer("inspect", prefix=prefix)["io_uring"]
    assert not found["available"]
    assert reason in found["reason"]
    probe.start(probe.plan(RANDOM, job="sustained"), prefix=prefix)
    end = probe.wait_for("end")
    (told,) = of(probe.events(), "error")
    assert (told["code"], told["trial"]) == ("io_uring_refused", None)
    assert told["message"].startswith(f"engine=io_uring: {found['reason']}")
    assert told["message"].endswith("or use engine=threads")
    assert (end["status"], end["reason"]) == ("failed", "io_uring_refused")
    assert of(probe.events(), "trial") == []
    assert probe.problems() == []


def test_a_kernel_without_its_operations_is_refused(shipped: Probe) -> None:
    """Before Linux 5.6 the probe for operations failed with EINVAL."""
    old = (*STRACE, "-e", "trace=io_uring_register", "-e", "inject=io_uring_register:error=EINVAL")
    found = shipped.answer("inspect", prefix=old)["io_uring"]
    assert not found["available"]
    assert "Linux 5.6" in found["reason"]


def test_inspect_says_that_it_is_available(probe: Probe) -> None:
    assert probe.answer("inspect")["io_uring"] == {"available": True, "reason": None}


def test_buffers_that_do_not_hold_the_depth_are_refused(probe: Probe) -> None:
    trial = IN_FLIGHT | {"block": 1 << 20, "mark_bytes": 1 << 20, "length_bytes": 64 << 20}
    events = sustained(probe, trial, max_buffer_bytes=DEPTH << 20)
    (told,) = of(events, "error")
    assert told["code"] == "memory"
    assert f"queue_depth={DEPTH}" in told["message"]

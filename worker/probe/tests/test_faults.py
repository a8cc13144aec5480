"""Faults injected into the static probe by strace: each is named, stored and cleaned up."""

import itertools
import re
import subprocess
import tempfile
from pathlib import Path

import pytest
from probe_driver import LONG, Probe, of, samples

SMALL = {"file_size": 1 << 20, "block": 65536}


def injected(probe: Probe, strace: str, fault: str, *trials: dict, **fields: object) -> list[dict]:
    """Run a plan with a fault: the n-th call of a thread is changed."""
    call = fault.partition(":")[0]
    tracing = [
        "-f",
        "-qq",
        "-o",
        probe.home / "trace",
        "-e",
        f"trace={call}",
        "-e",
        f"inject={fault}",
    ]
    probe.start(probe.plan(*trials, **fields), prefix=(strace, *tracing))
    probe.follow()
    assert probe.problems() == []
    return probe.events()


@pytest.mark.parametrize(
    ("error", "code", "ends"),
    [
        ("EIO", "io", False),
        ("ENOSPC", "no_space", False),
        ("EDQUOT", "quota", False),
        ("EFBIG", "file_too_large", False),
        ("EROFS", "read_only", True),
        ("ESTALE", "stale", True),
    ],
)
def test_a_failing_write_is_named_and_cleaned(
    shipped: Probe, strace: str, error: str, code: str, ends: bool
) -> None:
    events = injected(
        shipped, strace, f"pwrite64:error={error}:when=5", SMALL, {"file_size": 65536}
    )
    failed = of(events, "result")[0]
    assert (failed["status"], failed["reason"]) == ("failed", code)
    assert (failed["ops"], failed["bytes"]) == (4, 4 * 65536)
    told = of(events, "error")[0]
    assert (told["code"], told["errno"], told["trial"]) == (code, error, 0)
    assert len(of(events, "result")) == (1 if ends else 2)
    assert events[-1]["status"] == ("failed" if ends else "done")
    assert shipped.leftovers() == []


def test_a_trial_ends_with_the_first_thread_that_fails(shipped: Probe, strace: str) -> None:
    trial = LONG | {"threads": 2, "files": 2, "file_size": 64 << 20, "timeout_ms": 50_000}
    shipped.start(shipped.plan(trial))
    shipped.wait_for("sample")
    tasks = Path(f"/proc/{shipped.pid()}/task").iterdir()
    failing = next(task for task in tasks if (task / "comm").read_text() == "assay:pwrite\n")
    tracing = [strace, "-qq", "-o", shipped.home / "trace", "-p", failing.name]
    tracing += ["-e", "trace=pwrite64", "-e", "inject=pwrite64:error=EIO"]
    with subprocess.Popen([str(word) for word in tracing]) as injector:
        shipped.follow()
        injector.wait(10)
    result = of(shipped.events(), "result")[0]
    assert (result["status"], result["reason"]) == ("failed", "io")
    assert result["last_done_ns"] < 40e9
    assert shipped.problems() == []


def test_a_failing_final_sync_fails_the_trial(shipped: Probe, strace: str) -> None:
    events = injected(shipped, strace, "fdatasync:error=EIO:when=1", SMALL)
    result = of(events, "result")[0]
    assert (result["status"], result["reason"]) == ("failed", "io")
    assert (result["sync"], result["durable_ns"]) == ("none", None)


def test_a_stop_during_the_sync_is_not_a_failure(shipped: Probe, strace: str) -> None:
    fault = "fdatasync:error=EINTR:delay_enter=5000000:when=1"
    tracing = [strace, "-f", "-qq", "-o", "/dev/null", "-e", "trace=fdatasync"]
    start = [*tracing, "-e", f"inject={fault}", shipped.binary, "start", shipped.run_dir]
    with subprocess.Popen([str(word) for word in start], stdin=subprocess.PIPE) as starter:
        starter.stdin.write(shipped.plan(SMALL).encode())
        starter.stdin.close()
        shipped.wait_for("sample", count=2)
        assert shipped.stop() == "stopped"
    result = of(shipped.events(), "result")[0]
    assert (result["status"], result["reason"]) == ("stopped", None)
    assert (result["sync"], result["durable_ns"]) == ("none", None)
    assert of(shipped.events(), "error") == []
    assert shipped.problems() == []


def test_a_slow_spool_directory_does_not_lengthen_the_durable_time(
    shipped: Probe, strace: str
) -> None:
    with tempfile.TemporaryDirectory(prefix="assay-durable-", dir="/dev/shm") as target:
        shipped.target = Path(target)
        # every event from the first sample on takes two seconds to write; in memory a sync none
        events = injected(shipped, strace, "write:delay_exit=2000000:when=5+", SMALL)
    result = of(events, "result")[0]
    assert result["sync"] == "complete"
    assert result["durable_ns"] - result["app_ns"] < 2e9
    assert samples(events)[-1]["end_ns"] == result["durable_ns"]


def test_a_failing_read_is_named(shipped: Probe, strace: str) -> None:
    # a lane's first pread64; the main thread's counters are read by it too, so count by thread
    events = injected(
        shipped, strace, "pread64:error=EIO:when=3", SMALL | {"operation": "read", "threads": 2}
    )
    result = of(events, "result")[0]
    assert (result["status"], result["reason"]) == ("failed", "io")
    assert shipped.leftovers() == []


def test_short_writes_are_completed_and_interrupted_ones_repeated(
    shipped: Probe, strace: str
) -> None:
    events = injected(shipped, strace, "pwrite64:error=EINTR:when=3..6", SMALL)
    assert (of(events, "result")[0]["status"], of(events, "result")[0]["bytes"]) == (
        "complete",
        1 << 20,
    )


def test_a_write_delayed_by_half_a_second_is_visible_in_every_figure(
    shipped: Probe, strace: str
) -> None:
    events = injected(shipped, strace, "pwrite64:delay_exit=500000:when=9", SMALL)
    result = of(events, "result")[0]
    assert abs(result["lat_max_ns"] - 500e6) < 5e6 + 0.02 * 500e6
    seen = [sample for sample in samples(events) if sample["phase"] == 0]
    assert max(sample["lat_max_ns"] for sample in seen) == result["lat_max_ns"]
    hung = [sample for sample in seen if sample["ops"] == 0]
    assert len(hung) >= 3
    ages = [sample["oldest_ns"] for sample in hung]
    assert ages == sorted(ages)
    assert ages[-1] > 300e6


def test_a_sync_past_its_limit_bounds_the_durable_rate(shipped: Probe, strace: str) -> None:
    events = injected(
        shipped,
        strace,
        "fdatasync:delay_enter=1500000:when=1",
        SMALL | {"sync_timeout_ms": 300},
        SMALL,
    )
    first, second = of(events, "result")
    assert (first["status"], first["sync"]) == ("complete", "bounded")
    assert 300e6 <= first["durable_ns"] - first["app_ns"] < 1000e6
    assert [notice["code"] for notice in of(events, "notice")] == ["sync_bounded"]
    syncing = [sample for sample in samples(events) if sample["phase"] == 1]
    assert max(sample["oldest_ns"] for sample in syncing) > 100e6
    assert second["status"] == "complete"


def test_an_unwritable_spool_ends_the_run_and_cleans_up(shipped: Probe, strace: str) -> None:
    tracing = ["-f", "-qq", "-o", shipped.home / "trace", "-e", "trace=write"]
    shipped.start(
        shipped.plan(
            *[SMALL | {"open": "rws", "block": 512, "timeout_ms": 20000, "file_size": 64 << 20}] * 2
        ),
        prefix=(strace, *tracing, "-e", "inject=write:error=ENOSPC:when=9+"),
        check=False,
    )
    followed = shipped.follow(check=False)
    assert followed.returncode == 10
    assert shipped.leftovers() == []
    assert 3 <= len(shipped.spool().splitlines()) <= 9
    shipped.start(shipped.plan({}, {}))
    shipped.follow()
    assert shipped.problems() == []


def test_a_large_file_is_truncated_in_steps(shipped: Probe, strace: str) -> None:
    trace, size = shipped.home / "trace", 4_500_000_000
    tracing = (strace, "-f", "-qq", "-o", trace, "-e", "trace=ftruncate,unlinkat")
    large = {"layout": "preallocated", "file_size": size, "block": 512, "timeout_ms": 1}
    shipped.start(shipped.plan(large), prefix=tracing)
    shipped.follow()
    sizes = [int(at) for at in re.findall(r"ftruncate\(\d+, (\d{6,})\)", trace.read_text())]
    rounded = of(shipped.events(), "trial")[0]["total_bytes"]
    steps = [before - after for before, after in itertools.pairwise([rounded, *sizes])]
    assert steps == [1 << 30] * 4
    assert sizes[-1] < 1 << 30  # the rest is removed when the file is closed


def test_a_full_run_directory_is_not_mistaken_for_another_owner(
    shipped: Probe, strace: str
) -> None:
    shipped.start(shipped.plan(LONG))
    full = (strace, "-f", "-qq", "-o", shipped.home / "trace", "-e", "trace=renameat")
    full += ("-e", "inject=renameat:error=ENOSPC")
    words = ("stop", shipped.run_dir, "--generation", 2)
    refused = shipped.verb(*words, prefix=full, check=False)
    assert refused.returncode == 12
    assert b"No space left" in refused.stderr
    assert shipped.stop(generation=2) == "stopped"


def test_a_write_that_returns_after_its_limit_ends_the_trial_timed_out(
    shipped: Probe, strace: str
) -> None:
    whole = {"file_size": 65536, "block": 65536, "timeout_ms": 300}
    events = injected(shipped, strace, "pwrite64:delay_exit=3000000:when=1", whole, SMALL)
    late, next_one = of(events, "result")
    assert (late["status"], late["bytes"], late["sync"]) == ("timed_out", 65536, "complete")
    assert late["lat_max_ns"] >= 3e9
    assert late["app_ns"] >= 3e9
    (interrupted,) = of(events, "notice")
    assert (interrupted["code"], interrupted["call"]) == ("interrupted", "pwrite")
    assert 2e9 < interrupted["ns"] < late["app_ns"]
    assert next_one["status"] == "complete"


def test_a_spool_at_its_limit_ends_the_run_with_a_code(shipped: Probe) -> None:
    events = shipped.run(*[SMALL] * 200, spool_bytes=65536)
    assert (events[-1]["status"], events[-1]["reason"]) == ("failed", "spool_full")
    assert "65536 bytes" in of(events, "error")[0]["message"]
    assert 65536 <= len(shipped.spool()) < 2 * 65536
    assert events[-1]["cleaned"]

"""The N-th call of a kind fails, for N = 1, 2, 3, … until a run meets no fault.

Whatever the call was, the state is clear, nothing remains, and the next attempt succeeds.
"""

import itertools
import json
import os
import signal
import subprocess
from collections.abc import Iterator

import pytest
import spool_rules
from nth_call import NthCall
from probe_driver import LONG, Probe, is_locked, moments, of, samples
from testing import rotation

pytestmark = pytest.mark.rotating

MATRIX = [
    {"threads": 2, "files": 2, "file_size": 16384, "block": 4096},
    {"threads": 2, "files": 1, "file_size": 16384, "block": 8192, "layout": "preallocated"},
    {"threads": 2, "files": 2, "file_size": 16384, "block": 4096, "operation": "read"},
]
SUSTAINED = [
    {"layout": "sequence", "file_bytes": 65536, "length_bytes": 262_144, "sync_bytes": 65536},
    {"layout": "sequence", "file_bytes": 65536, "length_bytes": 262_144, "operation": "read"},
    {"layout": "ring", "file_bytes": 65536, "files": 2, "streams": 2, "operation": "read"},
]
PLANS = {"matrix": MATRIX, "sustained": SUSTAINED}
FAULTS = [
    ("openat", "EIO"),
    ("openat", "EMFILE"),
    ("mkdirat", "ENOSPC"),
    ("unlinkat", "EIO"),
    ("renameat", "ENOSPC"),
    ("read", "EIO"),
    ("write", "EIO"),
    ("write", "ENOSPC"),
    ("pread64", "EIO"),
    ("pwrite64", "EIO"),
    ("pwrite64", "ENOSPC"),
    ("fdatasync", "EIO"),
    ("fsync", "EIO"),
    ("ftruncate", "EIO"),
    ("fallocate", "ENOSPC"),
    ("fcntl", "ENOLCK"),
    ("flock", "ENOLCK"),
    ("fstat", "EIO"),
    ("getdents64", "EIO"),
    ("fork", "EAGAIN"),
    ("mmap", "ENOMEM"),
]
OF_SUSTAINED = [
    ("openat", "EMFILE"),
    ("unlinkat", "EIO"),
    ("pread64", "EIO"),
    ("pwrite64", "ENOSPC"),
    ("fdatasync", "EIO"),
    ("fsync", "EIO"),
    ("mmap", "ENOMEM"),
]
"""The calls that its files take another way."""
SIBLINGS = {
    *(("matrix", "openat", "EMFILE"), ("matrix", "write", "EIO"), ("matrix", "pwrite64", "EIO")),
    *(("sustained", "openat", "EMFILE"), ("sustained", "pread64", "EIO")),
    ("sustained", "mmap", "ENOMEM"),
}
"""Of one call, the second errno of the same job and the second job that reads or maps by it; they
take the longest, and only `make nightly` runs them."""


def rows() -> Iterator[object]:
    """Yield a parameter for each job and fault."""
    for job, faults in (("matrix", FAULTS), ("sustained", OF_SUSTAINED)):
        for fault in faults:
            marks = [pytest.mark.nightly] if (job, *fault) in SIBLINGS else []
            yield pytest.param(job, *fault, marks=marks)


AS_TOLD = {"ENOMEM": "EAGAIN"}
"""What libc makes of an error: a thread without memory."""

SLACK_NS, MUCH = 500_000_000, 1 << 30
"""How far the kernel's clocks lag, and more bytes than a machine moves in a tenth of a second."""

EACH_OF, STEP = 100, 29
FIRST, PARTS = 3, 3
"""Of each fault the first calls, and of the others a third, are tested with a commit."""

RUN_FILES = {"events.ndjson", "generation", "lock", "watch"}
PIPE = subprocess.PIPE


class Faulty:
    """One verb with one fault: how it ended, and its output."""

    def __init__(self, fault: NthCall, probe: Probe, *words: object, stdin: str = "") -> None:
        argv = [probe.binary, *map(str, words)]
        process = fault.start(argv, stdin=PIPE, stdout=PIPE, stderr=PIPE)
        self.out, self.complaint = process.communicate(stdin.encode(), timeout=60)
        self.code, self.call = process.returncode, fault.call
        fault.wait()

    @property
    def answer(self) -> dict:
        """Return the output of a successful verb; a failed one must give the reason in one line."""
        if self.call == "mmap" and self.code in (-signal.SIGSEGV, -signal.SIGABRT):
            return {}  # libc or the probe has no memory to say anything
        if self.code != 0:
            assert self.code in (3, 4, 10, 11, 12), (self.code, self.complaint)
            assert self.complaint.count(b"\n") == 1, self.complaint
            return {}
        return json.loads(self.out)


def each_fault(probe: Probe, call: str, error: str) -> Iterator[NthCall]:
    """Yield a fault for each N until one is not met, each with its own run directory.

    At least one must be met: a call that is never made proves nothing. The reading of the host's
    other processes opens hundreds of files in one place: beyond the first calls, only some of them
    are tested.
    """
    chosen = rotation.of_name(f"{call} {error}", PARTS)
    for number in itertools.chain(range(1, EACH_OF), itertools.count(EACH_OF, STEP)):
        if number > FIRST and number % PARTS not in chosen:
            continue
        probe.run_dir = probe.home / "runs" / f"{call}-{number}"
        fault = NthCall(call, number, error)
        yield fault
        if not fault.injected:
            assert number > 1, f"{call} is never called here"
            return


@pytest.mark.parametrize(("job", "call", "error"), list(rows()))
def test_after_any_failed_call_the_state_is_clear_and_the_next_attempt_succeeds(
    shipped: Probe, job: str, call: str, error: str
) -> None:
    for fault in each_fault(shipped, call, error):
        plan = shipped.plan(*PLANS[job], job=job)
        faulty = Faulty(fault, shipped, "start", shipped.run_dir, stdin=plan)
        assert faulty.answer.get("state") in ("started", None)
        assert_clear(shipped, error if fault.injected else None)
        assert_goes_on(shipped, job)
        if not fault.injected:
            assert faulty.code == 0


def assert_clear(probe: Probe, error: str | None) -> None:
    """Assert what spool, lock and target show once all processes have exited."""
    await_unlocked(probe)
    events = probe.events()
    assert probe.problems() == []
    # on a busy machine a trial may not get its CPU; the probe says so and repeats it
    results = [event for event in of(events, "result") if event["status"] != "starved"]
    for failed in results:
        told = [event for event in of(events, "error") if event["trial"] == failed["trial"]]
        assert failed["status"] in ("complete", "failed")
        assert (failed["status"] == "failed") == bool(told), (failed, told)
        assert all(event["code"] == failed["reason"] for event in told)
    for told in of(events, "error"):
        assert told["errno"] in (error, AS_TOLD.get(error)), told
        assert told["message"]
    if error is None:
        assert [event["status"] for event in results] == ["complete"] * len(MATRIX)
    assert_plausible(events)
    if events and events[-1]["ev"] == "end":
        assert events[-1]["cleaned"] == (probe.leftovers() == [])


def assert_plausible(events: list[dict]) -> None:
    """Assert that an unreadable counter is not taken for zero, nor its next value for work."""
    for sample in samples(events):
        longest = (sample["dt_ns"] + SLACK_NS) * (os.cpu_count() or 1)
        times = [value for name, value in sample.items() if name.startswith(("cpu_", "psi_"))]
        assert all(value is None or value <= longest for value in times), sample
        moved = [value for name, value in sample.items() if name[:4] in ("dev_", "net_")]
        assert all(value is None or value < MUCH for value in moved), sample
        assert sample["mem_available_bytes"] > 0
    for result in of(events, "result"):
        assert all(
            result[name] is None or result[name] < MUCH
            for name in ("dev_app_bytes", "dev_durable_bytes")
        )


def await_unlocked(probe: Probe) -> None:
    """Wait until an exiting process releases its locks, shortly after it has exited."""
    lock = probe.run_dir / "lock"
    assert any(not lock.exists() or not is_locked(lock) for _ in moments(5))


def assert_goes_on(probe: Probe, job: str) -> None:
    """Do what a worker does next: follow, start what has no counting result, forget the run."""
    if probe.run_dir.exists():
        code = probe.follow(check=False).returncode
        events = probe.events()
        assert code == (0 if events and events[-1]["ev"] == "end" else 10)
    tried: dict[int, int] = {}
    for event in of(probe.events(), "trial"):
        tried[event["trial"]] = event["attempt"]
    complete = completed(probe)
    due = [
        trial | {"position": position, "attempt": tried.get(position, 0) + 1}
        for position, trial in enumerate(PLANS[job])
        if position not in complete
    ]
    if due:
        started = probe.answer(
            "start", probe.run_dir, stdin=probe.plan(*due, job=job, generation=2)
        )
        assert started["state"] == "started"
        probe.follow(generation=2)
        assert probe.events()[-1]["status"] == "done"
    assert sorted(completed(probe)) == [0, 1, 2], "each counts once"
    assert probe.problems() == []
    await_unlocked(probe)
    probe.verb("sweep", probe.run_dir.parent)
    assert probe.leftovers() == []
    assert {path.name for path in probe.run_dir.iterdir()} - RUN_FILES == set()
    probe.verb("sweep", probe.run_dir.parent, "--forget", probe.run_dir.name)
    assert not probe.run_dir.exists()


def completed(probe: Probe) -> list[int]:
    results = of(probe.events(), "result")
    return [result["trial"] for result in results if result["status"] == "complete"]


READS = ("openat", "read", "pread64", "write", "fcntl", "flock")
"""What every verb does with a run."""


@pytest.mark.parametrize("call", READS)
def test_a_stop_with_a_failed_call_never_reports_a_wrong_end(shipped: Probe, call: str) -> None:
    for fault in each_fault(shipped, call, "EIO"):
        shipped.start(shipped.plan(LONG))
        stop = Faulty(fault, shipped, "stop", shipped.run_dir, "--generation", 1)
        if stop.answer:
            assert stop.answer["state"] == "stopped"
            assert shipped.leftovers() == []
        assert shipped.stop() in ("stopped", "done")
        assert shipped.events()[-1]["cleaned"]
        assert shipped.leftovers() == []


@pytest.mark.parametrize("call", (*READS, "unlinkat", "fstat"))
def test_a_stop_of_a_dead_run_with_a_failed_call_is_completed_by_the_next(
    shipped: Probe, call: str
) -> None:
    for fault in each_fault(shipped, call, "EIO"):
        shipped.start(shipped.plan(LONG))
        shipped.kill()
        stop = Faulty(fault, shipped, "stop", shipped.run_dir, "--generation", 1)
        assert stop.answer.get("state", "dead") == "dead"
        assert shipped.stop() == "dead"
        assert shipped.leftovers() == []


@pytest.mark.parametrize(
    "call", ("openat", "read", "pread64", "write", "unlinkat", "fcntl", "fstat", "getdents64")
)
def test_a_sweep_with_a_failed_call_spares_live_runs_and_keeps_track_of_leftovers(
    shipped: Probe, call: str
) -> None:
    living = Probe(shipped.binary, shipped.home, shipped.target)
    living.run_dir = shipped.home / "runs" / "living"
    living.start(living.plan(LONG))
    theirs = set(shipped.target.iterdir())
    for fault in each_fault(shipped, call, "EIO"):
        shipped.start(shipped.plan(LONG))
        shipped.kill()
        runs, name = shipped.run_dir.parent, shipped.run_dir.name
        answer = Faulty(fault, shipped, "sweep", runs, "--forget", name).answer
        if answer and not answer["failed"] and name not in answer["kept"]:
            assert set(shipped.target.iterdir()) == theirs
        shipped.verb("sweep", runs, "--forget", name)
        assert set(shipped.target.iterdir()) == theirs
        assert not shipped.run_dir.exists()
    assert living.stop() == "stopped"


@pytest.mark.parametrize("call", READS)
@pytest.mark.parametrize("ended", (True, False), ids=("ended", "dead"))
def test_a_follow_with_a_failed_call_never_reports_a_wrong_state(
    shipped: Probe, call: str, ended: bool
) -> None:
    shipped.run_dir = shipped.home / "runs" / "run"
    shipped.start(shipped.plan({} if ended else LONG))
    shipped.follow() if ended else shipped.kill()
    spool, run_dir = shipped.spool(), shipped.run_dir
    for fault in each_fault(shipped, call, "EIO"):
        follow = Faulty(fault, shipped, "follow", run_dir, "--from", 0, "--generation", 1)
        assert spool.startswith(follow.out)
        if follow.code == (0 if ended else 10):
            assert follow.out == spool
        else:
            assert follow.code == 12, follow.complaint
    shipped.run_dir = run_dir
    assert shipped.stop() == ("done" if ended else "dead")


@pytest.mark.parametrize("call", ("openat", "pread64", "fcntl", "flock"))
def test_a_follow_with_a_failed_call_never_reports_a_live_run_as_dead(
    shipped: Probe, call: str
) -> None:
    injected = 0
    for number in range(1, 13):
        shipped.run_dir = shipped.home / "runs" / f"{call}-{number}"
        shipped.start(shipped.plan(LONG | {"timeout_ms": 250}))
        fault = NthCall(call, number, "EIO")
        follow = Faulty(fault, shipped, "follow", shipped.run_dir, "--from", 0, "--generation", 1)
        injected += fault.injected
        assert follow.code in (0, 12), follow.complaint
        if follow.code == 0:
            assert spool_rules.parse(follow.out)[-1]["ev"] == "end"
        assert shipped.follow().stdout == shipped.spool()
    assert injected > 0

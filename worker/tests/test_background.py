"""Threads of the worker survive unexpected errors, and health shows them."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from assay.base.settings import settings
from assay.history.health.queries import health
from assay_worker import background, heartbeat, ownership_renewal
from assay_worker.driver import follow
from assay_worker.driver.follow import Cancellations
from testing.installation import Installation, wait_until

DIES = """
import time
from assay_worker import background, loop
{action}
time.sleep(60)
print("still running")
"""


class Failing:
    """Fails in the first two calls with an unexpected error."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, *_: object, **_named: object) -> None:
        self.calls += 1
        if self.calls <= 2:
            raise ZeroDivisionError(f"call {self.calls}")


@pytest.fixture
def stop() -> Iterator[threading.Event]:
    event = threading.Event()
    yield event
    event.set()


def test_a_failed_round_is_reported_until_one_succeeds(stop: threading.Event) -> None:
    failing, goes_on = Failing(), threading.Semaphore(0)

    def pause() -> bool:
        goes_on.acquire()
        return stop.is_set()

    thread = background.repeat("a task", failing, pause)
    wait_until(lambda: failing.calls == 1 and background.problem())
    assert background.problem() == "a task: ZeroDivisionError: call 1"
    goes_on.release()
    wait_until(lambda: background.problem() == "a task: ZeroDivisionError: call 2")
    goes_on.release()
    wait_until(lambda: background.problem() is None)
    stop.set()
    goes_on.release()
    thread.join(30)
    assert not thread.is_alive()


@pytest.mark.parametrize(
    "action",
    [
        "background.start('a task', lambda: 1 / 0)",
        "background.repeat('a task', exit, lambda: None)",
        "loop._loop().call_soon_threadsafe(exit)",
    ],
    ids=["an error", "an exit", "the loop of the connections"],
)
def test_the_end_of_a_thread_ends_its_process(action: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", DIES.format(action=action)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == os.EX_SOFTWARE, done.stderr
    assert "failed: exiting" in done.stderr
    assert "still running" not in done.stdout


def test_renewal_continues_after_an_unexpected_error(
    installation: Installation, monkeypatch: pytest.MonkeyPatch, stop: threading.Event
) -> None:
    failing = Failing()
    monkeypatch.setattr(ownership_renewal, "renew_all", failing)
    monkeypatch.setattr(ownership_renewal, "_pause", lambda: stop.wait(0.01))
    ownership_renewal._thread.cache_clear()
    ownership_renewal._thread()
    wait_until(lambda: failing.calls >= 4)
    ownership_renewal._thread.cache_clear()


def test_the_heartbeat_continues_after_an_unexpected_error(
    installation: Installation, monkeypatch: pytest.MonkeyPatch, stop: threading.Event
) -> None:
    failing = Failing()
    monkeypatch.setattr(heartbeat, "record", failing)
    monkeypatch.setattr(heartbeat, "stopping", stop)
    monkeypatch.setattr(heartbeat, "BEAT_S", 0.01)
    heartbeat.beat()
    wait_until(lambda: failing.calls >= 4)


def test_cancellations_are_detected_after_an_unexpected_error(
    installation: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing = Failing()
    reading: Callable[[], AbstractContextManager[object]] = follow.reading

    def read() -> AbstractContextManager[object]:
        failing()
        return reading()

    monkeypatch.setattr(follow, "LOOK_S", 0.01)
    monkeypatch.setattr(follow, "reading", read)
    run_id = installation.launch(installation.target_row(installation.local_host()))
    looks = Cancellations()
    with looks.watching(installation.run(run_id).campaign_id) as cancelled:
        installation.cancel(run_id)
        wait_until(cancelled)
    assert failing.calls > 2


def test_health_reports_failures_of_a_worker(installation: Installation) -> None:
    heartbeat.record("worker:1")
    assert [one.problem for one in health().workers] == [None]
    background.attempt("ownership renewal", Failing())
    try:
        heartbeat.record("worker:1")
    finally:
        background._failing.clear()
    found = health()
    assert [one.problem for one in found.workers] == [
        "ownership renewal: ZeroDivisionError: call 1"
    ]
    assert found.status == "degraded"


def test_the_beat_file_is_touched_only_while_the_queue_responds(
    installation: Installation, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "beat"
    monkeypatch.setattr(settings(), "beat_file", file)
    queue = settings().redis_url
    monkeypatch.setattr(settings(), "redis_url", f"unix://{tmp_path / 'gone'}")
    heartbeat.record("worker@test")
    assert not file.exists()
    monkeypatch.setattr(settings(), "redis_url", queue)
    heartbeat.record("worker@test")
    assert file.exists()

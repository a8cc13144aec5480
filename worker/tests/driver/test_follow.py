"""Following a probe, including one that sends nothing."""

import signal
import threading
from pathlib import Path

import pytest
from assay_worker.driver import follow
from testing.installation import BOTH, SLOW, Installation, drive, wait_until


@BOTH
def test_a_suspended_probe_is_shown_as_silent_and_its_trial_is_repeated(
    installation: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(follow, "SILENT_S", 1.0)
    target = installation.target(installation.local_host(), tmp_path / "scratch")
    long = SLOW | {"timeout_ms": 2500}
    run_id = installation.launch(target, **long, sample_ms=100, repeats=1, threads=[1])
    driving = threading.Thread(target=drive, args=[run_id])
    driving.start()
    wait_until(lambda: [one for one in installation.attempts(run_id) if one.sample_count])
    installation.signal_probe(run_id, signal.SIGSTOP)
    wait_until(lambda: installation.run(run_id).state_code == follow.SILENT)
    installation.signal_probe(run_id, signal.SIGCONT)
    wait_until(lambda: installation.run(run_id).state_reason is None)
    driving.join(60)
    assert installation.run(run_id).state == "done"
    statuses = [attempt.status for attempt in installation.attempts(run_id)]
    first, second = statuses
    assert first == "suspended"
    assert second in ("timed_out", "complete")  # a fast disk takes less than the time limit
    assert installation.run(run_id).trials_done == 1


def test_a_suspended_probe_stays_silent_across_drivers(
    installation: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(follow, "SILENT_S", 1.0)
    target = installation.target(installation.local_host(), tmp_path / "scratch")
    run_id = installation.launch(target, **SLOW | {"timeout_ms": 10_000}, sample_ms=100, repeats=1)

    def code() -> str | None:
        return installation.run(run_id).state_code

    def has_sampled() -> bool:
        return any(one.sample_count for one in installation.attempts(run_id))

    installation.drive_until(run_id, has_sampled)
    installation.signal_probe(run_id, signal.SIGSTOP)
    installation.drive_until(run_id, lambda: code() == follow.SILENT)
    seen: list[str | None] = []
    installation.drive_until(run_id, lambda: seen.append(code()) or len(seen) > 20)
    assert set(seen) == {follow.SILENT}
    installation.signal_probe(run_id, signal.SIGCONT)
    installation.drive_until(run_id, lambda: code() is None)
    installation.cancel(run_id)
    installation.drive_to_the_end(run_id)

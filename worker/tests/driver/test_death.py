"""The worker dies before or after the N-th of its commits and remote calls, for every N.

As SQLite is tested: N increases until a driver is not killed. After each death another worker takes
over, and the run ends normally. `make test` tries every third to fifth N, by the day of the commit.
"""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from assay.runs.lifecycle import FINAL
from assay.tables.database import writing
from assay.tables.runs import Run
from assay_worker.scheduler import reconcile
from testing import rotation
from testing.assertions import assert_complete, assert_nothing_stays, assert_record_is_whole
from testing.dying import DyingWorkers, let_an_hour_pass
from testing.installation import BOTH, SLOW, Installation, dispatch, drive, files_below
from testing.sshd import Sshd

pytestmark = [pytest.mark.timeout(900), pytest.mark.rotating]
"""At night each test drives some forty runs, a second each on a quiet machine."""

Dying = Callable[[], DyingWorkers]


@pytest.fixture
def dying(installation: Installation) -> Iterator[Dying]:
    """Creates workers that die, in the environment that the test has set by then."""
    made: list[DyingWorkers] = []

    def make() -> DyingWorkers:
        made.append(DyingWorkers())
        return made[-1]

    yield make
    for workers in made:
        workers.end()


def forsake(installation: Installation, run_id: int) -> None:
    """Let the dead worker's ownership expire, so that the scheduler finds the run."""
    with writing() as session:
        run = session.get_one(Run, run_id)
        run.owned_until = run.retry_at = None
    if installation.run(run_id).state not in FINAL:
        assert dispatch() or reconcile() == 1, installation.run(run_id).state


@BOTH
def test_the_next_worker_continues_after_any_death(
    installation: Installation, tmp_path: Path, dying: Dying
) -> None:
    scratch = tmp_path / "scratch"
    target = installation.target(installation.local_host(), scratch)
    workers = dying()
    for moment in rotation.numbers(4):
        run_id = installation.launch(target, repeats=2, file_size=100_000)
        died = workers.drive(run_id, moment)
        forsake(installation, run_id)
        installation.drive_to_the_end(run_id)
        assert_complete(installation, run_id)
        assert len(installation.attempts(run_id)) == 2
        assert_nothing_stays(tmp_path, scratch)
        assert files_below([installation.home / "runs"]) == []
        if not died:
            assert moment > 30
            return


def test_the_next_worker_continues_by_ssh_after_any_death(
    installation: Installation, tmp_path: Path, sshd: Sshd, dying: Dying
) -> None:
    """Each time on a host without a probe, so that its upload is included."""
    scratch = tmp_path / "scratch"
    target = installation.target(installation.ssh_host(sshd), scratch)
    workers = dying()
    for moment in rotation.numbers(3):
        shutil.rmtree(sshd.home / ".cache/assay/probe")
        run_id = installation.launch(target, repeats=2, file_size=100_000)
        died = workers.drive(run_id, moment)
        let_an_hour_pass(sshd.home)
        forsake(installation, run_id)
        installation.drive_to_the_end(run_id)
        assert_complete(installation, run_id)
        assert len(installation.attempts(run_id)) == 2
        assert_nothing_stays(tmp_path, scratch)
        assert [path.name for path in sshd.home.rglob("*") if path.is_file()] == ["assay-probe"]
        assert files_below([sshd.home / ".cache/assay/runs"]) == []
        if not died:
            assert moment > 40
            return


def test_the_next_worker_ends_a_cancelled_run_after_any_death(
    installation: Installation, tmp_path: Path, dying: Dying
) -> None:
    scratch = tmp_path / "scratch"
    target = installation.target(installation.local_host(), scratch)
    workers = dying()
    for moment in rotation.numbers(3):
        run_id = installation.launch(target, repeats=100, **SLOW)
        installation.drive_until(run_id, lambda: installation.running_attempt(run_id))  # noqa: B023
        installation.cancel(run_id)
        died = workers.drive(run_id, moment)
        forsake(installation, run_id)
        installation.drive_to_the_end(run_id)
        assert installation.run(run_id).state == "cancelled"
        assert_record_is_whole(installation, run_id)
        assert {a.status for a in installation.attempts(run_id)} <= {"timed_out", "stopped"}
        assert installation.reservations(run_id) == []
        assert_nothing_stays(tmp_path, scratch)
        assert files_below([installation.home / "runs"]) == []
        if not died:
            assert moment > 20
            return


def test_the_next_worker_continues_a_lost_run_after_any_death(
    installation: Installation,
    tmp_path: Path,
    sshd: Sshd,
    dying: Dying,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ASSAY_LOST_AFTER_SECONDS", "0.001")
    installation.reread_settings()
    scratch = tmp_path / "scratch"
    target = installation.target(installation.ssh_host(sshd), scratch)
    workers = dying()
    for moment in rotation.numbers(5):
        run_id = installation.launch(target, repeats=6, **SLOW)
        installation.drive_until(run_id, lambda: installation.run(run_id).state == "running")  # noqa: B023
        sshd.stop()
        died = workers.drive(run_id, moment)
        forsake(installation, run_id)
        drive(run_id)
        forsake(installation, run_id)
        drive(run_id)
        assert installation.condition(run_id) == "lost"
        sshd.start()
        died = workers.drive(run_id, moment) or died
        forsake(installation, run_id)
        installation.drive_to_the_end(run_id)
        assert_complete(installation, run_id)
        assert len(installation.attempts(run_id)) == 6, "the probe continued without a worker"
        assert installation.notices(run_id).count("host_returned") == 1
        assert_nothing_stays(tmp_path, scratch)
        if not died:
            assert moment > 20
            return

"""The worker dies before or after each commit and each remote call of the check of a host."""

import shutil
from collections.abc import Iterator
from datetime import timedelta

import pytest
from assay.runs.scheduling.wakeups import WAKE_AGAIN
from assay.tables.database import reading, writing
from assay.tables.hosts import Check
from assay_worker import scheduler
from testing import rotation
from testing.dying import DyingWorkers, let_an_hour_pass
from testing.installation import Installation, probes_of, run_check, wait_until
from testing.sshd import Sshd

pytestmark = [pytest.mark.timeout(900), pytest.mark.rotating]
"""At night some fifty checks, twice half a second each on a quiet machine."""

MOMENT = timedelta(seconds=1)


@pytest.fixture
def workers(installation: Installation) -> Iterator[DyingWorkers]:
    made = DyingWorkers()
    yield made
    made.end()


def test_the_next_worker_completes_a_check_wherever_the_first_one_died(
    installation: Installation, sshd: Sshd, workers: DyingWorkers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each time on a host without a probe, so that its upload is included."""
    rung: list[int] = []
    monkeypatch.setattr(scheduler, "enqueue", lambda _task, check_id, after: rung.append(check_id))
    host_id = installation.ssh_host(sshd)
    for moment in rotation.numbers(3):
        shutil.rmtree(sshd.home / ".cache", ignore_errors=True)
        check_id = queue_check(host_id)
        died = workers.check(check_id, moment)
        let_it_be_missed(check_id)
        let_an_hour_pass(sshd.home)
        rung.clear()
        scheduler.reconcile_checks()
        for missed in rung:
            run_check(missed)
        check = row(check_id)
        assert (check.state, check.error, check.started_at is None) == ("ok", None, False)
        assert installation.host(host_id).state == "ready"
        wait_until(lambda: not probes_of(sshd.home), 10, "a probe stays")
        assert [path.name for path in sshd.home.rglob("*") if path.is_file()] == ["assay-probe"]
        if not died:
            assert rung == []
            assert moment > 30
            return


def queue_check(host_id: int) -> int:
    with writing() as session:
        check = Check(host_id=host_id, kind="host", request={})
        session.add(check)
        session.flush()
        return check.id


def row(check_id: int) -> Check:
    with reading() as session:
        return session.get_one(Check, check_id)


def let_it_be_missed(check_id: int) -> None:
    """Let enough time pass for the scheduler to consider the check's worker dead."""
    with writing() as session:
        check = session.get_one(Check, check_id)
        check.created_at -= WAKE_AGAIN + MOMENT
        check.owned_until = None

"""Ownership of checks: one worker at a time, and soon another one if it died."""

import os
import signal
import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from assay.inventory.hosts import checks
from assay.inventory.hosts.deletion import delete
from assay.tables.database import now, reading, writing
from assay.tables.hosts import Check, Host, Inventory
from assay.tables.runs import WorkerSeen
from assay_worker import ownership_renewal, scheduler
from sqlalchemy import func, select
from testing.installation import BOTH, Installation, run_check, wait_until
from testing.sshd import Sshd

UNAME = """#!/bin/sh
PATH=/usr/bin:/bin
[ "$1" = -m ] || exec uname "$@"
echo look >>'{folder}/looks'
mkdir '{folder}/first' 2>/dev/null || exec uname -m
while [ -d '{folder}/first' ] && [ ! -e '{folder}/let-go' ]; do sleep 0.05; done
exec uname -m
"""


class Holding:
    """A host on which the first inspection blocks until it is released."""

    def __init__(self, server: Sshd, folder: Path) -> None:
        self.server, self._folder = server, folder
        folder.mkdir()
        program = folder / "uname"
        program.write_text(UNAME.format(folder=folder))
        program.chmod(0o755)
        server.stop()
        server.environment = {"PATH": f"{folder}:/usr/bin:/bin"}
        server.start()

    @property
    def looks(self) -> int:
        """Return how many inspections of the host were started."""
        file = self._folder / "looks"
        return len(file.read_text().splitlines()) if file.exists() else 0

    def let_go(self) -> None:
        (self._folder / "let-go").touch()


@pytest.fixture
def holding(sshd: Sshd, tmp_path: Path) -> Iterator[Holding]:
    host = Holding(sshd, tmp_path / "holding")
    yield host
    host.let_go()


@pytest.fixture
def as_delivered(installation: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ASSAY_OWNERSHIP_SECONDS", "ASSAY_RECONCILE_SECONDS"):
        monkeypatch.delenv(name)
    installation.reread_settings()


def ask(host_id: int) -> int:
    with writing() as session:
        return checks.ask(session, host_id, "host", {}).id


def row(check_id: int) -> Check:
    with reading() as session:
        return session.get_one(Check, check_id)


def inventories() -> int:
    with reading() as session:
        return session.scalar(select(func.count(Inventory.id))) or 0


def workers_seen() -> int:
    with reading() as session:
        return session.scalar(select(func.count(WorkerSeen.name))) or 0


def held_up(check_id: int, holding: Holding) -> threading.Thread:
    """A worker of this process that answers a check and is blocked on its host."""
    worker = threading.Thread(target=run_check, args=[check_id])
    worker.start()
    wait_until(lambda: holding.looks == 1)
    return worker


@pytest.mark.usefixtures("as_delivered")
def test_another_worker_restarts_the_check_of_a_killed_worker_within_30_s(
    installation: Installation, holding: Holding
) -> None:
    installation.start_scheduler()
    workers = [installation.start_worker() for _ in range(2)]
    wait_until(lambda: workers_seen() == 2, 120)
    check_id = ask(installation.ssh_host(holding.server))
    wait_until(lambda: holding.looks == 1)
    (owner,) = (w for w in workers if f":{w.pid}:" in (row(check_id).owner or ""))
    os.killpg(owner.pid, signal.SIGKILL)
    wait_until(lambda: holding.looks == 2, 30, "another worker's look")
    wait_until(lambda: installation.answered(check_id), 60)
    assert (row(check_id).state, row(check_id).error) == ("ok", None)


@BOTH
@pytest.mark.usefixtures("as_delivered")
def test_a_long_check_starts_only_once_while_its_worker_is_alive(
    installation: Installation, holding: Holding, monkeypatch: pytest.MonkeyPatch
) -> None:
    rung: list[int] = []
    monkeypatch.setattr(scheduler, "enqueue", lambda _task, check_id, after: rung.append(check_id))
    check_id = ask(installation.ssh_host(holding.server))
    worker = held_up(check_id, holding)
    with writing() as session:
        check = session.get_one(Check, check_id)
        check.created_at = check.started_at = now() - 2 * scheduler.UNANSWERED
        check.owned_until = now()
    ownership_renewal.renew_all()
    scheduler.reconcile_checks()
    run_check(check_id)
    assert rung == []
    assert holding.looks == 1
    holding.let_go()
    worker.join(60)
    assert (row(check_id).state, row(check_id).generation) == ("ok", 1)


@BOTH
@pytest.mark.parametrize("end", ["succeeds", "fails"])
def test_results_of_a_fenced_worker_are_not_stored(
    installation: Installation, holding: Holding, end: str
) -> None:
    host_id = installation.ssh_host(holding.server)
    check_id = ask(host_id)
    slow = held_up(check_id, holding)
    lose(check_id)
    run_check(check_id)
    answered = row(check_id)
    assert (answered.state, inventories()) == ("ok", 1)
    if end == "fails":
        holding.server.stop()
    holding.let_go()
    slow.join(60)
    assert not slow.is_alive()
    after = row(check_id)
    assert (after.state, after.answer, after.ended_at, after.generation) == (
        "ok",
        answered.answer,
        answered.ended_at,
        2,
    )
    assert installation.host(host_id).state == "ready"
    assert inventories() == 1


def lose(check_id: int) -> None:
    """Let the ownership expire, as if its worker was suspended."""
    with writing() as session:
        session.get_one(Check, check_id).owned_until = now() - timedelta(seconds=1)


@BOTH
def test_a_returning_worker_does_not_answer_an_abandoned_check(
    installation: Installation, holding: Holding
) -> None:
    check_id = ask(installation.ssh_host(holding.server))
    frozen = held_up(check_id, holding)
    with writing() as session:
        check = session.get_one(Check, check_id)
        check.created_at = now() - 2 * scheduler.UNANSWERED
        check.owned_until = now() - timedelta(seconds=1)
    scheduler.reconcile_checks()
    assert (row(check_id).error or {})["code"] == "no_worker"
    holding.let_go()
    frozen.join(60)
    assert (row(check_id).error or {})["code"] == "no_worker"
    assert inventories() == 0


@BOTH
def test_a_host_can_be_deleted_during_its_check(
    installation: Installation, holding: Holding, caplog: pytest.LogCaptureFixture
) -> None:
    host_id = installation.ssh_host(holding.server)
    worker = held_up(ask(host_id), holding)
    with writing() as session:
        delete(session, session.get_one(Host, host_id))
    holding.let_go()
    worker.join(60)
    assert not worker.is_alive()
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []
    assert inventories() == 0

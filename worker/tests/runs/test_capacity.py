"""More runs than the workers have slots for: the others stay queued with the reason."""

from collections.abc import Iterator

import pytest
from assay.runs.scheduling import capacity, wakeups
from assay.tables.clock import moment
from assay.tables.database import writing
from assay.tables.runs import Run
from assay_worker.ownership_renewal import worker_name
from assay_worker.scheduler import reconcile
from testing.installation import BOTH, Installation, announce, dispatch, release


@pytest.fixture
def runs(installation: Installation) -> list[int]:
    """Three runs, each on its own host."""
    return [
        installation.launch(installation.target_row(installation.local_host(f"host {number}")))
        for number in range(3)
    ]


@pytest.fixture
def woken(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[int, str]]]:
    """The woken runs, and their queues."""
    messages: list[tuple[int, str]] = []

    def enqueue(_task: str, run_id: int, after: object, queue: str) -> None:
        messages.append((run_id, queue))

    monkeypatch.setattr(wakeups, "enqueue", enqueue)
    yield messages


def states(installation: Installation, runs: list[int]) -> list[str]:
    return [installation.run(run_id).state for run_id in runs]


@BOTH
def test_runs_beyond_the_capacity_stay_queued_until_a_slot_is_free(
    installation: Installation, runs: list[int], woken: list[tuple[int, str]]
) -> None:
    assert dispatch(slots=2) == runs[:2]
    assert dispatch(slots=2) == []
    assert states(installation, runs) == ["preparing", "preparing", "queued"]
    waits_for = installation.run(runs[2]).waits_for or {}
    assert (waits_for["kind"], waits_for["what"]) == ("worker", "waiting for a worker")
    assert installation.reservations(runs[2]) == []
    release(runs[0])
    assert dispatch(slots=2) == runs[2:]
    own = capacity.queue_of(worker_name())
    assert woken == [(run_id, own) for run_id in runs]


def test_without_a_live_worker_every_run_stays_queued(
    installation: Installation, runs: list[int]
) -> None:
    assert dispatch(slots=0) == []
    assert {(installation.run(one).waits_for or {})["kind"] for one in runs} == {"worker"}


def test_a_run_whose_host_is_unreachable_holds_no_slot(
    installation: Installation, runs: list[int]
) -> None:
    assert dispatch(slots=1) == runs[:1]
    with writing() as session:
        session.get_one(Run, runs[0]).unreachable_since = moment()
    assert dispatch(slots=1) == runs[1:2]


def test_a_run_of_a_dead_worker_is_assigned_beyond_the_capacity(
    installation: Installation, runs: list[int], woken: list[tuple[int, str]]
) -> None:
    dispatch(slots=3)
    woken.clear()
    with writing() as session:
        capacity.withdraw(session, worker_name())
        capacity.announce(session, "other", 1)
        for run_id in runs:
            session.get_one(Run, run_id).retry_at = None
    assert reconcile() == 3
    assert woken == [(run_id, "worker.other") for run_id in runs]
    assert {installation.run(run_id).worker for run_id in runs} == {"other"}


def test_no_run_is_woken_while_no_worker_is_alive(
    installation: Installation, runs: list[int], woken: list[tuple[int, str]]
) -> None:
    dispatch(slots=3)
    woken.clear()
    with writing() as session:
        capacity.withdraw(session, worker_name())
        for run_id in runs:
            session.get_one(Run, run_id).retry_at = None
    assert reconcile() == 0
    assert woken == []
    announce()
    assert reconcile() == 3

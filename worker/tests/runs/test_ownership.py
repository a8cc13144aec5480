"""Ownership of runs, and its loss."""

import threading
from datetime import timedelta

import pytest
from assay.runs.lifecycle import take_ownership
from assay.tables.database import now, writing
from assay.tables.ownership import Ownership, StaleGenerationError, held, release, renew
from assay.tables.runs import Run
from assay_worker.scheduler import reconcile
from testing.installation import BOTH, Installation, announce, dispatch


def taken(run_id: int, owner: str = "a") -> Ownership[Run] | None:
    with writing() as session:
        return take_ownership(session, run_id, owner)


@pytest.fixture
def run_id(installation: Installation) -> int:
    run_id = installation.launch(installation.target_row(installation.local_host()))
    with writing() as session:
        session.get_one(Run, run_id).state = "running"
    return run_id


@BOTH
def test_one_of_many_workers_becomes_the_owner(installation: Installation, run_id: int) -> None:
    won: list[Ownership[Run]] = []

    def contend(owner: str) -> None:
        if own := taken(run_id, owner):
            won.append(own)

    threads = [threading.Thread(target=contend, args=[f"worker {n}"]) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(won) == 1
    run = installation.run(run_id)
    assert (run.owner, run.generation) == (won[0].owner, won[0].generation)


def test_each_claim_raises_the_generation_and_fences_the_previous_owner(
    installation: Installation, run_id: int
) -> None:
    first = taken(run_id)
    assert first is not None
    with writing() as session:
        session.get_one(Run, run_id).owned_until = now() - timedelta(seconds=1)
    second = taken(run_id, "b")
    assert second is not None
    assert second.generation == first.generation + 1
    with writing() as session:
        assert renew(session, Run, [first, second]) == {second}
        release(session, first)
    assert installation.run(run_id).owner == "b"
    with writing() as session, pytest.raises(StaleGenerationError):
        held(session, first)


def test_renewal_keeps_the_run_and_release_frees_it(
    installation: Installation, run_id: int
) -> None:
    own = taken(run_id)
    assert own is not None
    with writing() as session:
        assert renew(session, Run, [own]) == {own}
    assert taken(run_id, "b") is None
    with writing() as session:
        release(session, own)
    assert taken(run_id, "b") is not None


def test_a_renewal_after_the_release_has_no_effect(installation: Installation, run_id: int) -> None:
    own = taken(run_id)
    assert own is not None
    with writing() as session:
        release(session, own)
    with writing() as session:
        assert renew(session, Run, [own]) == set()
    assert taken(run_id, "b") is not None


def test_a_clock_that_was_set_back_does_not_keep_a_run_owned(
    installation: Installation, run_id: int
) -> None:
    assert taken(run_id) is not None
    with writing() as session:
        session.get_one(Run, run_id).owned_until = now() + timedelta(hours=1)
    assert taken(run_id, "b") is not None


def test_a_clock_that_was_set_back_delays_no_retry_for_an_hour(
    installation: Installation, run_id: int
) -> None:
    with writing() as session:
        session.get_one(Run, run_id).retry_at = now() + timedelta(hours=1)
    announce()
    assert reconcile() == 1
    with writing() as session:
        run = session.get_one(Run, run_id)
        run.state, run.retry_at = "queued", now() + timedelta(hours=1)
    assert dispatch() == [run_id]


@pytest.mark.parametrize("state", ["queued", "done", "failed", "cancelled"])
def test_a_run_that_is_not_active_needs_no_driver(
    installation: Installation, run_id: int, state: str
) -> None:
    with writing() as session:
        session.get_one(Run, run_id).state = state
    assert taken(run_id) is None

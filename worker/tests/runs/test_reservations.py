"""Reservations of hosts, and the obstacles of queued runs."""

import threading

import pytest
from assay.tables.arrays import Array
from assay.tables.database import writing
from assay.tables.hosts import Host
from assay.tables.runs import Reservation
from assay.tables.targets import Target
from sqlalchemy import select
from testing.installation import BOTH, Installation, dispatch, release


@pytest.fixture
def target(installation: Installation) -> int:
    return installation.target_row(installation.local_host())


@BOTH
def test_runs_on_one_host_start_in_the_order_of_launch(
    installation: Installation, target: int
) -> None:
    first, second, third = (installation.launch(target) for _ in range(3))
    assert dispatch() == [first]
    assert dispatch() == []
    waits_for = installation.run(second).waits_for
    assert waits_for is not None
    assert waits_for["kind"] == "host"
    assert f"this machine is busy with run {first}" in waits_for["what"]
    assert waits_for["since"]
    release(first)
    assert dispatch() == [second]
    assert installation.run(second).waits_for is None
    waits_for = installation.run(third).waits_for
    assert waits_for is not None
    assert f"run {second}" in waits_for["what"]


def test_runs_on_different_hosts_run_in_parallel(installation: Installation, target: int) -> None:
    other = installation.target_row(installation.local_host("another"))
    runs = [installation.launch(target), installation.launch(other)]
    assert dispatch() == runs


@BOTH
def test_runs_on_one_shared_array_are_sequential(
    installation: Installation,
) -> None:
    with writing() as session:
        shared, private = Array(name="vault", shared=True), Array(name="shelf", shared=False)
        session.add_all([shared, private])
        session.flush()
        arrays = [shared.id, shared.id, private.id, private.id]
    runs: list[int] = []
    for number, array_id in enumerate(arrays):
        target_id = installation.target_row(installation.local_host(f"host {number}"))
        with writing() as session:
            session.get_one(Target, target_id).array_id = array_id
        runs.append(installation.launch(target_id))
    first, second, third, fourth = runs
    assert dispatch() == [first, third, fourth]
    waits_for = installation.run(second).waits_for
    assert waits_for is not None
    assert waits_for["kind"] == "array"
    assert f"vault is busy with run {first}" in waits_for["what"]
    assert sorted(installation.reservations(first)) == [f"array:{arrays[0]}", "host:1"]
    assert installation.reservations(third) == ["host:3"]
    release(first)
    assert dispatch() == [second]


def test_the_start_of_a_wait_is_kept_while_the_obstacle_is_the_same(
    installation: Installation, target: int
) -> None:
    installation.launch(target)
    second = installation.launch(target)
    dispatch()
    before = installation.run(second).waits_for
    dispatch()
    assert installation.run(second).waits_for == before


@BOTH
def test_concurrent_dispatchers_never_reserve_a_host_twice(
    installation: Installation,
) -> None:
    targets = [
        installation.target_row(installation.local_host(f"host {number}")) for number in range(4)
    ]
    for _ in range(3):
        for target in targets:
            installation.launch(target)
    admitted: list[int] = []
    threads = [threading.Thread(target=lambda: admitted.extend(dispatch())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with writing() as session:
        holders = session.scalars(select(Reservation.run_id)).all()
    assert sorted(admitted) == sorted(holders)
    assert len(set(holders)) == 4


def test_a_host_with_a_changed_key_gets_no_run_until_approval(
    installation: Installation, target: int
) -> None:
    run_id = installation.launch(target)
    with writing() as session:
        host = session.scalars(select(Host)).one()
        host.state = "key_changed"
    assert dispatch() == []
    waits_for = installation.run(run_id).waits_for
    assert waits_for is not None
    assert waits_for["kind"] == "host_key"
    with writing() as session:
        session.scalars(select(Host)).one().state = "ready"
    assert dispatch() == [run_id]


def test_a_run_whose_host_is_being_deleted_fails(installation: Installation, target: int) -> None:
    run_id = installation.launch(target)
    with writing() as session:
        session.scalars(select(Host)).one().state = "deleting"
    assert dispatch() == []
    run = installation.run(run_id)
    assert run.state == "failed"
    assert run.error is not None
    assert run.error["code"] == "host_deleting"


def test_a_cancelled_campaign_frees_its_place_in_the_queue(
    installation: Installation, target: int
) -> None:
    first, second = installation.launch(target), installation.launch(target)
    installation.cancel(first)
    assert dispatch() == [second]
    assert installation.run(first).state == "cancelled"


def test_a_round_changes_only_what_is_new(installation: Installation, target: int) -> None:
    for _ in range(50):
        installation.launch(target)
    dispatch()
    revisions = installation.revisions()
    dispatch()
    assert installation.revisions() == revisions

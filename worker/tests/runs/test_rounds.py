"""Rounds of the dispatcher over many runs: several hosts per run, order, and cost."""

from datetime import timedelta

import pytest
from assay.runs.scheduling import reservations
from assay.runs.scheduling.admission import PATIENCE
from assay.runs.scheduling.wakeups import DISPATCH
from assay.tables.campaigns import SCHEDULE, Campaign
from assay.tables.database import engine, now, reading, writing
from assay.tables.hosts import Host
from assay.tables.runs import Participant, Run
from assay.tables.targets import Target
from sqlalchemy import event, select
from testing.installation import BOTH, Installation, dispatch, release


def scheduled(run_id: int) -> None:
    with writing() as session:
        campaign_id = session.get_one(Run, run_id).campaign_id
        session.get_one(Campaign, campaign_id).origin = SCHEDULE


def add_place(run_id: int, target_id: int) -> None:
    with writing() as session:
        host_id = session.get_one(Target, target_id).host_id
        session.get(Host, host_id, with_for_update=True)
        place = {"host_id": host_id, "target_id": target_id}
        session.add(Participant(run_id=run_id, position=1, role="reader", **place))


def launched_before(run_id: int, age: timedelta) -> None:
    with writing() as session:
        session.get_one(Run, run_id).created_at = now() - age


@pytest.fixture
def targets(installation: Installation) -> list[int]:
    return [installation.target_row(installation.local_host(name)) for name in ("left", "right")]


@BOTH
def test_a_run_of_two_hosts_takes_both_or_none(
    installation: Installation, targets: list[int]
) -> None:
    left = installation.launch(targets[0])
    both = installation.launch(targets[0])
    add_place(both, targets[1])
    assert dispatch() == [left]
    assert installation.reservations(both) == []
    release(left)
    assert dispatch() == [both]
    assert len(installation.reservations(both)) == 2


def test_free_hosts_are_held_for_a_run_that_waited_long_enough(
    installation: Installation, targets: list[int]
) -> None:
    left = installation.launch(targets[0])
    both = installation.launch(targets[0])
    add_place(both, targets[1])
    assert dispatch() == [left]
    launched_before(both, PATIENCE)
    right = installation.launch(targets[1])
    assert dispatch() == []
    waits_for = installation.run(right).waits_for
    assert waits_for is not None
    assert f"right is reserved for run {both}" in waits_for["what"]
    release(left)
    assert dispatch() == [both]


@BOTH
def test_a_run_launched_by_a_person_precedes_a_scheduled_one(
    installation: Installation, targets: list[int]
) -> None:
    first, later, ours = (installation.launch(targets[0]) for _ in range(3))
    scheduled(later)
    assert dispatch() == [first]
    release(first)
    assert dispatch() == [ours]
    release(ours)
    assert dispatch() == [later]


def test_the_statements_of_a_round_do_not_depend_on_the_hosts(
    installation: Installation,
) -> None:
    def statements(hosts: int, batch: str) -> int:
        for number in range(hosts):
            target = installation.target_row(installation.local_host(f"{batch} {number}"))
            for _ in range(3):
                installation.launch(target)
        with writing() as session:  # one campaign each would be notified of each change
            campaign = session.scalars(select(Campaign.id).order_by(Campaign.id)).first()
            for run in session.scalars(select(Run)):
                run.campaign_id = campaign or 0
        seen: list[str] = []

        def note(_c: object, _k: object, statement: str, *_: object) -> None:
            seen.append(statement)

        event.listen(engine(), "before_cursor_execute", note)
        try:
            assert len(dispatch()) == hosts
        finally:
            event.remove(engine(), "before_cursor_execute", note)
        return len(seen)

    assert statements(5, "few") == statements(40, "many")
    with reading() as session:
        waiting = session.scalars(select(Run).where(Run.state == "queued")).all()
    assert all(run.waits_for and run.waits_for["since"] for run in waiting)


def test_a_round_updates_a_limited_number_of_runs_and_requests_the_next(
    installation: Installation, targets: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(reservations, "MOST_UPDATED", 2)
    monkeypatch.setattr(reservations, "enqueue", lambda task, after: asked.append(task))
    runs = [installation.launch(targets[0]) for _ in range(4)]
    with writing() as session:
        for run in session.scalars(select(Run)):
            run.waits_for = None
    assert dispatch() == runs[:1]
    assert installation.run(runs[3]).waits_for is None
    assert asked == [DISPATCH]
    assert dispatch() == []
    for run_id in runs[1:]:
        waits_for = installation.run(run_id).waits_for
        assert waits_for is not None
        assert f"is busy with run {runs[0]}" in waits_for["what"]
    assert asked == [DISPATCH]


@BOTH
def test_a_round_admits_a_limited_number_and_requests_the_next(
    installation: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(reservations, "MOST_ADMITTED", 2)
    monkeypatch.setattr(reservations, "enqueue", lambda task, after: asked.append(task))
    runs = [
        installation.launch(installation.target_row(installation.local_host(f"host {number}")))
        for number in range(5)
    ]
    assert [dispatch(), dispatch(), dispatch()] == [runs[:2], runs[2:4], runs[4:]]
    assert asked == [DISPATCH, DISPATCH]

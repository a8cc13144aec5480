"""Which live worker gets a run, and that dead workers get none."""

from datetime import timedelta

import pytest
from assay.runs.scheduling import capacity
from assay.runs.scheduling.capacity import SILENCE, Slots
from assay.tables.clock import moment
from assay.tables.database import reading, writing
from assay.tables.runs import Run, WorkerSeen
from testing.seeds import seed_run


def test_runs_are_spread_over_the_workers_with_the_most_free_slots() -> None:
    slots = Slots({"a": 3, "b": 1})
    assert slots.total == 4
    assert [slots.take() for _ in range(3)] == ["a", "a", "a"]
    assert slots.take() == "b"
    assert slots.total == 0


def test_a_worker_beyond_its_capacity_takes_no_slot_from_another() -> None:
    assert Slots({"a": -5, "b": 2}).total == 2


def test_a_run_without_a_driver_leaves_its_last_worker_and_prefers_a_free_slot() -> None:
    assert Slots({"dead": 9, "full": 0, "free": 1}).take_over("dead") == "free"
    assert Slots({"dead": 9, "full": 0}).take_over("dead") == "full"
    assert Slots({"only": 0}).take_over("only") == "only"


def test_a_run_with_an_unreachable_host_stays_with_its_live_worker() -> None:
    assert Slots({"last": 0, "free": 9}).take_over("last", stays=True) == "last"
    assert Slots({"free": 9}).take_over("last", stays=True) == "free"


def test_slots_without_a_worker_are_false() -> None:
    assert not Slots({})
    assert Slots({"full": 0})


def free() -> dict[str, int]:
    with reading() as session:
        return dict(capacity.slots(session)._free)


@pytest.mark.usefixtures("configured")
def test_slots_are_those_of_live_workers_without_their_active_reachable_runs() -> None:
    with writing() as session:
        capacity.announce(session, "a", 3)
        capacity.announce(session, "b", 2)
        session.add(
            WorkerSeen(name="dead", capacity=9, seen_at=moment(-SILENCE - timedelta(seconds=1)))
        )
        session.add(WorkerSeen(name="ahead", capacity=9, seen_at=moment(timedelta(hours=1))))
        run_id = seed_run(session)[0].id
    assert free() == {"a": 3, "b": 2}
    for state, away, expected in (
        ("queued", None, 3),
        ("preparing", None, 2),
        ("running", None, 2),
        ("running", moment(), 3),
        ("finishing", None, 2),
        ("done", None, 3),
    ):
        with writing() as session:
            run = session.get_one(Run, run_id)
            run.worker, run.state, run.unreachable_since = "a", state, away
        assert free() == {"a": expected, "b": 2}, (state, away)
    with writing() as session:
        capacity.withdraw(session, "b")
    assert free() == {"a": 3}

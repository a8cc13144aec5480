"""Results are stored, chunks merged, campaigns removed and schedules fired in the background."""

import threading
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from assay.runs import stored_results
from assay.runs.campaigns.deletion import UNDO
from assay.tables.campaigns import Campaign
from assay.tables.clock import moment
from assay.tables.database import reading, writing
from assay.tables.runs import Participant, Result, Run, StoredFigure
from assay.tables.schedules import Schedule
from assay_worker import background, upkeep
from sqlalchemy import delete, select
from testing.installation import Installation, wait_until
from testing.seeds import seed_ended_run


@pytest.fixture
def at_work(installation: Installation, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(upkeep, "IDLE_S", 0.02)
    stop = threading.Event()
    threads = upkeep.start(stop)
    yield
    stop.set()
    for thread in threads:
        thread.join(30)
        assert not thread.is_alive()
    background._failing.clear()


def with_results() -> list[int]:
    with reading() as session:
        return list(session.scalars(select(Result.run_id).order_by(Result.run_id)))


def all_merged() -> bool:
    with reading() as session:
        logs = session.execute(select(Participant.merged, Participant.offset)).all()
    return all(0 < merged == offset for merged, offset in logs)


@pytest.mark.usefixtures("at_work")
def test_an_ended_run_gets_its_result_and_a_merged_log() -> None:
    with writing() as session:
        run_id = seed_ended_run(session).id
    wait_until(lambda: with_results() == [run_id])
    wait_until(all_merged)
    assert background.problem() is None


@pytest.mark.usefixtures("at_work")
def test_a_run_that_cannot_be_evaluated_is_reported_and_blocks_no_other() -> None:
    with writing() as session:
        broken, other = seed_ended_run(session), seed_ended_run(session)
        broken.kind = "unknown"
    wait_until(lambda: with_results() == [other.id])
    wait_until(all_merged)
    wait_until(lambda: background.problem() == "storing results: KeyError: 'unknown'")
    with writing() as session:
        session.get_one(Run, broken.id).kind = "matrix"
    wait_until(lambda: with_results() == [broken.id, other.id])
    wait_until(lambda: background.problem() is None)


@pytest.mark.usefixtures("at_work")
def test_a_stored_result_without_figures_gets_them_beside_a_run_that_cannot_be_evaluated() -> None:
    with writing() as session:
        run, broken = seed_ended_run(session), seed_ended_run(session)
        stored_results.store(session, run)
        session.execute(delete(StoredFigure))
        run.figures_rules, broken.kind = None, "unknown"

    def with_figures() -> list[int]:
        with reading() as session:
            return list(session.scalars(select(StoredFigure.run_id).distinct()))

    wait_until(lambda: with_figures() == [run.id])


@pytest.mark.usefixtures("at_work")
def test_a_campaign_is_removed_a_minute_after_its_deletion() -> None:
    with writing() as session:
        old, new = seed_ended_run(session), seed_ended_run(session)
        session.get_one(Campaign, old.campaign_id).deleted_at = moment(-UNDO)
        session.get_one(Campaign, new.campaign_id).deleted_at = moment()

    def stored() -> list[int]:
        with reading() as session:
            return list(session.scalars(select(Campaign.id)))

    wait_until(lambda: stored() == [new.campaign_id])
    wait_until(lambda: with_results() == [new.id])
    assert background.problem() is None


def _due(name: str, **fields: Any) -> Schedule:
    """Return a schedule that was due a minute ago; its plan has no profile."""
    return Schedule(
        **({"name": name, "cron": "0 2 * * *", "zone": "UTC", "plan": {}, "grace_s": 0} | fields),
        next_at=moment(-timedelta(seconds=10)),
        planned_at=moment(-timedelta(days=1)),
        created_by="test",
    )


@pytest.mark.usefixtures("at_work")
def test_a_schedule_that_fails_unexpectedly_is_reported_and_blocks_no_other() -> None:
    with writing() as session:
        session.add(_due("broken", zone="Atlantis/Poseidonis"))
        session.flush()
        session.add(_due("other"))

    def planned() -> set[str]:
        with reading() as session:
            ahead = select(Schedule.name).where(Schedule.next_at > moment())
            return set(session.scalars(ahead))

    wait_until(lambda: planned() == {"other"})
    wait_until(lambda: "firing schedules: ZoneInfoNotFoundError" in (background.problem() or ""))
    with writing() as session:
        session.scalars(select(Schedule).where(Schedule.name == "broken")).one().zone = "UTC"
    wait_until(lambda: planned() == {"broken", "other"})
    wait_until(lambda: background.problem() is None)

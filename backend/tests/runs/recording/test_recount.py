"""Counting the records in a receiver's file again: after its trial, and after its probe died."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from assay.runs.gaps import RECORDS_LEFT
from assay.runs.recording.events import BrokenEventError
from assay.runs.recording.ingest import ingest
from assay.tables.runs import Attempt, Notice, Participant, Trial
from sqlalchemy import Engine, select
from sqlalchemy.orm import Session
from testing.seeds import seed_run

SPOOL = Path(__file__).parents[4] / "worker/probe/contract/good/records-left.ndjson"
LINES = SPOOL.read_bytes().splitlines(keepends=True)


def events(kind: str) -> list[dict[str, Any]]:
    return [one for one in map(json.loads, LINES) if one["ev"] == kind]


@pytest.fixture
def session(database: Engine) -> Iterator[Session]:
    with Session(database) as session, session.begin():
        yield session


@pytest.fixture
def receiver(session: Session) -> Participant:
    """A participant whose only trial is at position 0."""
    run, participant, (trial, *others) = seed_run(session)
    for other in others:
        session.delete(other)
    trial.position = 0
    run.kind = "records"
    session.flush()
    return participant


def stored(session: Session, receiver: Participant, at_once: bool) -> None:
    """Store the spool in one batch, or line by line."""
    start = 0
    for data in [b"".join(LINES)] if at_once else LINES:
        assert ingest(session, receiver.id, 1, start, data).consumed == len(data)
        start += len(data)


@pytest.mark.parametrize("at_once", [True, False])
def test_the_count_completes_the_result_of_its_trial(
    session: Session, receiver: Participant, at_once: bool
) -> None:
    stored(session, receiver, at_once)
    first, second = session.scalars(select(Attempt).order_by(Attempt.number)).all()
    assert (first.status, first.result) == ("interrupted", None)
    assert second.result is not None
    (own,) = (one for one in events("recount") if not one["left"])
    assert second.result["recount"]["senders"] == own["senders"]
    assert second.result["recount"]["whole"]


@pytest.mark.parametrize("at_once", [True, False])
def test_what_a_dead_probe_left_is_a_notice_that_names_its_attempt(
    session: Session, receiver: Participant, at_once: bool
) -> None:
    stored(session, receiver, at_once)
    (notice,) = session.scalars(select(Notice).where(Notice.code == RECORDS_LEFT)).all()
    (left,) = (one for one in events("recount") if one["left"])
    trial_id = session.scalars(select(Trial.id)).one()
    assert (notice.level, notice.detail["trial"]) == ("warning", trial_id)
    assert (notice.detail["attempt"], notice.detail["senders"]) == (1, left["senders"])
    assert "3000 intact" in notice.message


@pytest.mark.parametrize("at_once", [True, False])
def test_records_are_counted_once_for_each_result(
    session: Session, receiver: Participant, at_once: bool
) -> None:
    place = next(
        n for n, line in enumerate(LINES) if b'"recount"' in line and b'"left":false' in line
    )
    again = json.loads(LINES[place]) | {"seq": json.loads(LINES[place])["seq"] + 1}
    lines = [*LINES[: place + 1], json.dumps(again).encode() + b"\n"]
    with pytest.raises(BrokenEventError, match="counted already"):
        start = 0
        for data in [b"".join(lines), lines[-1]] if at_once else lines:
            start += ingest(session, receiver.id, 1, start, data).consumed

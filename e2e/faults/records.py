"""Whether a record is complete: nothing measured twice at once, lost or duplicated."""

import json
from collections import defaultdict
from typing import Any

from assay.analysis.statuses import COUNTED
from assay.runs.samples import stored
from assay.runs.samples.columns import NAMES
from assay.runs.samples.raw import raw_log
from assay.tables.runs import Attempt, Participant, Reservation, Run, Trial
from sqlalchemy import select
from sqlalchemy.orm import Session

BYTES = NAMES.index("bytes")

FINISHED = (*COUNTED, "failed")
"""Statuses of an attempt after which its trial is not repeated."""


def check(session: Session, run_id: int) -> None:
    """Compare a run's rows with its raw record; raises AssertionError."""
    for participant in session.scalars(select(Participant).where(Participant.run_id == run_id)):
        _check_participant(session, participant)
    _check_attempts(session, run_id)
    held = session.scalars(select(Reservation).where(Reservation.run_id == run_id)).all()
    assert held == [], "its host is still reserved"


def _check_participant(session: Session, participant: Participant) -> None:
    log = b""
    for start, data in raw_log(session, participant.id):
        assert start == len(log), "the raw record has a gap"
        log += data
    assert len(log) == participant.offset
    events = [json.loads(line) for line in log.splitlines()]
    assert [event["seq"] for event in events] == list(range(len(events)))
    _check_times(events)
    _check_samples(session, participant, events)


def _check_times(events: list[dict[str, Any]]) -> None:
    """Check that attempts and segments do not overlap, by the host's monotonic clock."""
    last = began = 0
    for event in events:
        if event["ev"] == "hello":
            began = event["mono_ns"] - event["t"]
        assert began + event["t"] >= last, (
            f"event {event['seq']} is measured in parallel with another"
        )
        last = began + event["t"]
    under_way = None
    for event in events:
        match event["ev"]:
            case "hello" | "end":
                under_way = None
            case "trial":
                assert under_way is None, "a trial begins in another"
                under_way = event["trial"], event["attempt"]
            case "result":
                assert under_way == (event["trial"], event["attempt"])
                under_way = None


def _check_samples(
    session: Session, participant: Participant, events: list[dict[str, Any]]
) -> None:
    """Check that each sample is stored once, and that an attempt's samples add up to its result."""
    told: defaultdict[tuple[int, int], list[list[int | None]]] = defaultdict(list)
    for event in events:
        if event["ev"] == "sample":
            told[event["trial"], event["attempt"]].append(event["s"])
    results = {(e["trial"], e["attempt"]): e["bytes"] for e in events if e["ev"] == "result"}
    for attempt, position in session.execute(
        select(Attempt, Trial.position)
        .join(Trial, Trial.id == Attempt.trial_id)
        .where(Attempt.participant_id == participant.id)
    ):
        key = position, attempt.number
        assert [list(row.values()) for row in stored.rows(session, attempt)] == told[key]
        assert attempt.bytes == sum(values[BYTES] or 0 for values in told[key])
        assert attempt.bytes == results.get(key, attempt.bytes)


def _check_attempts(session: Session, run_id: int) -> None:
    """Check that a trial was finished at most once, or in a done run exactly once.

    An attempt is finished when it is at every participant that began it: an end of a transfer may
    complete one in which the other end was suspended or starved, and both then repeat it. One end
    may not have begun an attempt that the other one gave up, and none repeats a trial that failed.
    """
    run = session.get_one(Run, run_id)
    attempts: defaultdict[int, defaultdict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    for trial, number, status in session.execute(
        select(Trial.id, Attempt.number, Attempt.status)
        .join(Trial, Trial.id == Attempt.trial_id)
        .where(Trial.run_id == run_id)
    ):
        assert status != "running"
        attempts[trial][number].append(status)
    for trial, numbers in attempts.items():
        assert set(numbers) == set(range(1, len(numbers) + 1)), numbers
        statuses = list(numbers.values())
        finished = sum(all(one in FINISHED for one in each) for each in statuses)
        assert finished <= 1, f"trial {trial} was measured twice: {dict(numbers)}"
        if run.state == "done":
            assert finished or any("failed" in each for each in statuses), dict(numbers)
    if run.state == "done":
        assert len(attempts) == run.trials_total

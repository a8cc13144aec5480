"""Whether a record is complete: nothing measured twice at once, lost or duplicated."""

import json
from collections import defaultdict
from typing import Any

from assay.analysis.statuses import COUNTED
from assay.runs.models import Attempt, Participant, Reservation, Run, Trial
from assay.samples import stored
from assay.samples.columns import NAMES
from assay.samples.raw import raw_log
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
    """Check that each participant finished a trial at most once, or in a done run exactly once.

    One end of a transfer may not have begun an attempt that the other one gave up, and does not
    repeat a trial that failed at the other one.
    """
    run = session.get_one(Run, run_id)
    numbers: defaultdict[int, set[int]] = defaultdict(set)
    finished: defaultdict[tuple[int, int], int] = defaultdict(int)
    failed: set[int] = set()
    for participant, trial, number, status in session.execute(
        select(Attempt.participant_id, Trial.id, Attempt.number, Attempt.status)
        .join(Trial, Trial.id == Attempt.trial_id)
        .where(Trial.run_id == run_id)
    ):
        assert status != "running"
        numbers[trial].add(number)
        finished[participant, trial] += status in FINISHED
        if status == "failed":
            failed.add(trial)
    assert all(found == set(range(1, len(found) + 1)) for found in numbers.values()), numbers
    assert set(finished.values()) <= {0, 1}, "a trial was measured twice"
    if run.state == "done":
        assert len(numbers) == run.trials_total
        assert {trial for (_, trial), times in finished.items() if not times} <= failed

"""A result whose files are read back after it: an event of its own, however late, completes it."""

import json
from pathlib import Path

import pytest
from assay.recording.events import BrokenEventError
from assay.recording.ingest import ingest
from assay.runs.models import Attempt, Participant, Trial
from sqlalchemy import Engine, select
from sqlalchemy.orm import Session
from testing.seeds import seed_run

GOOD = Path(__file__).resolve().parents[3] / "worker/probe/contract/good"
SPOOL = (GOOD / "sustained.ndjson").read_bytes()
BEFORE = SPOOL.index(b"\n", SPOOL.index(b'"ev":"result"')) + 1
"""The spool up to the first result."""


def participant_of(session: Session) -> Participant:
    run, participant, trials = seed_run(session)
    for position in range(1, SPOOL.count(b'"ev":"trial"')):
        trial = Trial(run_id=run.id, position=position, repeat=0)
        trial.cell, trial.parameters = trials[0].cell, trials[0].parameters
        session.add(trial)
    session.flush()
    return participant


def first_result(session: Session) -> dict[str, object]:
    attempt = session.scalars(select(Attempt).order_by(Attempt.id).limit(1)).one()
    assert attempt.status == "complete"
    assert attempt.result
    return attempt.result["detail"]["read_back"] | {"wrong": attempt.result["verify_errors"]}


def with_errors(line: bytes) -> bytes:
    """Return a read-back with three wrong sectors."""
    event = json.loads(line)
    assert event["ev"] == "readback"
    changed = event | {"errors": 3, "first_offset_bytes": 512, "first_stream": 0}
    return json.dumps(changed, separators=(",", ":")).encode() + b"\n"


@pytest.mark.parametrize("cut", [BEFORE, 0], ids=["later batch", "same batch"])
def test_a_read_back_completes_the_result(database: Engine, cut: int) -> None:
    end = SPOOL.index(b"\n", SPOOL.index(b'"ev":"readback"')) + 1
    begin = SPOOL.rindex(b"\n", 0, end - 1) + 1
    spool = SPOOL[:begin] + with_errors(SPOOL[begin:end]) + SPOOL[end:]
    with Session(database) as session, session.begin():
        participant = participant_of(session)
        for start, data in ((0, spool[:cut]), (cut, spool[cut:])):
            ingest(session, participant.id, 1, start, data)
        found = first_result(session)
        assert (found["whole"], found["bytes"], found["errors"]) == (True, 16 << 20, 3)
        assert found["wrong"] == 3
        assert participant.offset == len(spool)


def test_a_result_alone_says_that_nothing_was_verified(database: Engine) -> None:
    with Session(database) as session, session.begin():
        ingest(session, participant_of(session).id, 1, 0, SPOOL[:BEFORE])
        found = first_result(session)
        assert (found["whole"], found["bytes"], found["error"]) == (False, 0, None)


@pytest.mark.parametrize("position", [0, 1], ids=["verified before", "not to be read back"])
def test_an_unexpected_read_back_is_rejected(database: Engine, position: int) -> None:
    *lines, _end = SPOOL.splitlines(keepends=True)
    [line] = [line for line in lines if b'"ev":"readback"' in line]
    again = json.loads(line) | {"seq": len(lines), "trial": position}
    text = json.dumps(again, separators=(",", ":")).encode() + b"\n"
    with Session(database) as session, session.begin():
        participant = participant_of(session)
        ingest(session, participant.id, 1, 0, b"".join(lines))
        with pytest.raises(BrokenEventError, match="not to be read back, or was"):
            ingest(session, participant.id, 1, participant.offset, text)

"""A result whose files are read back after it: an event of its own, however late, completes it."""

import json
from pathlib import Path

import pytest
from assay.runs.recording.events import BrokenEventError
from assay.runs.recording.ingest import ingest
from assay.tables.runs import Attempt, Notice, Participant, Trial
from sqlalchemy import Engine, select
from sqlalchemy.orm import Session
from testing.seeds import seed_run

GOOD = Path(__file__).resolve().parents[4] / "worker/probe/contract/good"
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


@pytest.mark.parametrize("cut", [True, False], ids=["later batch", "same batch"])
def test_errors_of_the_trials_own_reads_are_kept(database: Engine, cut: bool) -> None:
    """A mixed trial verifies what it reads, before its files are read back."""
    end = SPOOL.index(b"\n", SPOOL.index(b'"ev":"readback"')) + 1
    begin = SPOOL.rindex(b"\n", 0, end - 1) + 1
    before = SPOOL[:BEFORE].replace(b'"verify_errors":0', b'"verify_errors":500')
    spool = before + SPOOL[BEFORE:begin] + with_errors(SPOOL[begin:end]) + SPOOL[end:]
    at = len(before) if cut else 0
    with Session(database) as session, session.begin():
        participant = participant_of(session)
        for start, data in ((0, spool[:at]), (at, spool[at:])):
            ingest(session, participant.id, 1, start, data)
        found = first_result(session)
        assert (found["errors"], found["wrong"]) == (3, 503)


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


def test_a_notice_of_the_read_back_names_its_trial(database: Engine) -> None:
    """It follows the result, so no attempt is in progress: the API still has the trial's id."""
    stored = SPOOL[:BEFORE]
    event = {"v": 2, "seq": stored.count(b"\n"), "t": 1, "ev": "notice", "trial": 0, "attempt": 1}
    event |= {"code": "verification_failed", "message": "wrong data", "corrupt": 3}
    notice = json.dumps(event, separators=(",", ":")).encode() + b"\n"
    with Session(database) as session, session.begin():
        participant = participant_of(session)
        ingest(session, participant.id, 1, 0, stored)
        ingest(session, participant.id, 1, len(stored), notice)
        [found] = session.scalars(select(Notice).where(Notice.code == "verification_failed"))
        trial = session.scalars(select(Trial).where(Trial.position == 0)).one()
        assert found.detail["trial"] == trial.id

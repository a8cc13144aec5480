"""Whatever a host sends as its event log: stored as far as it follows the contract, and no further.

A good log is bent: values replaced, lines dropped, repeated and moved, bytes overwritten; then it
comes in pieces, as a connection brings it. The only error there may be is a BrokenEventError.

    FUZZED_LOGS=1000000 .venv/bin/pytest --timeout=0 backend/tests/security/test_fuzzed_events.py

tries that many random logs; without it they are few, and the same in every run.
"""

import json
import os
import re
from typing import Any

from assay.runs.recording.events import BrokenEventError
from assay.runs.recording.ingest import ingest
from assay.runs.samples.raw import raw_log
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine
from sqlalchemy.orm import Session
from testing.databases import database
from testing.seeds import seed_run
from testing.spools import Spool

__all__ = ["database"]

ASKED = os.environ.get("FUZZED_LOGS")
ODD: list[Any] = [
    *(None, True, -1, 0, 1, 2, 511, 2**31, 2**53, 2**63 - 1, 2**63, 2**64, 10**400, 0.5, 1e308),
    *("", "\x00", "é\u2028", "<script>alert(1)</script>", "\x1b[2J", "x" * 5000, "r1-p1", "io"),
    *([], [[]], [None] * 29, [[1, 1]] * 40, [[2559, 1]], {}, {"v": 2}, "hello", "result", "end"),
]
BYTES = [b"\n", b"\r\n", b"\x00", b"\xff", b"\xed\xa0\x80", b"{", b"}", b'"', b"NaN", b"\\ud800"]

values = st.sampled_from(ODD) | st.integers(-(2**65), 2**65) | st.text(max_size=20)
junk = st.sampled_from(BYTES) | st.binary(max_size=9)
places = st.integers(0, 10**6)
"""Taken modulo what there is."""

bends = st.lists(
    st.tuples(st.just("replace"), places, places, values)
    | st.tuples(st.just("replace inside"), places, places, values)
    | st.tuples(st.sampled_from(["drop", "repeat", "move"]), places, places, st.none())
    | st.tuples(st.just("numbered again"), places, places, st.none())
    | st.tuples(
        st.just("overwrite"), places, places, st.sampled_from(BYTES) | st.binary(max_size=9)
    ),
    min_size=1,
    max_size=6,
)


def bent(lines: list[bytes], how: list[tuple[str, int, int, Any]]) -> bytes:
    """Return the log with all of these changes, one after the other."""
    lines = list(lines)
    for what, at, to, value in how:
        if not lines:
            break
        i = at % len(lines)
        match what:
            case "drop":
                del lines[i]
            case "repeat":
                lines.insert(to % len(lines), lines[i])
            case "move":
                lines.insert(to % len(lines), lines.pop(i))
            case "numbered again":
                lines = [re.sub(rb'"seq":\d+', b'"seq":%d' % n, x) for n, x in enumerate(lines)]
            case "overwrite":
                j = to % len(lines[i])
                lines[i] = lines[i][:j] + value + lines[i][j + len(value) :]
            case _:
                lines[i] = with_value(lines[i], to, value, inside=what == "replace inside")
    return b"".join(lines)


def with_value(line: bytes, to: int, value: Any, *, inside: bool) -> bytes:
    """Return the line with one field's value replaced, or one in a list of the field."""
    try:
        event = json.loads(line)
    except ValueError:
        return line
    if not isinstance(event, dict) or not event:
        return line
    name = sorted(event)[to % len(event)]
    held = event.get("s") or event.get("hist")
    if inside and held and isinstance(held, list):
        held[to % len(held)] = value
    else:
        event[name] = value
    return json.dumps(event, separators=(",", ":")).encode() + b"\n"


@settings(
    max_examples=int(ASKED or 100),
    derandomize=ASKED is None,
    database=None,
    phases=[Phase.generate],  # a log of one run cannot be made smaller than it takes to read
    suppress_health_check=list(HealthCheck),
)
@given(how=bends, sizes=st.lists(st.integers(200, 9000), min_size=1, max_size=8))
def test_a_corrupt_log_is_stored_up_to_the_first_error(
    database: Engine, how: list[tuple[str, int, int, Any]], sizes: list[int]
) -> None:
    with Session(database) as session:
        _, participant, trials = seed_run(session, repeats=2)
        one, two = (trial.position for trial in trials)
        spool = Spool().hello().whole_trial(one).trial(two).sample(two)
        spool.add("notice", code="sync_bounded", message="m", trial=two, bytes=5)
        spool.add("error", code="io", message="why", errno="EIO", trial=two)
        spool.result(two, status="failed", reason="io", ops=0).end("stopped")
        spool.hello(segment=2).whole_trial(two, attempt=2).end()
        data = bent(spool.lines, how)
        deliver(session, participant.id, data, sizes)
        stored = b"".join(part for _, part in raw_log(session, participant.id))
        session.refresh(participant)
        assert participant.offset == len(stored)
        assert data.startswith(stored)
        session.rollback()


def deliver(session: Session, participant_id: int, data: bytes, sizes: list[int]) -> None:
    """Store it piece by piece, until all is stored or the log is found broken."""
    start, waiting, number = 0, b"", 0
    while data:
        size = sizes[number % len(sizes)]
        waiting, data, number = waiting + data[:size], data[size:], number + 1
        try:
            while done := ingest(session, participant_id, 1, start, waiting).consumed:
                start, waiting = start + done, waiting[done:]
        except BrokenEventError as error:
            assert str(start) in str(error)
            return

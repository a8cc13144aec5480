"""Storing what batches of events add: attempts, results, raw lines, offsets and notices.

Then they are sealed: what their attempts have pending becomes blocks of samples, marks and links.
"""

import zlib
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from sqlalchemy import bindparam, func, insert, select, update
from sqlalchemy.orm import Session

from assay.runs import lifecycle
from assay.runs.attempts import INTERRUPTED, RUNNING, over
from assay.runs.changes import runs_changed
from assay.runs.recording.increment import Increment
from assay.runs.recording.read_back import recounted, verified
from assay.runs.recording.result_event import ResultEvent
from assay.runs.recording.spool_state import OpenAttempt
from assay.runs.samples import blocks, links, marks, raw
from assay.tables.bulk import insert_rows, update_rows
from assay.tables.database import among
from assay.tables.runs import Attempt, Notice, Participant, RawChunk, Run, Trial
from assay.tables.samples import BLOCK_SAMPLES, LinkBlock, MarkBlock, SampleBlock


def seal(session: Session, increments: Sequence[Increment]) -> None:
    """Store full blocks of samples with what precedes their end, and the last of ended attempts.

    An attempt has one offset of its first event outside a block, for samples, marks and links.
    """
    due = [
        (one, attempt)
        for one in increments
        for attempt in one.attempts
        if attempt.unsealed >= BLOCK_SAMPLES
        or (
            attempt.status != RUNNING
            and (attempt.unsealed or attempt.unsealed_marks or one.transfers)
        )
    ]
    earlier = raw.unsealed(
        session, [attempt.id for _, attempt in due if attempt.unsealed > len(attempt.fresh)]
    )
    earlier_marks = raw.unsealed_marks(
        session,
        [attempt.id for _, attempt in due if attempt.unsealed_marks > len(attempt.fresh_marks)],
    )
    earlier_links = raw.unsealed_links(
        session, [attempt.id for one, attempt in due if one.transfers]
    )
    sealed: list[dict[str, Any]] = []
    sealed_links: list[dict[str, Any]] = []
    sealed_marks: list[dict[str, Any]] = []
    for one, attempt in due:
        run_id, ended = one.spool.run_id, attempt.status != RUNNING
        pending = earlier.get(attempt.id, []) + attempt.fresh
        rows = [values for _, values in pending]
        made = blocks.seal(run_id, attempt.id, attempt.sealed, rows, ended=ended)
        count = sum(block["count"] for block in made)
        attempt.sealed += count
        past = one.spool.offset + one.length
        attempt.unsealed_from = pending[count][0] if count < len(pending) else past
        pending_marks = earlier_marks.get(attempt.id, []) + attempt.fresh_marks
        before = [values for byte, values in pending_marks if byte < attempt.unsealed_from]
        if before:
            sealed_marks.append(marks.block(run_id, attempt.id, attempt.marks_sealed, before))
            attempt.marks_sealed += len(before)
        pending_links = earlier_links.get(attempt.id, []) + attempt.fresh_links
        linked = [row for byte, row in pending_links if byte < attempt.unsealed_from]
        if linked:
            sealed_links.append(links.block(run_id, attempt.id, linked))
        sealed += made
    if sealed:
        session.execute(insert(SampleBlock), sealed)
    if sealed_marks:
        session.execute(insert(MarkBlock), sealed_marks)
    if sealed_links:
        session.execute(insert(LinkBlock), sealed_links)
    if due:
        update_rows(
            session,
            Attempt.__table__,
            ("id", "sealed", "unsealed_from", "marks_sealed"),
            [(a.id, a.sealed, a.unsealed_from, a.marks_sealed) for _, a in due],
        )


CHUNK_LEVEL = 1
"""Level of zlib until chunks are merged: level 6 does not compress a single line better."""

STATEMENT_BYTES = 512 * 1024
"""Maximum bytes of lines in one statement, unless one batch has more: each connection to PostgreSQL
keeps a buffer for the largest statement that it has sent."""


def store(session: Session, increments: Sequence[Increment]) -> None:
    """Store increments of different participants, whose runs are locked; expires the session."""
    _store_attempts(session, increments)
    _store_logs(session, increments)
    notices = [
        {"run_id": one.spool.run_id, "participant_id": one.spool.participant_id, **vars(notice)}
        for one in increments
        for notice in one.notices
    ]
    if notices:
        session.execute(insert(Notice), notices)
    _count_trials(session, {one.spool.run_id for one in increments if one.results})
    _enter_running(session, {one.spool.run_id for one in increments if one.received_hello})
    runs_changed(session, {one.spool.run_id: one.spool.campaign_id for one in increments})
    session.expire_all()


def _store_attempts(session: Session, increments: Sequence[Increment]) -> None:
    """Store new attempts, full blocks of samples, sums and results."""
    of = [(one.spool.participant_id, attempt) for one in increments for attempt in one.attempts]
    _insert(session, [(participant, attempt) for participant, attempt in of if not attempt.id])
    seal(session, increments)
    marked = [(a.id, a.mark_count, a.marked_bytes) for _, a in of if a.fresh_marks]
    if marked:
        update_rows(session, Attempt.__table__, ("id", "mark_count", "marked_bytes"), marked)
    grown = [attempt for _, attempt in of if attempt.fresh]
    update_rows(
        session,
        Attempt.__table__,
        ("id", "sample_count", "bytes", "ops", "read_ops", "lat_max_ns"),
        [
            (one.id, one.sample_count, one.bytes, one.ops, one.read_ops, one.lat_max_ns)
            for one in grown
        ],
    )
    paused = [(attempt.id, attempt.host_paused_ns) for _, attempt in of if attempt.host_paused_ns]
    if paused:
        update_rows(session, Attempt.__table__, ("id", "host_paused_ns"), paused)
    _store_results(session, [attempt for _, attempt in of])
    for one in increments:
        for attempt_id, result in one.read_backs.items():
            session.execute(update(Attempt).where(Attempt.id == attempt_id).values(result=result))
    interrupted = [attempt.id for _, attempt in of if attempt.status == INTERRUPTED]
    if interrupted:
        session.execute(
            update(Attempt)
            .where(among(session, Attempt.id, interrupted))
            .values(status=INTERRUPTED)
        )


def _insert(session: Session, begun: Sequence[tuple[int, OpenAttempt]]) -> None:
    if not begun:
        return
    ids = session.execute(
        insert(Attempt).returning(
            Attempt.participant_id, Attempt.trial_id, Attempt.number, Attempt.id
        ),
        [
            {
                "trial_id": attempt.trial_id,
                "participant_id": participant_id,
                "number": attempt.number,
                "status": RUNNING,
                "started_at": attempt.started_at,
                "total_bytes": attempt.total_bytes,
                "unsealed_from": attempt.unsealed_from,
                "done_bytes": attempt.done_bytes,
                "done_ns": attempt.done_ns,
            }
            for participant_id, attempt in begun
        ],
    )
    id_of = {tuple(key): attempt_id for *key, attempt_id in ids}
    for participant_id, attempt in begun:
        attempt.id = id_of[participant_id, attempt.trial_id, attempt.number]


def _store_results(session: Session, attempts: Sequence[OpenAttempt]) -> None:
    rows = [
        {
            "row_id": attempt.id,
            "ended": attempt.status,
            "why": result.reason,
            "began": attempt.started_at,
            "app": result.app_ns,
            "durable": result.durable_ns if attempt.status == result.status else None,
            "longest": result.lat_max_ns,
            "steps": result.hist,
            "event": _stored(result, attempt),
        }
        for attempt in attempts
        if (result := attempt.result) is not None
    ]
    if rows:
        session.connection().execute(
            update(Attempt)
            .where(Attempt.id == bindparam("row_id"))
            .values(
                status=bindparam("ended"),
                reason=bindparam("why"),
                started_at=bindparam("began"),
                app_ns=bindparam("app"),
                durable_ns=bindparam("durable"),
                lat_max_ns=bindparam("longest"),
                histogram=bindparam("steps"),
                result=bindparam("event"),
            ),
            rows,
        )


def _stored(result: ResultEvent, attempt: OpenAttempt) -> dict[str, Any]:
    event = result.model_dump(mode="json", exclude={"hist", "v", "ev"})
    if attempt.recount:
        event = recounted(event, attempt.recount)
    return verified(event, attempt.read_back) if attempt.read_back else event


def _store_logs(session: Session, increments: Sequence[Increment]) -> None:
    """Store the raw lines and the new offsets."""
    for some in _statements(increments):
        insert_rows(
            session,
            RawChunk.__table__,
            ("run_id", "participant_id", "start", "length", "data"),
            [
                (
                    one.spool.run_id,
                    one.spool.participant_id,
                    one.spool.offset,
                    one.length,
                    zlib.compress(one.lines, CHUNK_LEVEL),
                )
                for one in some
            ],
        )
    update_rows(
        session,
        Participant.__table__,
        ("id", "offset", "next_seq", "current_trial_id", "ready"),
        [
            (
                one.spool.participant_id,
                one.spool.offset + one.length,
                one.spool.next_seq + one.count,
                one.open.trial_id if one.open else None,
                one.open.number if one.open and one.open.ready else None,
            )
            for one in increments
        ],
    )
    _store_listeners(session, increments)
    hellos = [
        {"row_id": one.spool.participant_id, "new_hello": one.hello}
        for one in increments
        if one.new_hello
    ]
    if hellos:
        session.connection().execute(
            update(Participant)
            .where(Participant.id == bindparam("row_id"))
            .values(hello=bindparam("new_hello")),
            hellos,
        )

    read = [
        {"row_id": one.spool.participant_id, "new_conditions": one.conditions}
        for one in increments
        if one.conditions is not one.spool.conditions
    ]
    if read:
        session.connection().execute(
            update(Participant)
            .where(Participant.id == bindparam("row_id"))
            .values(conditions=bindparam("new_conditions")),
            read,
        )


def _store_listeners(session: Session, increments: Sequence[Increment]) -> None:
    """Store where attempts in progress accept connections, as far as it changed."""
    for one in increments:
        now = one.open.listening if one.open else None
        if now != (one.spool.open.listening if one.spool.open else None):
            session.execute(
                update(Participant)
                .where(Participant.id == one.spool.participant_id)
                .values(listening=None if now is None else list(now))
            )


def _statements(increments: Sequence[Increment]) -> Iterator[list[Increment]]:
    """Yield the increments in groups whose lines one statement may insert."""
    some: list[Increment] = []
    size = 0
    for one in increments:
        if some and size + one.length > STATEMENT_BYTES:
            yield some
            some, size = [], 0
        some.append(one)
        size += one.length
    yield some


def _count_trials(session: Session, run_ids: Collection[int]) -> None:
    if not run_ids:
        return
    trials = over(among(session, Trial.run_id, run_ids)).subquery()
    counts = session.execute(select(trials.c.run_id, func.count()).group_by(trials.c.run_id))
    update_rows(session, Run.__table__, ("id", "trials_done"), list(map(tuple[int, int], counts)))


def _enter_running(session: Session, run_ids: Collection[int]) -> None:
    """Move runs whose probe has sent hello to running."""
    if not run_ids:
        return
    preparing = select(Run).where(among(session, Run.id, run_ids), Run.state == lifecycle.PREPARING)
    for run in session.scalars(preparing.execution_options(populate_existing=True)):
        lifecycle.enter(run, lifecycle.RUNNING)
    session.flush()

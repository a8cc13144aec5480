"""Sealing: what the batches' attempts have pending becomes blocks of samples, marks and links."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import insert
from sqlalchemy.orm import Session

from assay.db.bulk import update_rows
from assay.recording.increment import Increment
from assay.runs.attempts import RUNNING
from assay.runs.models import Attempt
from assay.samples import blocks, links, marks, raw
from assay.samples.models import BLOCK_SAMPLES, LinkBlock, MarkBlock, SampleBlock


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

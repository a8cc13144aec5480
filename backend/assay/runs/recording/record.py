"""Rebuilding a run's blocks of samples and marks, and its result, from its raw record."""

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from assay.base.errors import NotFound
from assay.kinds.transfer.links import LinkRow, reduced
from assay.runs.lifecycle import FINAL
from assay.runs.recording import events
from assay.runs.samples import blocks, links, marks
from assay.runs.samples.blocks import SampleRow
from assay.runs.samples.raw import raw_log
from assay.runs.verdicts.stored import store_rebuilt
from assay.tables.campaigns import Campaign
from assay.tables.runs import Attempt, Participant, Result, Run, Trial
from assay.tables.samples import LinkBlock, MarkBlock, SampleBlock


class IncompleteLogError(Exception):
    """A participant's raw log lacks bytes that were read from its host."""

    def __init__(self, participant_id: int, why: str) -> None:
        """Describe what is missing, and that nothing was changed."""
        super().__init__(
            f"The raw log of participant {participant_id} is incomplete: {why}. "
            "Nothing was changed. Restore the database from a backup that has the whole log."
        )


class NotEndedError(Exception):
    """The run has not ended: its log still grows."""

    def __init__(self, run: Run) -> None:
        """Describe what to do."""
        super().__init__(f"Run {run.id} is {run.state}. Wait for its end, or cancel it.")


class RemovedLogError(Exception):
    """The raw log was removed by a retention rule."""

    def __init__(self, run: Run) -> None:
        """Name the time, and what remains."""
        super().__init__(
            f"The raw log of run {run.id} was removed at {run.raw_removed_at:%F %T} UTC by a "
            "retention rule. Its stored result stays as it is; to judge by the present rules, "
            "measure again."
        )


def rebuild(session: Session, run_id: int) -> Result:
    """Rebuild an ended run's blocks from its raw log, and store its result as a new build.

    Earlier results and the verdict are kept. Raises NotFound, NotEndedError, RemovedLogError or
    IncompleteLogError.
    """
    its_campaign = select(Run.campaign_id).where(Run.id == run_id).scalar_subquery()
    session.scalar(select(Campaign.id).where(Campaign.id == its_campaign).with_for_update())
    run = session.get(Run, run_id, with_for_update=True)
    if run is None:
        raise NotFound("run", run_id)
    if run.state not in FINAL:
        raise NotEndedError(run)
    if run.raw_removed_at is not None:
        raise RemovedLogError(run)
    rebuild_blocks(session, run_id)
    run.samples_removed_at = None
    session.flush()
    session.expire_all()
    return store_rebuilt(session, run)


def rebuild_blocks(session: Session, run_id: int) -> int:
    """Replace the blocks of a run from its raw log; return the number of samples.

    Raises IncompleteLogError before anything is changed.
    """
    session.get_one(Run, run_id, with_for_update=True)
    participants = session.scalars(
        select(Participant).where(Participant.run_id == run_id).order_by(Participant.position)
    ).all()
    samples: dict[int, list[SampleRow]] = {}
    marked: dict[int, list[SampleRow]] = {}
    linked: dict[int, list[LinkRow]] = {}
    for participant in participants:
        of_samples, of_marks, of_links = _events(session, participant)
        samples |= of_samples
        marked |= of_marks
        linked |= of_links
    session.execute(delete(SampleBlock).where(SampleBlock.run_id == run_id))
    session.execute(delete(MarkBlock).where(MarkBlock.run_id == run_id))
    session.execute(delete(LinkBlock).where(LinkBlock.run_id == run_id))
    session.add_all(
        LinkBlock(**links.block(run_id, attempt_id, rows))
        for attempt_id, rows in linked.items()
        if rows
    )
    for attempt_id, rows in samples.items():
        session.add_all(
            SampleBlock(**block) for block in blocks.seal(run_id, attempt_id, 0, rows, ended=True)
        )
        session.execute(update(Attempt).where(Attempt.id == attempt_id).values(sealed=len(rows)))
    for attempt_id, rows in marked.items():
        if rows:
            session.add(MarkBlock(**marks.block(run_id, attempt_id, 0, rows)))
        sealed = update(Attempt).where(Attempt.id == attempt_id)
        session.execute(sealed.values(marks_sealed=len(rows)))
    session.flush()
    return sum(map(len, samples.values()))


Rows = dict[int, list[SampleRow]]
"""Samples or marks by the attempt's id."""


def _events(
    session: Session, participant: Participant
) -> tuple[Rows, Rows, dict[int, list[LinkRow]]]:
    """Return the samples, the marks and the links of each attempt in the whole log."""
    attempts = {
        (position, attempt.number): attempt
        for position, attempt in session.execute(
            select(Trial.position, Attempt)
            .join(Attempt, Attempt.trial_id == Trial.id)
            .where(Attempt.participant_id == participant.id)
        )
    }
    found: Rows = {attempt.id: [] for attempt in attempts.values()}
    marked: Rows = {attempt.id: [] for attempt in attempts.values()}
    linked: dict[int, list[LinkRow]] = {attempt.id: [] for attempt in attempts.values()}
    past = next_seq = 0
    for start, data in raw_log(session, participant.id):
        if start != past:
            raise IncompleteLogError(participant.id, f"bytes {past} to {start - 1} are missing")
        past = start + len(data)
        for event, _ in events.read(data, start, next_seq):
            next_seq = event.seq + 1
            if isinstance(event, events.SampleEvent):
                found[attempts[event.trial, event.attempt].id].append(event.s)
            elif isinstance(event, events.MarkEvent):
                marked[attempts[event.trial, event.attempt].id].append(event.m)
            elif isinstance(event, events.LinkEvent):
                row = reduced(event.model_dump())
                linked[attempts[event.trial, event.attempt].id].append(row)
    if past != participant.offset:
        raise IncompleteLogError(participant.id, f"it ends at byte {past} of {participant.offset}")
    for attempt in attempts.values():
        counts = (
            ("samples", len(found[attempt.id]), attempt.sample_count),
            ("marks", len(marked[attempt.id]), attempt.mark_count),
        )
        for what, count, expected in counts:
            if count != expected:
                raise IncompleteLogError(
                    participant.id,
                    f"attempt {attempt.number} of trial {attempt.trial_id} has "
                    f"{count} {what} of {expected}",
                )
    return found, marked, linked

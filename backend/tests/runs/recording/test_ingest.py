import pytest
from assay.runs.queries import summaries
from assay.runs.recording.events import BrokenEventError
from assay.runs.recording.ingest import SpoolGapError, ingest
from assay.runs.recording.record import IncompleteLogError, rebuild_blocks
from assay.runs.samples import stored
from assay.runs.samples.raw import raw_log
from assay.tables.ownership import StaleGenerationError
from assay.tables.runs import Attempt, Notice, Participant, RawChunk, Run
from assay.tables.samples import SampleBlock
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine, delete, func, select, update
from sqlalchemy.orm import Session
from testing.seeds import seed_run
from testing.spools import Spool


def everything(session: Session) -> dict[str, list[tuple[object, ...]]]:
    """Return the stored samples and attempts, with attempts numbered from 0."""
    attempts = session.scalars(select(Attempt).order_by(Attempt.id)).all()
    return {
        "samples": [
            tuple(sample.values()) for one in attempts for sample in stored.rows(session, one)
        ],
        "blocks": blocks(session),
        "attempts": [
            (a.trial_id, a.number, a.status, a.bytes, a.ops, a.sample_count, a.lat_max_ns)
            for a in attempts
        ],
        "participants": [(p.offset, p.next_seq) for p in session.scalars(select(Participant))],
    }


def blocks(session: Session) -> list[tuple[object, ...]]:
    """Return the stored blocks, with attempts by their index."""
    attempts = session.scalars(select(Attempt.id).order_by(Attempt.id)).all()
    found = session.scalars(select(SampleBlock).order_by(SampleBlock.attempt_id, SampleBlock.first))
    return [
        (attempts.index(b.attempt_id), b.first, b.count, b.begin_ns, b.end_ns, b.samples, b.rollups)
        for b in found
    ]


def full_spool(trials: list[int]) -> Spool:
    spool = Spool().hello()
    for trial in trials:
        spool.whole_trial(trial, samples=5)
    return spool.end()


def test_a_whole_spool_becomes_attempts_samples_and_a_raw_record(database: Engine) -> None:
    with Session(database) as session, session.begin():
        run, participant, trials = seed_run(session, repeats=2)
        spool = full_spool([trial.position for trial in trials])
        done = ingest(session, participant.id, 1, 0, spool.data)
        assert done.consumed == len(spool.data) == participant.offset == done.offset
        assert done.end is not None and done.end.status == "done"
        assert (done.samples, done.measuring, done.changed) == (10, False, True)
        assert run.trials_done == 2
        assert [a.status for a in session.scalars(select(Attempt))] == ["complete"] * 2
        assert session.scalars(select(Run.revision)).one() == 2
        assert b"".join(data for _, data in raw_log(session, participant.id)) == spool.data
        assert not session.scalars(select(Notice)).all()
        assert participant.current_trial_id is None


@settings(deadline=None, max_examples=15, suppress_health_check=list(HealthCheck))
@given(cuts=st.lists(st.tuples(st.floats(0, 1), st.integers(0, 400)), max_size=25))
def test_any_split_and_repetition_of_the_spool_is_stored_once(
    database: Engine, cuts: list[tuple[float, int]]
) -> None:
    with Session(database) as session, session.begin():
        _, participant, trials = seed_run(session)
        spool = Spool().hello().whole_trial(trials[0].position, samples=5)
        spool.trial(trials[0].position, 2)
        for number in range(123):
            spool.sample(trials[0].position, 2, dt_ns=1000, bytes=number, ops=1, lat_max_ns=number)
        spool.result(trials[0].position, 2, bytes=sum(range(123)), ops=123, lat_max_ns=122).end()
        data = spool.data
        with session.begin_nested() as at_once:
            ingest(session, participant.id, 1, 0, data)
            expected = everything(session)
            at_once.rollback()
        for fraction, back in cuts:
            session.refresh(participant)
            start = max(0, participant.offset - back)
            ingest(session, participant.id, 1, start, data[start : int(fraction * len(data))])
        session.refresh(participant)
        ingest(session, participant.id, 1, participant.offset, data[participant.offset :])
        assert everything(session) == expected
        session.rollback()


def test_a_repeated_batch_changes_nothing(database: Engine) -> None:
    with Session(database) as session, session.begin():
        _, participant, trials = seed_run(session)
        data = full_spool([trials[0].position]).data
        ingest(session, participant.id, 1, 0, data)
        before = everything(session)
        done = ingest(session, participant.id, 1, 0, data)
        assert not done.changed and done.samples == 0 and done.offset == len(data)
        assert everything(session) == before
        assert session.scalars(select(Run.revision)).one() == 2


def test_samples_rebuilt_from_raw_chunks_are_equal(database: Engine) -> None:
    with Session(database) as session, session.begin():
        _, participant, trials = seed_run(session, repeats=3)
        data = full_spool([trial.position for trial in trials]).data
        for start in range(0, len(data), 700):
            offset = participant.offset
            ingest(session, participant.id, 1, offset, data[offset : start + 700])
        ingest(session, participant.id, 1, participant.offset, data[participant.offset :])
        assert session.scalars(select(func.count()).select_from(RawChunk)).one() > 3
        before = everything(session)
        session.execute(update(SampleBlock).values(samples=b"", rollups=b""))
        assert rebuild_blocks(session, participant.run_id) == 15
        session.expire_all()
        assert everything(session) == before


@pytest.mark.parametrize("missing", ["first", "last"])
def test_an_incomplete_log_is_not_rebuilt(database: Engine, missing: str) -> None:
    with Session(database) as session, session.begin():
        _, participant, trials = seed_run(session)
        data = full_spool([trials[0].position]).data
        for end in (data.index(b"\n", 2500) + 1, len(data)):
            ingest(session, participant.id, 1, participant.offset, data[participant.offset : end])
        starts = session.scalars(select(RawChunk.start).order_by(RawChunk.start)).all()
        gone = starts[0] if missing == "first" else starts[-1]
        session.execute(delete(RawChunk).where(RawChunk.start == gone))
        before = blocks(session)
        with pytest.raises(IncompleteLogError, match=f"participant {participant.id} is incomplete"):
            rebuild_blocks(session, participant.run_id)
        assert blocks(session) == before


@pytest.mark.parametrize("size", [700, 40_000])
def test_a_block_is_sealed_when_it_is_full_or_its_attempt_ends(database: Engine, size: int) -> None:
    with Session(database) as session, session.begin():
        _, participant, trials = seed_run(session)
        spool = Spool().hello().trial(trials[0].position)
        for number in range(2300):
            spool.sample(trials[0].position, end_ns=number + 1, bytes=number, ops=1)
        open_end = len(spool.data)
        spool.result(trials[0].position, ops=2300, bytes=sum(range(2300)))
        data = spool.data
        for end in [*range(size, open_end, size), open_end]:
            ingest(session, participant.id, 1, participant.offset, data[participant.offset : end])
        attempt = session.scalars(select(Attempt)).one()
        assert (attempt.sealed, attempt.sample_count) == (2000, 2300)
        shown = [row["bytes"] for row in stored.rows(session, attempt)]
        assert shown == list(range(2300))
        assert [b[1:5] for b in blocks(session)] == [(0, 1000, 0, 1000), (1000, 1000, 1000, 2000)]
        ingest(session, participant.id, 1, open_end, data[open_end:])
        session.refresh(attempt)
        assert attempt.sealed == 2300
        assert [row["bytes"] for row in stored.rows(session, attempt)] == shown
        assert [b[2] for b in blocks(session)] == [1000, 1000, 300]


def test_a_worker_that_lost_its_ownership_cannot_write(database: Engine) -> None:
    with Session(database) as session, session.begin():
        _, participant, trials = seed_run(session)
        with pytest.raises(StaleGenerationError):
            ingest(session, participant.id, 0, 0, full_spool([trials[0].position]).data)
        assert session.scalars(select(func.count()).select_from(RawChunk)).one() == 0


def test_a_batch_past_the_offset_is_rejected(database: Engine) -> None:
    with Session(database) as session, session.begin():
        _, participant, _ = seed_run(session)
        with pytest.raises(SpoolGapError):
            ingest(session, participant.id, 1, 10, b"\n")


def test_a_new_segment_interrupts_the_current_attempt_and_keeps_its_samples(
    database: Engine,
) -> None:
    with Session(database) as session, session.begin():
        run, participant, trials = seed_run(session)
        trial = trials[0].position
        spool = Spool().hello().trial(trial).sample(trial, dt_ns=10, bytes=5, ops=1)
        ingest(session, participant.id, 1, 0, spool.data)
        assert participant.current_trial_id == trials[0].id
        begun = len(spool.data)
        spool.hello(segment=2).whole_trial(trial, attempt=2).end()
        ingest(session, participant.id, 1, begun, spool.data[begun:])
        attempts = session.scalars(select(Attempt).order_by(Attempt.number)).all()
        assert [(a.status, a.bytes, a.sample_count) for a in attempts] == [
            ("interrupted", 5, 1),
            ("complete", 10**7, 10),
        ]
        assert run.trials_done == 1


def test_lines_before_a_broken_one_are_stored_and_the_error_is_raised(database: Engine) -> None:
    with Session(database) as session, session.begin():
        _, participant, trials = seed_run(session)
        spool = Spool().hello().trial(trials[0].position)
        good = len(spool.data)
        data = spool.data + b'{"v":2,"seq":9}\n'
        assert ingest(session, participant.id, 1, 0, data).consumed == good
        with pytest.raises(BrokenEventError, match=f"byte {good}"):
            ingest(session, participant.id, 1, good, data[good:])
        assert participant.offset == good


@pytest.mark.parametrize(
    ("spool", "why"),
    [
        (Spool().end(), "does not begin with a hello"),
        (Spool().hello().sample(1), "not in progress"),
        (Spool().hello().result(1), "not in progress"),
        (Spool().hello().trial(99), "run 1 has no trial 99"),
        (Spool().hello().whole_trial(0).trial(0), "begins twice"),
        (Spool().hello().trial(0).sample(0, attempt=2), "not in progress"),
        (Spool().hello().trial(0).result(0), "add up to 0 bytes in 0 operations"),
        (Spool().hello().end().trial(0), "the segment ended, but trial came after it"),
    ],
)
def test_invalid_events_in_this_state_are_rejected(
    database: Engine, spool: Spool, why: str
) -> None:
    with Session(database) as session, session.begin():
        _, participant, _ = seed_run(session)
        with pytest.raises(BrokenEventError, match=why):
            for _ in range(2):
                offset = participant.offset
                ingest(session, participant.id, 1, offset, spool.data[offset:])


def test_preparation_is_shown_until_something_is_measured(database: Engine) -> None:
    with Session(database) as session, session.begin():
        run, participant, trials = seed_run(session)
        spool = Spool().hello().trial(trials[0].position)

        def activity() -> str | None:
            ingest(session, participant.id, 1, participant.offset, spool.data[participant.offset :])
            return summaries(session, [run])[0].participants[0].activity

        assert activity() is None
        spool.add(
            "progress", doing="preparing", call="pwrite", bytes=32 * 10**8, total_bytes=4 * 10**10
        )
        assert activity() == "Preparing test files: 3.20 GB of 40.0 GB (pwrite)"
        spool.add("progress", doing="removing", call=None, bytes=0, total_bytes=0)
        assert activity() == "Removing test files"
        spool.sample(trials[0].position)
        assert activity() is None


def test_notices_and_errors_are_kept_with_their_facts(database: Engine) -> None:
    with Session(database) as session, session.begin():
        _, participant, _ = seed_run(session)
        spool = Spool().hello()
        spool.add("notice", code="prepared", message="<b>ready</b>", bytes=10, ns=5, files=1)
        spool.add("error", code="io", message="x" * 4000, errno="EIO", trial=None)
        ingest(session, participant.id, 1, 0, spool.data)
        notice, error = session.scalars(select(Notice).order_by(Notice.id))
        assert (notice.level, notice.message) == ("info", "<b>ready</b>")
        assert notice.participant_id == error.participant_id == participant.id
        assert notice.detail == {"bytes": 10, "ns": 5, "files": 1}
        assert (error.level, len(error.message)) == ("error", 2000)
        assert error.detail == {"errno": "EIO", "trial": None}


def test_an_error_is_kept_with_the_attempt_that_it_is_of(database: Engine) -> None:
    with Session(database) as session, session.begin():
        _, participant, trials = seed_run(session)
        position = trials[0].position
        spool = Spool().hello().trial(position, 2)
        for trial in (position, None):
            spool.add("error", code="io", message="it broke", errno="EIO", trial=trial)
        ingest(session, participant.id, 1, 0, spool.data)
        own, other = session.scalars(select(Notice).order_by(Notice.id))
        assert own.detail == {"errno": "EIO", "trial": trials[0].id, "attempt": 2}
        assert other.detail == {"errno": "EIO", "trial": None}

"""Batches of many runs in one transaction: the same rows as one by one, and a result for each."""

from dataclasses import replace

import pytest
from assay.runs.recording import storing
from assay.runs.recording.events import BrokenEventError
from assay.runs.recording.ingest import (
    Batch,
    Ingested,
    SpoolGapError,
    ingest,
    ingest_all,
)
from assay.runs.recording.spool_state import SpoolState
from assay.runs.samples import stored
from assay.runs.samples.raw import raw_log
from assay.tables.ownership import StaleGenerationError
from assay.tables.runs import Attempt, Notice, Participant, Run
from assay.tables.samples import SampleBlock
from sqlalchemy import Engine, event, select
from sqlalchemy.orm import Session
from testing.seeds import seed_run
from testing.spools import SECOND, Spool


def begun(session: Session) -> tuple[Participant, int, Spool]:
    """A run whose first trial is in progress."""
    _, participant, trials = seed_run(session)
    spool = Spool().hello().trial(trials[0].position)
    ingest(session, participant.id, 1, 0, spool.data)
    return participant, trials[0].position, spool


def add_samples(spool: Spool, trial: int, count: int) -> None:
    for number in range(count):
        spool.sample(trial, dt_ns=1000, bytes=number, ops=1, lat_max_ns=number, lat_min_ns=1)


def batch(participant: Participant, data: bytes, start: int, generation: int = 1) -> Batch:
    return Batch(participant.id, generation, start, data[start:])


def consumed(answers: list[Ingested | Exception]) -> list[int]:
    found: list[int] = []
    for answer in answers:
        assert isinstance(answer, Ingested)
        found.append(answer.consumed)
    return found


def samples(session: Session, attempt: Attempt) -> tuple[object, ...]:
    """Return an attempt's stored samples, in blocks and in total."""
    blocks = session.execute(
        select(SampleBlock.first, SampleBlock.samples, SampleBlock.rollups)
        .where(SampleBlock.attempt_id == attempt.id)
        .order_by(SampleBlock.first)
    )
    return [tuple(block) for block in blocks], stored.rows(session, attempt)


def state(session: Session, participant: Participant) -> tuple[object, ...]:
    attempts = session.scalars(
        select(Attempt).where(Attempt.participant_id == participant.id).order_by(Attempt.id)
    ).all()
    run = session.get_one(Run, participant.run_id)
    return (
        [samples(session, attempt) for attempt in attempts],
        [(a.number, a.sample_count, a.bytes, a.ops, a.lat_max_ns, a.status) for a in attempts],
        [(a.started_at, a.app_ns, a.durable_ns, a.total_bytes, a.histogram) for a in attempts],
        (participant.next_seq, run.trials_done, participant.current_trial_id is None),
    )


@pytest.mark.parametrize("sizes", [[1] * 25, [7, 1, 9, 3, 80, 1, 950, 12]])
def test_batches_of_several_runs_store_the_same_rows_as_each_alone(
    database: Engine, sizes: list[int]
) -> None:
    with Session(database) as session, session.begin():
        ones = [begun(session) for _ in range(3)]
        alone, alone_trial, alone_spool = begun(session)
        starts = [len(spool.data) for _, _, spool in ones]
        for size in sizes:
            batches: list[Batch] = []
            for (participant, trial, spool), start in zip(ones, starts, strict=True):
                add_samples(spool, trial, size)
                batches.append(batch(participant, spool.data, start))
            assert consumed(ingest_all(session, batches)) == [len(one.data) for one in batches]
            starts = [len(spool.data) for _, _, spool in ones]
            start = len(alone_spool.data)
            add_samples(alone_spool, alone_trial, size)
            ingest(session, alone.id, 1, start, alone_spool.data[start:])
        expected = state(session, alone)
        for participant, _, spool in ones:
            assert state(session, participant) == expected
            assert participant.offset == len(spool.data)
            assert b"".join(data for _, data in raw_log(session, participant.id)) == spool.data


def test_starts_results_and_ends_of_several_runs_are_stored_together(
    database: Engine,
) -> None:
    with Session(database) as session, session.begin():
        spools: list[tuple[Participant, bytes]] = []
        for _ in range(4):
            _, participant, trials = seed_run(session, repeats=2)
            spool = Spool().hello().trial(trials[0].position).hello(segment=2)
            spool.whole_trial(trials[0].position, attempt=2, samples=5)
            spool.add("notice", code="swept", message="swept")
            spool.whole_trial(trials[1].position, samples=10).end()
            spools.append((participant, spool.data))
        last, whole = spools[-1]
        for end in (*range(700, len(whole), 700), len(whole)):
            ingest(session, last.id, 1, last.offset, whole[last.offset : end])
        together = ingest_all(session, [batch(one, data, 0) for one, data in spools[:-1]])
        for (participant, data), told in zip(spools, together, strict=False):
            assert isinstance(told, Ingested)
            assert (told.consumed, told.samples, told.measuring) == (len(data), 15, False)
            assert told.end is not None and told.hello is not None and told.hello.segment == 2
            assert state(session, participant) == state(session, last)
        assert [
            (n.run_id, n.code) for n in session.scalars(select(Notice).order_by(Notice.id))
        ] == [(one.run_id, "swept") for one in (last, *(one for one, _ in spools[:-1]))]


def test_a_repeated_batch_counts_once(database: Engine) -> None:
    with Session(database) as session, session.begin():
        participant, trial, spool = begun(session)
        start = len(spool.data)
        add_samples(spool, trial, 3)
        ingest_all(session, [batch(participant, spool.data, start)])
        known = state(session, participant)
        assert consumed(ingest_all(session, [batch(participant, spool.data, start)])) == [0]
        assert state(session, participant) == known
        add_samples(spool, trial, 2)
        again = batch(participant, spool.data, start)
        assert consumed(ingest_all(session, [again])) == [len(again.data)]
        assert state(session, participant)[1] == [(1, 5, 0 + 1 + 2 + 0 + 1, 5, 2, "running")]


def test_a_pause_reported_with_several_batches_counts_once(database: Engine) -> None:
    with Session(database) as session, session.begin():
        participant, trial, spool = begun(session)
        for _ in range(3):
            start = len(spool.data)
            add_samples(spool, trial, 1)
            fresh = spool.data[start:]
            ingest_all(session, [Batch(participant.id, 1, start, fresh, paused_ns=2 * SECOND)])
        attempt = session.scalars(select(Attempt)).one()
        assert (attempt.status, attempt.host_paused_ns) == ("running", 2 * SECOND)
        start = len(spool.data)
        spool.result(trial, ops=3, bytes=0)
        ingest_all(session, [batch(participant, spool.data, start)])
        session.refresh(attempt)
        assert (attempt.status, attempt.host_paused_ns) == ("suspended", 2 * SECOND)


def test_a_pause_affects_only_attempts_with_samples_during_it(
    database: Engine,
) -> None:
    with Session(database) as session, session.begin():
        _, participant, trials = seed_run(session, repeats=3)
        spool = Spool().hello().whole_trial(trials[0].position, samples=2)
        spool.trial(trials[1].position)
        ingest_all(session, [Batch(participant.id, 1, 0, spool.data, paused_ns=2 * SECOND)])
        paused = select(Attempt.host_paused_ns).order_by(Attempt.id)
        assert list(session.scalars(paused)) == [2 * SECOND, 0]
        start = len(spool.data)
        add_samples(spool, trials[1].position, 1)
        late = Batch(participant.id, 1, start, spool.data[start:], paused_ns=3 * SECOND)
        ingest_all(session, [late])
        assert list(session.scalars(paused)) == [2 * SECOND, 3 * SECOND]


def test_a_torn_tail_is_left_for_the_next_batch(database: Engine) -> None:
    with Session(database) as session, session.begin():
        participant, trial, spool = begun(session)
        start = len(spool.data)
        add_samples(spool, trial, 2)
        torn = Batch(participant.id, 1, start, spool.data[start:] + b'{"v":')
        assert consumed(ingest_all(session, [torn])) == [len(spool.data) - start]


def ingested(session: Session, one: Batch) -> Ingested:
    (found,) = ingest_all(session, [one])
    assert isinstance(found, Ingested)
    return found


def test_batches_with_the_known_state_store_the_same_rows_as_batches_without(
    database: Engine,
) -> None:
    with Session(database) as session, session.begin():
        pairs: list[tuple[Participant, bytes]] = []
        for _ in range(2):
            _, participant, trials = seed_run(session, repeats=2)
            spool = Spool().hello().trial(trials[0].position)
            add_samples(spool, trials[0].position, 1100)
            spool.hello(segment=2).whole_trial(trials[0].position, attempt=2, samples=5)
            spool.add("progress", doing="preparing", call=None, bytes=1, total_bytes=2)
            spool.whole_trial(trials[1].position, samples=10).end()
            pairs.append((participant, spool.data))
        (reading, data), (knowing, _) = pairs
        known: SpoolState | None = None
        for start in range(0, len(data), 5000):
            whole = data[: start + 5000]
            ingested(session, batch(reading, whole, reading.offset))
            fresh = replace(batch(knowing, whole, knowing.offset), known=known)
            known = ingested(session, fresh).state
            assert state(session, knowing) == state(session, reading)
            assert (knowing.hello, knowing.offset) == (reading.hello, reading.offset)
        assert knowing.offset == len(data)


def test_a_known_state_is_not_read_again(database: Engine) -> None:
    with Session(database) as session, session.begin():
        participant, trial, spool = begun(session)
        start = len(spool.data)
        add_samples(spool, trial, 1)
        known = ingested(session, batch(participant, spool.data, start)).state
        start = len(spool.data)
        add_samples(spool, trial, 1)
        seen: list[str] = []

        def note(_c: object, _k: object, statement: str, *_: object) -> None:
            seen.append(statement)

        event.listen(database, "before_cursor_execute", note)
        try:
            ingested(session, replace(batch(participant, spool.data, start), known=known))
        finally:
            event.remove(database, "before_cursor_execute", note)
        assert not [one for one in seen if one.startswith("SELECT") and "attempts" in one]


def test_an_outdated_known_state_is_read_again(database: Engine) -> None:
    with Session(database) as session, session.begin():
        participant, trial, spool = begun(session)
        start = len(spool.data)
        add_samples(spool, trial, 2)
        outdated = ingested(session, batch(participant, spool.data, start)).state
        for known in (None, outdated):
            start = len(spool.data)
            add_samples(spool, trial, 3)
            ingested(session, replace(batch(participant, spool.data, start), known=known))
        assert [one[1] for one in state(session, participant)[1]] == [8]


def test_a_known_state_does_not_replace_the_check_of_the_generation(database: Engine) -> None:
    with Session(database) as session, session.begin():
        participant, trial, spool = begun(session)
        start = len(spool.data)
        add_samples(spool, trial, 1)
        known = ingested(session, batch(participant, spool.data, start)).state
        before = state(session, participant)
        session.get_one(Run, participant.run_id).generation = 2
        session.flush()
        start = len(spool.data)
        add_samples(spool, trial, 1)
        late = replace(batch(participant, spool.data, start), known=known)
        (found,) = ingest_all(session, [late])
        assert isinstance(found, StaleGenerationError)
        assert state(session, participant) == before


def test_a_known_state_survives_a_rollback(database: Engine) -> None:
    with Session(database) as session, session.begin():
        participant, trial, spool = begun(session)
        start = len(spool.data)
        add_samples(spool, trial, 1)
        known = ingested(session, batch(participant, spool.data, start)).state
        participant_id, start = participant.id, len(spool.data)
        add_samples(spool, trial, 2)
        fresh = Batch(participant_id, 1, start, spool.data[start:], known=known)
    with Session(database) as session, session.begin():
        ingested(session, fresh)
        session.rollback()
    with Session(database) as session, session.begin():
        ingested(session, fresh)
        participant = session.get_one(Participant, participant_id)
        assert [one[1] for one in state(session, participant)[1]] == [3]
        assert participant.offset == len(spool.data)


def test_logs_that_fill_several_statements_are_all_stored(
    database: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storing, "STATEMENT_BYTES", 1000)
    with Session(database) as session, session.begin():
        ones = [begun(session) for _ in range(5)]
        starts = [len(spool.data) for _, _, spool in ones]
        for count, (_, trial, spool) in zip((1, 2, 40, 1, 3), ones, strict=True):
            add_samples(spool, trial, count)
        ingest_all(
            session,
            [
                batch(participant, spool.data, start)
                for (participant, _, spool), start in zip(ones, starts, strict=True)
            ],
        )
        for participant, _, spool in ones:
            log = b"".join(data for _, data in raw_log(session, participant.id))
            assert log == spool.data


@pytest.mark.parametrize("kind", ["gap", "broken", "senseless", "stale", "missing"])
def test_a_rejected_batch_does_not_affect_others(database: Engine, kind: str) -> None:
    with Session(database) as session, session.begin():
        good, good_trial, good_spool = begun(session)
        odd, _, odd_spool = begun(session)
        starts = len(good_spool.data), len(odd_spool.data)
        add_samples(good_spool, good_trial, 2)
        before = state(session, odd)
        others, why = {
            "gap": (Batch(odd.id, 1, starts[1] + 1, b"{}\n"), SpoolGapError),
            "broken": (Batch(odd.id, 1, starts[1], b"{}\n"), BrokenEventError),
            "senseless": (
                batch(odd, odd_spool.trial(10**6).data, starts[1]),
                BrokenEventError,
            ),
            "stale": (Batch(odd.id, 0, starts[1], b"{}\n"), StaleGenerationError),
            "missing": (Batch(10**6, 1, 0, b"{}\n"), LookupError),
        }[kind]
        found = ingest_all(session, [others, batch(good, good_spool.data, starts[0])])
        assert isinstance(found[0], why)
        assert consumed(found[1:]) == [len(good_spool.data) - starts[0]]
        assert state(session, odd) == before


def test_lines_before_a_broken_one_are_stored_with_other_batches(database: Engine) -> None:
    with Session(database) as session, session.begin():
        good, good_trial, good_spool = begun(session)
        odd, odd_trial, odd_spool = begun(session)
        starts = len(good_spool.data), len(odd_spool.data)
        add_samples(good_spool, good_trial, 2)
        add_samples(odd_spool, odd_trial, 2)
        broken = Batch(odd.id, 1, starts[1], odd_spool.data[starts[1] :] + b"{}\n")
        found = ingest_all(session, [batch(good, good_spool.data, starts[0]), broken])
        assert consumed(found)[1] == len(odd_spool.data) - starts[1]
        (again,) = ingest_all(session, [Batch(odd.id, 1, len(odd_spool.data), b"{}\n")])
        assert isinstance(again, BrokenEventError) and again.byte == len(odd_spool.data)


@pytest.mark.parametrize("kind", ["samples", "everything"])
def test_the_number_of_statements_does_not_depend_on_the_runs(database: Engine, kind: str) -> None:
    def statements(runs: int) -> int:
        with Session(database) as session, session.begin():
            batches: list[Batch] = []
            for _ in range(runs):
                participant, trial, spool = begun(session)
                start = len(spool.data)
                add_samples(spool, trial, 1)
                if kind == "everything":
                    spool.result(trial, bytes=0, ops=1, lat_max_ns=0).hello(segment=2)
                    spool.trial(trial, 2).add("notice", code="swept", message="swept").end()
                batches.append(batch(participant, spool.data, start))
            session.flush()
            seen: list[str] = []

            def note(_c: object, _k: object, statement: str, *_: object) -> None:
                seen.append(statement)

            event.listen(database, "before_cursor_execute", note)
            try:
                found = consumed(ingest_all(session, batches))
            finally:
                event.remove(database, "before_cursor_execute", note)
            assert found == [len(one.data) for one in batches]
        return len(seen)

    assert statements(2) == statements(20)

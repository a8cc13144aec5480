"""Steady batches of many runs: the same rows as one by one, and nothing of any other batch."""

import pytest
from assay.runs.ingest import ingest, raw_log
from assay.runs.models import Attempt, Participant
from assay.runs.steady import Spooled, store_steady
from assay.samples.models import rollups, samples
from seeds import seed_run
from spools import Spool
from sqlalchemy import Engine, Table, event, select
from sqlalchemy.orm import Session


def begun(session: Session) -> tuple[Participant, int, Spool]:
    """A run whose first trial is under way."""
    _, participant, trials = seed_run(session)
    spool = Spool().hello().trial(trials[0].id)
    ingest(session, participant.id, 1, 0, spool.data)
    return participant, trials[0].id, spool


def add_samples(spool: Spool, trial_id: int, count: int) -> None:
    for number in range(count):
        spool.sample(trial_id, dt_ns=1000, bytes=number, ops=1, lat_max_ns=number, lat_min_ns=1)


def batch(participant: Participant, data: bytes, start: int, generation: int = 1) -> Spooled:
    return Spooled(participant.run_id, participant.id, generation, start, data[start:])


def rows(session: Session, table: Table, attempt_id: int) -> list[tuple[object, ...]]:
    kept = [c for c in table.c if c.name not in ("attempt_id", "participant_id")]
    of_it = table.c.attempt_id == attempt_id
    found = session.execute(select(*kept).where(of_it).order_by(*table.primary_key.columns))
    return [tuple(row) for row in found]


def state(session: Session, participant: Participant) -> tuple[object, ...]:
    session.expire_all()
    attempt = session.scalars(select(Attempt).where(Attempt.participant_id == participant.id)).one()
    return (
        rows(session, samples, attempt.id),
        rows(session, rollups, attempt.id),
        (attempt.sample_count, attempt.bytes, attempt.ops, attempt.lat_max_ns, attempt.status),
        (participant.offset, participant.next_seq),
    )


@pytest.mark.parametrize("sizes", [[1] * 25, [7, 1, 9, 3, 80, 1, 950, 12]])
def test_batches_of_several_runs_leave_the_rows_that_each_alone_would(
    database: Engine, sizes: list[int]
) -> None:
    with Session(database) as session, session.begin():
        ones = [begun(session) for _ in range(3)]
        alone, alone_trial, alone_spool = begun(session)
        starts = [len(spool.data) for _, _, spool in ones]
        for size in sizes:
            batches: list[Spooled] = []
            for (participant, trial_id, spool), start in zip(ones, starts, strict=True):
                add_samples(spool, trial_id, size)
                batches.append(batch(participant, spool.data, start))
            consumed = store_steady(session, batches)
            assert consumed == {one.participant_id: len(one.data) for one in batches}
            starts = [len(spool.data) for _, _, spool in ones]
            session.expire_all()
            start = len(alone_spool.data)
            add_samples(alone_spool, alone_trial, size)
            ingest(session, alone.id, 1, start, alone_spool.data[start:])
        expected = state(session, alone)
        for participant, _, spool in ones:
            assert state(session, participant)[:3] == expected[:3]
            assert participant.offset == len(spool.data)
            assert participant.next_seq == len(spool.lines)
            assert b"".join(data for _, data in raw_log(session, participant.id)) == spool.data


def test_a_batch_that_comes_twice_counts_once(database: Engine) -> None:
    with Session(database) as session, session.begin():
        participant, trial_id, spool = begun(session)
        start = len(spool.data)
        add_samples(spool, trial_id, 3)
        store_steady(session, [batch(participant, spool.data, start)])
        known = state(session, participant)
        assert store_steady(session, [batch(participant, spool.data, start)]) == {}
        assert state(session, participant) == known
        add_samples(spool, trial_id, 2)
        again = batch(participant, spool.data, start)
        assert store_steady(session, [again]) == {participant.id: len(again.data)}
        assert state(session, participant)[2] == (5, 0 + 1 + 2 + 0 + 1, 5, 2, "running")


def test_a_torn_tail_is_left_for_the_next_batch(database: Engine) -> None:
    with Session(database) as session, session.begin():
        participant, trial_id, spool = begun(session)
        start = len(spool.data)
        add_samples(spool, trial_id, 2)
        torn = Spooled(participant.run_id, participant.id, 1, start, spool.data[start:] + b'{"v":')
        assert store_steady(session, [torn]) == {participant.id: len(spool.data) - start}


@pytest.mark.parametrize("kind", ["result", "notice", "gap", "broken", "stale", "other trial"])
def test_any_other_batch_is_left_out_whole_while_its_neighbour_is_stored(
    database: Engine, kind: str
) -> None:
    with Session(database) as session, session.begin():
        good, good_trial, good_spool = begun(session)
        odd, odd_trial, odd_spool = begun(session)
        starts = len(good_spool.data), len(odd_spool.data)
        add_samples(good_spool, good_trial, 2)
        add_samples(odd_spool, odd_trial, 2)
        generation, start, data = 1, starts[1], b""
        match kind:
            case "result":
                odd_spool.result(odd_trial, bytes=1, ops=2, lat_max=1)
            case "notice":
                odd_spool.add("notice", code="swept", message="swept")
            case "gap":
                start += 1
            case "broken":
                data = b"{}\n"
            case "stale":
                generation = 0
            case _:
                odd_spool.sample(odd_trial + 1000)
        before = state(session, odd)
        data = odd_spool.data[start:] + data
        others = Spooled(odd.run_id, odd.id, generation, start, data)
        found = store_steady(session, [batch(good, good_spool.data, starts[0]), others])
        assert list(found) == [good.id]
        assert state(session, odd) == before


def test_many_runs_take_as_many_statements_as_few(database: Engine) -> None:
    def statements(runs: int) -> int:
        with Session(database) as session, session.begin():
            batches: list[Spooled] = []
            for _ in range(runs):
                participant, trial_id, spool = begun(session)
                start = len(spool.data)
                add_samples(spool, trial_id, 1)
                batches.append(batch(participant, spool.data, start))
            session.flush()
            seen: list[str] = []

            def note(_c: object, _k: object, statement: str, *_: object) -> None:
                seen.append(statement)

            event.listen(database, "before_cursor_execute", note)
            try:
                assert len(store_steady(session, batches)) == runs
            finally:
                event.remove(database, "before_cursor_execute", note)
        return len(seen)

    assert statements(2) == statements(20)

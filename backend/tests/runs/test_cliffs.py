"""A run with cliffs, from the spool to the matrix and the CSV."""

import csv
import io

import pytest
from assay.base.worded import plain
from assay.kinds.headline import sentences
from assay.runs.recording.ingest import ingest
from assay.runs.results import judge
from assay.runs.samples.stored import FEWEST_INTERVALS, intervals_of_run
from assay.tables.runs import Run
from fastapi.testclient import TestClient
from sqlalchemy import Engine, event
from sqlalchemy.orm import Session
from testing.seeds import seed_run
from testing.spools import SECOND, Spool

FAST, SLOW = 350 * 10**6, 41 * 10**6


def add_trial(
    spool: Spool,
    trial: int,
    fast: int,
    slow: int,
    dt_ns: int = SECOND // 10,
    sync_ns: int = SECOND // 10,
    device: float | None = 1.0,
) -> int:
    """Add this many samples at each rate, then a sync; return the total bytes."""
    spool.trial(trial)
    total = 0
    for number in range(fast + slow):
        moved = (FAST if number < fast else SLOW) * dt_ns // SECOND
        total += moved
        spool.sample(
            trial,
            end_ns=(number + 1) * dt_ns,
            dt_ns=dt_ns,
            ops=10,
            bytes=moved,
            lat_sum_ns=1000,
            lat_max_ns=2000,
            dev_write_bytes=None if device is None else round(moved * device),
        )
    end = (fast + slow) * dt_ns
    spool.sample(trial, phase=1, end_ns=end + sync_ns, dt_ns=sync_ns)
    spool.result(
        trial,
        ops=10 * (fast + slow),
        bytes=total,
        app_ns=end,
        durable_ns=end + sync_ns,
        dev_app_bytes=None if device is None else round(total * device),
        dev_durable_bytes=None if device is None else total,
        working_set_bytes=total,
    )
    return total


def stored(session: Session, repeats: int = 1, fast: int = 123, slow: int = 200, **of: int) -> int:
    run, participant, trials = seed_run(session, repeats=repeats, cache="direct")
    spool = Spool().hello()
    for trial in trials:
        add_trial(spool, trial.position, fast, slow, **of)
    ingest(session, participant.id, 1, 0, spool.data)
    return run.id


def test_the_matrix_has_both_levels_and_the_csv_the_flag(api: TestClient, database: Engine) -> None:
    with Session(database) as session, session.begin():
        run_id = stored(session, repeats=2)
    found = api.get(f"/runs/{run_id}/result").json()
    assert sentences(found["headline"])[0].startswith(
        "350 MB/s for 12 s (4.30 GB), then 41.0 MB/s durable with"
    )
    assert [round(one["bytes_per_s"] / 10**6) for one in found["headline_levels"]] == [350, 41]
    (cell,) = found["cells"]
    (flag,) = cell["trials"][0]["flags"]
    assert plain(flag["evidence"]) == (
        "The rate changed for good: 350 MB/s for 12 s (4.30 GB), then 41.0 MB/s."
    )
    assert flag["rates"] == ["durable", "application"]
    fast, slow = flag["levels"]
    assert (fast["from_bytes"], slow["to_bytes"]) == (0, cell["trials"][0]["bytes"])
    assert (fast["to_ns"], slow["to_ns"]) == (slow["from_ns"], 323 * SECOND // 10)
    assert cell["durable"]["mean"] == pytest.approx((FAST * 12.3 + SLOW * 20) / 32.4, rel=1e-6)
    (row,) = csv.DictReader(io.StringIO(api.get(f"/runs/{run_id}/result.csv").text))
    assert row["cell_flags"] == "cliff"


@pytest.mark.parametrize(("fast", "slow"), [(1_500, 2_500), (15_000, 25_000)])
def test_a_trial_of_many_samples_is_evaluated_from_roll_ups(
    database: Engine, fast: int, slow: int
) -> None:
    with Session(database) as session, session.begin():
        run_id = stored(session, fast=fast, slow=slow, dt_ns=SECOND // 100)
        (seen,) = intervals_of_run(session, run_id).values()
        assert FEWEST_INTERVALS <= len(seen.bytes) < 2 * FEWEST_INTERVALS
        assert sum(seen.dt_ns) == (fast + slow) * SECOND // 100
        (cell,) = judge(session, session.get_one(Run, run_id)).cells
        (flag,) = cell.flags
        assert flag.figures["changed_ns"] == pytest.approx(fast * SECOND / 100, rel=0.001)
        assert [one.bytes_per_s for one in flag.levels] == pytest.approx([FAST, SLOW], rel=0.01)


@pytest.mark.parametrize(
    ("device", "sync_ns", "expected"),
    [
        (1.0, SECOND // 10, ["durable", "application"]),
        (1.0, 20 * SECOND, ["application"]),
        (0.2, SECOND // 10, ["application"]),
        (None, SECOND // 10, ["durable", "application"]),
    ],
    ids=["device took it", "long sync", "left in memory", "no counter, but direct"],
)
def test_a_cliff_affects_the_durable_rate_only_if_the_device_has_the_bytes(
    database: Engine, device: float | None, sync_ns: int, expected: list[str]
) -> None:
    with Session(database) as session, session.begin():
        run, participant, (trial,) = seed_run(session, cache="direct")
        spool = Spool().hello()
        add_trial(spool, trial.position, 60, 80, sync_ns=sync_ns, device=device)
        ingest(session, participant.id, 1, 0, spool.data)
        (flag,) = judge(session, run).cells[0].flags
        assert (flag.code, list(flag.rates)) == ("cliff", expected)


def test_without_a_counter_a_page_cache_cliff_affects_the_application_rate(
    database: Engine,
) -> None:
    with Session(database) as session, session.begin():
        run, participant, (trial,) = seed_run(session, cache="page")
        spool = Spool().hello()
        add_trial(spool, trial.position, 60, 80, device=None)
        ingest(session, participant.id, 1, 0, spool.data)
        (flag,) = judge(session, run).cells[0].flags
        assert list(flag.rates) == ["application"]


def test_the_number_of_statements_does_not_depend_on_the_trials(database: Engine) -> None:
    def statements(repeats: int) -> list[str]:
        with Session(database) as session, session.begin():
            run_id = stored(session, repeats, 30, 30)
        seen: list[str] = []

        def note(_c: object, _k: object, statement: str, *_: object) -> None:
            seen.append(statement)

        with Session(database) as session:
            run = session.get_one(Run, run_id)
            event.listen(database, "before_cursor_execute", note)
            try:
                found = judge(session, run)
            finally:
                event.remove(database, "before_cursor_execute", note)
        assert [len(trial.flags) for trial in found.cells[0].trials] == [1] * repeats
        return seen

    few = statements(2)
    assert any("sample_blocks.samples" in one for one in few)
    assert len(statements(40)) == len(few)


def test_trials_that_are_too_short_for_two_levels_are_not_read(database: Engine) -> None:
    with Session(database) as session, session.begin():
        short = stored(session, fast=10, slow=9)
        assert intervals_of_run(session, short) == {}
        long = stored(session, fast=10, slow=10)
        assert len(intervals_of_run(session, long)) == 1

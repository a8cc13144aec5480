import gzip
import random

import pytest
from assay.runs.recording.ingest import ingest
from assay.runs.samples import blocks
from assay.runs.samples.queries import rates, samples_since
from assay.tables.database import engine
from assay.tables.runs import Attempt
from assay.tables.samples import BLOCK_SAMPLES, SampleBlock
from fastapi.testclient import TestClient
from sqlalchemy import Engine, event, insert
from sqlalchemy.orm import Session
from testing.seeds import seed_run
from testing.spools import SECOND, Spool, sample_values

LONG = 12_345
STALL_AT = 7777


def store_long_trial(database: Engine, count: int) -> int:
    """A trial of `count` noisy samples of 100 ms with one stall; returns its id."""
    noise = random.Random(1)
    with Session(database) as session, session.begin():
        _, participant, trials = seed_run(session)
        attempt = Attempt(
            trial_id=trials[0].id,
            participant_id=participant.id,
            number=1,
            status="complete",
            sample_count=count,
            sealed=count,
        )
        session.add(attempt)
        session.flush()
        rows = [
            sample_values(
                end_ns=number * SECOND // 10 + noise.randrange(10**6),
                dt_ns=SECOND // 10 + noise.randrange(10**6),
                bytes=0 if number == STALL_AT else noise.randrange(9 * 10**7, 10**8),
                ops=0 if number == STALL_AT else noise.randrange(300, 400),
                lat_sum_ns=noise.randrange(10**8),
                lat_max_ns=5 * SECOND if number == STALL_AT else noise.randrange(10**6, 10**7),
                oldest_ns=noise.randrange(10**6),
                cpu_user_ns=noise.randrange(10**8),
                cpu_system_ns=noise.randrange(10**8),
                cpu_idle_ns=noise.randrange(10**8),
                cpu_busiest_ns=noise.randrange(10**8),
                mem_available_bytes=8 * 10**9 + noise.randrange(10**8),
                mem_dirty_bytes=noise.randrange(10**8),
                dev_read_bytes=0,
                dev_write_bytes=noise.randrange(9 * 10**7, 10**8),
                dev_busy_ns=noise.randrange(10**8),
                net_rx_bytes=noise.randrange(10**4),
                net_tx_bytes=noise.randrange(10**4),
                psi_io_some_ns=noise.randrange(10**8),
                psi_io_full_ns=noise.randrange(10**8),
                fs_free_bytes=10**11 - number * 10**8,
            )
            for number in range(count)
        ]
        for first in range(0, count, BLOCK_SAMPLES):
            part = rows[first : first + BLOCK_SAMPLES]
            sealed = blocks.seal(participant.run_id, attempt.id, first, part, ended=True)
            session.execute(insert(SampleBlock), sealed)
        return trials[0].id


ZOOMS = {2000: 1, 1999: 1, 600: 1, 100: 2, 10: 3, 1: 3}
"""The level that is read for so many points of `LONG` samples."""


def test_a_stall_is_visible_at_every_zoom_level_from_roll_ups(
    api: TestClient, database: Engine
) -> None:
    trial_id = store_long_trial(database, LONG)
    asked: list[str] = []
    event.listen(engine(), "before_cursor_execute", lambda *a: asked.append(a[2]))
    for points, level in ZOOMS.items():
        found = api.get(f"/trials/{trial_id}/samples?points={points}").json()
        columns = found["columns"]
        assert (found["level"], found["count"]) == (level, LONG)
        assert {len(values) for values in columns.values()} == {len(columns["t_ns"])}
        assert points / 2.2 <= len(columns["t_ns"]) <= points
        assert min(columns["rate_min_bytes_per_s"]) == 0
        assert max(columns["lat_max_ns"]) == 5 * SECOND
    assert any("sample_blocks.rollups" in statement for statement in asked)
    assert not any("sample_blocks.samples" in statement for statement in asked)


def test_the_series_of_a_cells_five_repeats_and_its_matrix_are_small(
    api: TestClient, database: Engine
) -> None:
    trial_id = store_long_trial(database, 600)
    answer = api.get(f"/trials/{trial_id}/samples")
    assert len(answer.json()["columns"]["t_ns"]) == 600
    assert len(gzip.compress(answer.content, 6)) < 45_000


def test_short_trials_are_shown_sample_by_sample(api: TestClient, database: Engine) -> None:
    with Session(database) as session, session.begin():
        _, participant, trials = seed_run(session)
        spool = Spool().hello().whole_trial(trials[0].position)
        ingest(session, participant.id, 1, 0, spool.data)
        trial_id = trials[0].id
    found = api.get(f"/trials/{trial_id}/samples").json()
    assert (found["level"], found["attempt"], found["sample_ns"]) == (0, 1, 10**8)
    assert found["columns"]["rate_mean_bytes_per_s"] == [10**7] * 10
    assert found["columns"]["t_ns"] == [n * 10**8 for n in range(1, 11)]


def test_a_trials_rates_end_where_its_final_sync_begins(database: Engine) -> None:
    with Session(database) as session, session.begin():
        _, participant, trials = seed_run(session, sample_ms=1000)
        trial = trials[0].position
        spool = Spool().hello().trial(trial)
        for number in (1, 2):
            spool.sample(trial, end_ns=number * SECOND, dt_ns=SECOND, bytes=4 * 10**6)
        end = 2 * SECOND + SECOND // 100  # a hundredth of a second, as the end of a phase leaves it
        spool.sample(trial, end_ns=end, dt_ns=SECOND // 100, bytes=2 * 10**6)
        spool.sample(trial, phase=1, end_ns=end + SECOND, dt_ns=SECOND)
        ingest(session, participant.id, 1, 0, spool.data)
        assert rates(session, trials[0].id, 40) == [4 * 10**6] * 2


def test_an_earlier_attempt_can_be_requested(api: TestClient, database: Engine) -> None:
    with Session(database) as session, session.begin():
        _, participant, trials = seed_run(session)
        trial_id = trials[0].id
        position = trials[0].position
        spool = Spool().hello().trial(position).sample(position, dt_ns=10)
        spool.hello(2).whole_trial(position, 2)
        ingest(session, participant.id, 1, 0, spool.data)
    assert api.get(f"/trials/{trial_id}/samples").json()["count"] == 10
    assert api.get(f"/trials/{trial_id}/samples?attempt=1").json()["count"] == 1
    assert api.get(f"/trials/{trial_id}/samples?attempt=9").status_code == 404


def test_a_window_returns_finer_samples(api: TestClient, database: Engine) -> None:
    trial_id = store_long_trial(database, LONG)
    asked: list[str] = []
    event.listen(engine(), "before_cursor_execute", lambda *a: asked.append(a[2]))
    stall = STALL_AT * SECOND // 10
    around = f"from={stall - 30 * SECOND}&to={stall + 20 * SECOND}"
    found = api.get(f"/trials/{trial_id}/samples?{around}").json()
    assert found["level"] == 0
    # the sample that the window begins in, the 500 of its 50 s, and none beyond
    assert 500 <= found["count"] <= 502
    assert stall - 30 * SECOND < found["columns"]["t_ns"][0] <= stall - 29.8 * SECOND
    assert stall + 19.9 * SECOND <= found["columns"]["t_ns"][-1] <= stall + 20.2 * SECOND
    assert found["columns"]["rate_mean_bytes_per_s"].count(0) == 1
    assert max(found["columns"]["lat_max_ns"]) == 5 * SECOND


def test_a_wide_window_is_read_from_roll_ups(api: TestClient, database: Engine) -> None:
    trial_id = store_long_trial(database, LONG)
    end = LONG * SECOND // 10
    found = api.get(f"/trials/{trial_id}/samples?points=100&from={end // 4}&to={end}").json()
    assert found["level"] == 2
    assert 50 <= len(found["columns"]["t_ns"]) <= 100
    assert found["count"] == pytest.approx(LONG * 0.75, rel=0.01)


def test_a_window_after_the_end_is_empty(api: TestClient, database: Engine) -> None:
    trial_id = store_long_trial(database, 30)
    found = api.get(f"/trials/{trial_id}/samples?from={10**15}").json()
    assert (found["count"], found["columns"]["t_ns"], found["columns"]["rate_min_bytes_per_s"]) == (
        0,
        [],
        [],
    )


def test_a_window_that_ends_before_it_begins_names_the_field(
    api: TestClient, database: Engine
) -> None:
    trial_id = store_long_trial(database, 30)
    answer = api.get(f"/trials/{trial_id}/samples?from=9&to=9")
    assert answer.status_code == 422
    assert answer.json()["errors"][0] == {
        "field": "to",
        "value": 9,
        "message": "must be after from",
        "remedy": "Give more than 9, in ns since the trial began.",
    }


@pytest.mark.parametrize("points", ["0", "2001", "many", "-5"])
def test_a_wrong_number_of_points_names_the_field(api: TestClient, points: str) -> None:
    answer = api.get(f"/trials/1/samples?points={points}")
    assert answer.status_code == 422
    assert "points" in answer.json()["errors"][0]["field"]


def test_a_live_page_receives_each_sample_once(database: Engine) -> None:
    with Session(database) as session, session.begin():
        run, participant, trials = seed_run(session)
        trial = trials[0].position
        assert samples_since(session, run.id, None) == ([], 0)
        spool = (
            Spool()
            .hello()
            .trial(trial)
            .sample(trial, end_ns=5, dt_ns=5, bytes=7, ops=1, dev_write_bytes=6)
        )
        ingest(session, participant.id, 1, 0, spool.data)
        fresh, after = samples_since(session, run.id, 0)
        assert (fresh[0].run_id, fresh[0].trial_id) == (run.id, trials[0].id)
        assert fresh[0].points == [[5, 5, 7, 1, 0, 0, 6, 0]]
        assert samples_since(session, run.id, after) == ([], after)
        known = len(spool.data)
        spool.sample(trial, end_ns=9, dt_ns=4, phase=1)
        ingest(session, participant.id, 1, known, spool.data[known:])
        fresh, _ = samples_since(session, run.id, after)
        assert fresh[0].points == [[9, 4, 0, 0, 0, 0, None, 1]]

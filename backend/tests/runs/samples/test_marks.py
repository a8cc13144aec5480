"""Marks: from the spool to blocks, to the rules, and to the chart."""

from itertools import accumulate
from typing import Any

import pytest
from assay.analysis.throughput import Marks
from assay.runs.recording.ingest import ingest
from assay.runs.recording.record import rebuild_blocks
from assay.runs.samples.columns import MARK_COLUMNS
from assay.runs.samples.marks import mark_series, of_attempts, of_run
from assay.runs.samples.series import four_digits
from assay.tables.database import reading, writing
from assay.tables.runs import Attempt, Participant
from assay.tables.samples import BLOCK_SAMPLES, MarkBlock, SampleBlock
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Engine, select, update
from sqlalchemy.orm import Session
from testing.api import Appliance
from testing.seeds import seed_run
from testing.spools import Spool

COUNT = 2500
"""Samples of the spool, with two marks for every three of them."""


def mark(number: int) -> dict[str, int | None]:
    return {
        "end_ns": 1000 * (number + 1),
        "dt_ns": 1000,
        "bytes": 5 + number % 3,
        "ops": 1,
        "lat_sum_ns": 40 + number,
        "lat_max_ns": 40 + number,
        "lat_p99_ns": 40 + number,
        "busy_ns": 50 + number,
        "due_max_ns": None if number % 2 else number,
        "backlog_bytes": number,
    }


def spool_of(position: int, *, ended: bool) -> tuple[Spool, list[dict[str, int | None]]]:
    """A spool with samples and marks in turn, and its marks; the last event is a mark."""
    spool = Spool().hello(job="sustained").trial(position)
    marks: list[dict[str, int | None]] = []
    for number in range(COUNT):
        spool.sample(position, end_ns=number + 1, dt_ns=1, bytes=1, ops=1)
        if number % 3 < 2:
            marks.append(mark(len(marks)))
            spool.mark(position, **marks[-1])
    marks.append(mark(len(marks)))
    spool.mark(position, **marks[-1])
    if ended:
        spool.result(position, bytes=COUNT, ops=COUNT).end()
    return spool, marks


def store(session: Session, participant: Participant, data: bytes, size: int) -> None:
    for end in range(size, len(data) + size, size):
        ingest(session, participant.id, 1, participant.offset, data[participant.offset : end])
        session.refresh(participant)


def as_rows(marks: Marks) -> list[dict[str, Any]]:
    names = [column.name for column in MARK_COLUMNS]
    values = zip(*(getattr(marks, name) for name in names), strict=True)
    return [dict(zip(names, row, strict=True)) for row in values]


@pytest.mark.parametrize("ended", [True, False])
@pytest.mark.parametrize("size", [30_000, 10**9])
def test_every_mark_is_stored_once_and_in_order(
    database: Engine, size: int, *, ended: bool
) -> None:
    with Session(database) as session, session.begin():
        run, participant, trials = seed_run(session)
        spool, expected = spool_of(trials[0].position, ended=ended)
        store(session, participant, spool.data, size)
        attempt = session.scalars(select(Attempt)).one()
        assert attempt.mark_count == len(expected)
        sealed = len(expected) if ended else 0
        if ended:
            assert attempt.marks_sealed == sealed
        else:  # those before the end of the last full block of samples
            assert attempt.sealed == COUNT // BLOCK_SAMPLES * BLOCK_SAMPLES
            assert 0 < attempt.marks_sealed < len(expected)
        assert as_rows(of_attempts(session, run.id, [attempt.id])[attempt.id]) == expected
        assert as_rows(of_run(session, run.id)[attempt.id]) == expected


def test_marks_rebuilt_from_raw_chunks_are_equal(database: Engine) -> None:
    with Session(database) as session, session.begin():
        run, participant, trials = seed_run(session)
        spool, expected = spool_of(trials[0].position, ended=True)
        store(session, participant, spool.data, 50_000)
        session.execute(update(MarkBlock).values(marks=b""))
        session.execute(update(SampleBlock).values(samples=b"", rollups=b""))
        rebuild_blocks(session, run.id)
        session.expire_all()
        (found,) = of_run(session, run.id).values()
        assert as_rows(found) == expected


DAY = 86_400 * 10**9


@pytest.mark.parametrize("ended", [True, False])
def test_samples_and_marks_of_a_year_are_stored_exactly_and_shown(
    appliance: Appliance, *, ended: bool
) -> None:
    minute, begin = 60 * 10**9, 364 * DAY
    ends = [begin + number * minute + 7 for number in range(1, 1301)]
    marks = [
        # a mark of 64 slow streams can last for months
        mark(0)
        | {"end_ns": begin, "dt_ns": begin, "lat_sum_ns": 64 * begin, "busy_ns": 64 * begin},
        mark(1) | {"end_ns": ends[-1], "dt_ns": ends[-1] - begin},
    ]
    with writing() as session:
        run, participant, trials = seed_run(session)
        position, run_id, trial_id = trials[0].position, run.id, trials[0].id
        spool = Spool().hello(job="sustained").trial(position).mark(position, **marks[0])
        for end in ends:
            free = 2**60  # larger than what a sum of a thousand leaves
            spool.sample(
                position, end_ns=end, dt_ns=minute, bytes=10**9, ops=10, fs_free_bytes=free
            )
        spool.mark(position, **marks[1])
        if ended:
            end_ns = ends[-1]
            spool.result(
                position, bytes=13 * 10**11, ops=13_000, app_ns=end_ns, durable_ns=end_ns
            ).end()
        ingest(session, participant.id, 1, 0, spool.data)
        session.refresh(participant)
        assert participant.offset == len(spool.data)
    with reading() as session:
        (found,) = of_run(session, run_id).values()
        assert as_rows(found) == marks
    window = {"from": ends[100], "to": ends[300], "points": 2000}
    shown = appliance.viewer.get(f"/trials/{trial_id}/samples", **window).json()["columns"]
    assert set(ends[101:300]) <= {end + 7 for end in shown["t_ns"]}
    assert set(shown["fs_free_bytes"]) == {four_digits(2**60)}
    whole = appliance.viewer.get(f"/trials/{trial_id}/samples").json()["columns"]
    assert whole["t_ns"][-1] == ends[-1] - 7
    over_data = appliance.viewer.get(f"/trials/{trial_id}/marks").json()["columns"]
    assert (over_data["t_ns"], over_data["dt_ns"]) == (
        [begin, ends[-1]],
        [begin, ends[-1] - begin],
    )


def test_marks_that_double_are_stored_and_shown_in_points_of_equal_bytes(
    appliance: Appliance,
) -> None:
    sizes = [2**level * 1000 for level in range(6) for _ in range(640 >> level)]
    marks = [
        mark(number) | {"bytes": size, "ops": size // 1000} for number, size in enumerate(sizes)
    ]
    with writing() as session:
        run, participant, trials = seed_run(session)
        run_id, trial_id, position = run.id, trials[0].id, trials[0].position
        spool = Spool().hello(job="sustained").trial(position)
        for one in marks:
            spool.mark(position, **one)
        spool.result(position, bytes=sum(sizes), ops=sum(sizes) // 1000).end()
        store(session, participant, spool.data, 50_000)
    with reading() as session:
        (found,) = of_run(session, run_id).values()
        assert as_rows(found) == marks
    shown = appliance.viewer.get(f"/trials/{trial_id}/marks", points=100).json()["columns"]
    lengths = [
        end - begin for begin, end in zip(shown["begin_bytes"], shown["end_bytes"], strict=True)
    ]
    assert 80 <= len(lengths) <= 100
    assert max(lengths[:-1]) < 2 * min(lengths[:-1])
    assert shown["end_bytes"][-1] == sum(sizes)


def test_a_run_without_marks_has_none(database: Engine) -> None:
    with Session(database) as session, session.begin():
        run, participant, trials = seed_run(session)
        spool = Spool().hello().whole_trial(trials[0].position).end()
        ingest(session, participant.id, 1, 0, spool.data)
        assert of_run(session, run.id) == {}


def test_the_api_shows_marks_over_the_bytes(api: TestClient, database: Engine) -> None:
    with Session(database) as session, session.begin():
        _, participant, trials = seed_run(session)
        spool, expected = spool_of(trials[0].position, ended=True)
        store(session, participant, spool.data, 10**9)
        trial_id = trials[0].id
    ends = list(accumulate(one["bytes"] or 0 for one in expected))
    whole = api.get(f"/trials/{trial_id}/marks?points=100").json()["columns"]
    assert len(whole["t_ns"]) <= 100
    assert (whole["begin_bytes"][0], whole["end_bytes"][-1]) == (0, ends[-1])
    window = f"from={ends[9]}&to={ends[19]}"
    part = api.get(f"/trials/{trial_id}/marks?{window}").json()["columns"]
    assert part["end_bytes"] == ends[10:20]
    assert part["lat_max_ns"] == [one["lat_max_ns"] for one in expected[10:20]]
    assert part["due_max_ns"] == [one["due_max_ns"] for one in expected[10:20]]


def test_a_window_that_ends_before_it_begins_is_named(api: TestClient, database: Engine) -> None:
    with Session(database) as session, session.begin():
        _, _, trials = seed_run(session)
        trial_id = trials[0].id
    refused = api.get(f"/trials/{trial_id}/marks?from=5&to=5")
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["field"] == "to"
    assert api.get("/trials/999/marks").status_code == 404


marks_of = st.lists(
    st.tuples(st.integers(1, 10**9), st.integers(1, 10**9), st.integers(0, 10**9)),
    min_size=1,
    max_size=60,
)


@given(rows=marks_of, points=st.integers(1, 80))
def test_points_keep_the_bytes_the_time_and_the_extremes(
    rows: list[tuple[int, int, int]], points: int
) -> None:
    dt, size, latency = (list(column) for column in zip(*rows, strict=True))
    ends = list(accumulate(dt))
    nothing = [None] * len(rows)
    marks = Marks(
        ends, dt, size, [1] * len(rows), latency, latency, latency, latency, nothing, nothing
    )
    found = mark_series(marks, points)
    assert len(found.t_ns) <= points
    assert found.begin_bytes == [0, *found.end_bytes[:-1]]
    assert found.end_bytes[-1] == sum(size)
    assert sum(time or 0 for time in found.dt_ns) == sum(dt)
    assert abs(max(value or 0 for value in found.lat_max_ns) - max(latency)) <= max(latency) / 1000
    fastest = max(b * 10**9 // time for b, time in zip(size, dt, strict=True))
    assert abs(max(value or 0 for value in found.rate_max_bytes_per_s) - fastest) <= fastest / 1000
    assert set(found.due_max_ns) == {None}

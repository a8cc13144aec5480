"""Instants that processes compare are set and compared by the database's clock."""

import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from assay.base.settings import REPOSITORY, settings
from assay.history.health.queries import recently_seen
from assay.tables import ownership
from assay.tables.clock import moment, now
from assay.tables.database import reading, writing
from assay.tables.runs import Run, WorkerSeen
from sqlalchemy import exists, select
from testing.seeds import seed_run

HOUR = timedelta(hours=1)

BEAT_AND_CLAIM = """
import sys
from datetime import UTC, datetime
from assay.tables import all_tables
from assay.tables import ownership
from assay.tables.database import writing
from assay.tables.runs import Run
from assay.runs.lifecycle import take_ownership
from assay_worker.heartbeat import record

record("fast:1")
with writing() as session:
    taken = take_ownership(session, int(sys.argv[1]), "fast")
print(datetime.now(UTC).isoformat(), taken is not None)
"""


@pytest.fixture
def run_id(configured: str) -> Iterator[int]:
    with writing() as session:
        run, *_ = seed_run(session)
        yield_id = run.id
    yield yield_id


def claimed_by_a_worker_whose_clock_is_fast(run_id: int) -> bool:
    """Whether a worker with a clock an hour ahead takes the run; it also sends a heartbeat."""
    library = next(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))
    done = subprocess.run(
        [sys.executable, "-c", BEAT_AND_CLAIM, str(run_id)],
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([*sys.path, str(REPOSITORY / "worker")]),
            "LD_PRELOAD": str(library),
            "FAKETIME": "+1h",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        },
        capture_output=True,
        text=True,
        check=True,
    )
    at, taken = done.stdout.split()
    assert datetime.fromisoformat(at) - datetime.now(UTC) > HOUR / 2, "its clock is fast"
    return taken == "True"


@pytest.mark.parametrize("configured", ["postgresql"], indirect=True)
def test_workers_whose_clocks_are_an_hour_apart_do_not_steal_runs_from_each_other(
    run_id: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_OWNERSHIP_SECONDS", "600")  # no busy machine outlasts it
    settings.cache_clear()
    with writing() as session:
        own = ownership.take(session, Run, run_id, "slow", ownership.without_owner(Run))
    assert own is not None
    assert not claimed_by_a_worker_whose_clock_is_fast(run_id)
    with writing() as session:
        session.get_one(Run, run_id).owned_until = now(session) - timedelta(seconds=1)
    assert claimed_by_a_worker_whose_clock_is_fast(run_id), "its owner is dead"
    with writing() as session:
        assert not ownership.take(session, Run, run_id, "slow", ownership.without_owner(Run))
        assert session.scalar(select(exists(WorkerSeen).where(recently_seen())))


def test_an_ownership_ends_by_the_databases_clock(run_id: int) -> None:
    with writing() as session:
        assert ownership.take(session, Run, run_id, "worker", ownership.without_owner(Run))
    with reading() as session:
        left = session.get_one(Run, run_id).owned_until
        assert left is not None
        seconds = (left - now(session)).total_seconds()
    assert 0 < seconds <= settings().ownership_seconds


@pytest.mark.parametrize("offset", [timedelta(0), HOUR, -HOUR, timedelta(milliseconds=1)], ids=str)
def test_a_moment_is_the_current_time_plus_an_offset(configured: str, offset: timedelta) -> None:
    with reading() as session:
        assert session.scalar(select(moment(offset) <= moment(offset + timedelta(minutes=1))))
        present, later = now(session), session.scalars(select(moment(offset))).one()
    assert abs(later - present - offset) < timedelta(minutes=1)
    assert abs(present - datetime.now(UTC)) < timedelta(minutes=1), "both are of this machine"

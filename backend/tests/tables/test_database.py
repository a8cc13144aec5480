"""Writers run one after the other, ordinary commits are durable, and readers see one snapshot."""

import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from assay.tables.database import make_engine, reading, writing
from assay.tables.runs import Run
from sqlalchemy import Engine, select, text, update
from sqlalchemy.exc import DBAPIError, OperationalError
from testing.seeds import seed_run

FEW = 10


@pytest.fixture
def sqlite(tmp_path: Path) -> Engine:
    engine = make_engine(f"sqlite:///{tmp_path / 'turns.db'}")
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE numbers (n INTEGER)"))
    return engine.execution_options(writes=True)


def write(engine: Engine, hold_s: float = 0.0) -> None:
    with engine.begin() as connection:
        connection.execute(text("INSERT INTO numbers VALUES (1)"))
        time.sleep(hold_s)


def test_a_continuous_writer_does_not_starve_others(sqlite: Engine) -> None:
    over, begun = threading.Event(), threading.Event()
    count = [0]

    def write_on() -> None:
        while not over.is_set():
            write(sqlite, 0.05)
            count[0] += 1
            begun.set()

    greedy = threading.Thread(target=write_on)
    greedy.start()
    try:
        assert begun.wait(30)
        before = count[0]
        for _ in range(FEW):
            write(sqlite)
        assert count[0] - before <= 3 * FEW
    finally:
        over.set()
        greedy.join()


def read_and_fail(engine: Engine) -> None:
    with engine.connect() as connection:
        rows = connection.execute(text("SELECT n FROM numbers"))
        raise ValueError(rows.fetchone())


def test_rows_left_unread_by_an_exception_do_not_pin_a_snapshot(tmp_path: Path) -> None:
    one = make_engine(f"sqlite:///{tmp_path / 'snapshot.db'}")
    other = make_engine(f"sqlite:///{tmp_path / 'snapshot.db'}").execution_options(writes=True)
    with one.begin() as connection:
        connection.execute(text("CREATE TABLE numbers (n INTEGER)"))
        connection.execute(text("INSERT INTO numbers VALUES (1), (2), (3)"))
    with pytest.raises(ValueError) as kept:  # its traceback keeps the statement alive
        read_and_fail(one)
    write(other)
    write(one.execution_options(writes=True))
    assert kept.tb is not None


def fail_in_it(engine: Engine) -> None:
    with engine.begin() as connection:
        connection.execute(text("INSERT INTO nowhere VALUES (1)"))


def fail_to_begin(engine: Engine) -> None:
    path = engine.url.database
    other = make_engine(f"sqlite:///{path}").execution_options(writes=True)
    impatient = engine.connect()
    impatient.exec_driver_sql("PRAGMA busy_timeout = 1")
    impatient.close()
    with other.begin() as held:
        held.execute(text("INSERT INTO numbers VALUES (1)"))
        write(engine)


@pytest.mark.parametrize("failing", [fail_in_it, fail_to_begin])
def test_a_failed_write_releases_the_lock(
    sqlite: Engine, failing: Callable[[Engine], None]
) -> None:
    with suppress(OperationalError):
        failing(sqlite)
    begin = time.monotonic()
    write(sqlite)
    assert time.monotonic() - begin < 20


COMMITS = """
import os, sys
from assay.tables.database import writing
from sqlalchemy import text

with writing() as session:
    session.execute(text("CREATE TABLE numbers (n INTEGER)"))
for relaxed in (True, False, True):
    os.write(2, f"begin {relaxed}\\n".encode())
    with writing(relaxed=relaxed) as session:
        session.execute(text("INSERT INTO numbers VALUES (1)"))
    os.write(2, b"end\\n")
"""


def test_sqlite_syncs_each_ordinary_commit_and_no_relaxed_one(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    strace = ["strace", "-f", "-y", "-e", "trace=write,fsync,fdatasync", "-o", str(trace)]
    subprocess.run(
        [*strace, sys.executable, "-c", COMMITS],
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(sys.path),
            "ASSAY_HOME": str(tmp_path),
            "ASSAY_DATABASE_URL": f"sqlite:///{tmp_path / 'synced.db'}",
        },
        check=True,
        capture_output=True,
    )
    found = re.findall(r'"begin (\w+)\\n"(.*?)"end\\n"', trace.read_text(), re.DOTALL)
    assert [relaxed for relaxed, _ in found] == ["True", "False", "True"]
    synced = [len(re.findall(r"f(?:data)?sync\(\d+<[^>]*-wal>", calls)) for _, calls in found]
    assert synced[0] == synced[2] == 0
    assert synced[1] >= 1


def test_a_reading_session_sees_one_snapshot(configured: str) -> None:
    with writing() as session:
        run, *_ = seed_run(session)
        run_id = run.id
    revision = select(Run.revision).where(Run.id == run_id)
    with reading() as reader:
        before = reader.scalar(revision)
        with writing() as session:
            session.get_one(Run, run_id).revision = 99
        assert reader.scalar(revision) == before == 1
    with reading() as reader:
        assert reader.scalar(revision) == 99


def test_a_reading_session_cannot_write(configured: str) -> None:
    with writing() as session:
        run, *_ = seed_run(session)
        run_id = run.id
    change = update(Run).where(Run.id == run_id).values(title="changed")
    with pytest.raises(DBAPIError, match=r"read-?only"), reading() as session:
        session.execute(change)
    with writing() as session:  # on the same connection
        session.execute(change)
    with reading() as session:
        assert session.get_one(Run, run_id).title == "changed"

"""Writers of one process take turns."""

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from assay.database import make_engine
from sqlalchemy import Engine, text
from sqlalchemy.exc import OperationalError

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


def test_a_writer_without_a_pause_does_not_keep_others_waiting(sqlite: Engine) -> None:
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
def test_a_write_that_fails_gives_its_turn_back(
    sqlite: Engine, failing: Callable[[Engine], None]
) -> None:
    with suppress(OperationalError):
        failing(sqlite)
    begin = time.monotonic()
    write(sqlite)
    assert time.monotonic() - begin < 20

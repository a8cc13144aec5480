"""The database: one engine a process and two kinds of session.

A reading session sees one snapshot and cannot write: `REPEATABLE READ READ ONLY` on PostgreSQL, a
deferred transaction with `query_only` on SQLite. A writing session takes the write lock at once
(`BEGIN IMMEDIATE` on SQLite): a deferred one that has read and then wants to write would be told
"database is locked" whatever its timeout.

A transaction that locks rows of several of these tables locks hosts, then campaigns, then runs,
and rows of one table by id. The dispatcher's turn comes after hosts and before campaigns.
"""

import threading
from collections.abc import Collection, Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, ClassVar

from sqlalchemy import (
    ARRAY,
    JSON,
    BigInteger,
    ColumnElement,
    Engine,
    Integer,
    MetaData,
    any_,
    create_engine,
    event,
    literal,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import DeclarativeBase, InstrumentedAttribute, Session

from assay.db.clock import SQLITE_FUNCTION, UtcDateTime, sqlite_clock
from assay.db.refusals import Refusals
from assay.once import once
from assay.settings import settings

refusals = Refusals()
"""What this process could not write lately."""

BUSY_TIMEOUT_S = 30
IDLE_MS = 15_000
"""PostgreSQL ends a transaction that does nothing for so long: a process that froze in the middle
of one would hold its locks, and block their waiters, for as long as it is frozen."""

Big = BigInteger().with_variant(Integer(), "sqlite")
"""64-bit integers; SQLite's own INTEGER is one, and only that name makes a key count up."""

Json = JSON().with_variant(JSONB(), "postgresql")


_TURN = "turn"
"""Set in a connection that keeps this process's other writers waiting."""


def now() -> datetime:
    """Return the present by this process's clock, in UTC: for times that no process compares."""
    return datetime.now(UTC)


class Base(DeclarativeBase):
    """Base of all tables; constraint names are given so that migrations can name them."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(column_0_label)s",
            "uq": "uq_%(table_name)s_%(column_0_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map: ClassVar[dict[Any, Any]] = {
        datetime: UtcDateTime,
        int: Big,
        dict[str, Any]: Json,
        list[Any]: Json,
    }


def make_engine(url: str) -> Engine:
    """An engine for `url`, with SQLite set to WAL and to explicit transactions."""
    if not url.startswith("sqlite"):
        url = url.replace("postgresql://", "postgresql+psycopg://", 1)
        return create_engine(
            url,
            connect_args={"options": f"-c idle_in_transaction_session_timeout={IDLE_MS}"},
            pool_pre_ping=True,
            pool_size=10,
            max_overflow=40,
        )
    engine = create_engine(url, connect_args={"timeout": BUSY_TIMEOUT_S})
    turn = threading.Lock()

    @event.listens_for(engine, "connect")
    def _configure(connection: Any, _record: Any) -> None:  # pyright: ignore[reportUnusedFunction]
        connection.isolation_level = None  # the driver must not begin transactions by itself
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
            connection.execute(f"PRAGMA {pragma}")
        connection.create_function(SQLITE_FUNCTION, 1, sqlite_clock)

    @event.listens_for(engine, "begin")
    def _begin(connection: Any) -> None:  # pyright: ignore[reportUnusedFunction]
        options = connection.get_execution_options()
        connection.exec_driver_sql(f"PRAGMA query_only={int(options.get('reads', False))}")
        if not options.get("writes", False):
            connection.exec_driver_sql("BEGIN")
            return
        level = "NORMAL" if options.get("relaxed", False) else "FULL"
        connection.exec_driver_sql(f"PRAGMA synchronous={level}")
        # who waits in SQLite only looks now and then, and never finds a busy writer between two
        connection.info[_TURN] = turn.acquire(timeout=BUSY_TIMEOUT_S)
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    def _end(connection: Any, *_: Any) -> None:
        if connection.info.pop(_TURN, False):
            turn.release()

    for ending in ("commit", "rollback"):
        event.listen(engine, ending, _end)

    @event.listens_for(engine, "checkin")
    def _checked_in(_connection: Any, record: Any) -> None:  # pyright: ignore[reportUnusedFunction]
        _end(record)  # a transaction that could not begin knows no end

    return engine


@once
def engine() -> Engine:
    """The engine of this process."""
    return make_engine(settings().resolved_database_url)


def pass_alone(session: Session, lock: int) -> None:
    """Wait for the commit of the previous holder of this lock.

    On SQLite a session that writes is alone in any case.
    """
    if session.get_bind().dialect.name == "postgresql":
        session.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": lock})


def among(
    session: Session, column: InstrumentedAttribute[int], values: Collection[int]
) -> ColumnElement[bool]:
    """Whether an integer column has one of `values`, however many.

    PostgreSQL takes them as one array: its driver looks through a statement's text for each
    parameter, and for hundreds of them that cost more than the statement.
    """
    if session.get_bind().dialect.name == "postgresql":
        return column == any_(literal(list(values), ARRAY(BigInteger)))
    return column.in_(values)


@contextmanager
def reading() -> Generator[Session]:
    """A session on one snapshot of the database, which refuses to write."""
    reader = engine().execution_options(reads=True)
    if reader.dialect.name == "postgresql":
        reader = reader.execution_options(
            isolation_level="REPEATABLE READ", postgresql_readonly=True
        )
    with Session(reader, autoflush=False, expire_on_commit=False) as session:
        yield session


@contextmanager
def writing(*, relaxed: bool = False) -> Generator[Session]:
    """A session that holds the write lock from its first statement, committed at the end.

    A `relaxed` commit does not wait for the disk, and a crash of the machine may undo the last
    ones, whole and in order: only for data that the host still has. The next ordinary commit makes
    all before it durable.
    """
    writer = engine().execution_options(writes=True, relaxed=relaxed)
    with refusals.watched(), Session(writer, expire_on_commit=False) as session, session.begin():
        if relaxed and writer.dialect.name == "postgresql":
            session.execute(text("SET LOCAL synchronous_commit TO off"))
        yield session

"""The database: one engine per process and two kinds of session.

A reading session sees one snapshot and cannot write: `REPEATABLE READ READ ONLY` on PostgreSQL, a
deferred transaction with `query_only` on SQLite. A writing session takes the write lock at once
(`BEGIN IMMEDIATE` on SQLite): a deferred transaction that reads before it writes can fail with
"database is locked", regardless of its timeout.

A transaction locks rows in this order: hosts, a token, the dispatcher's lock, campaigns, runs; rows
of one table by id.

Only a write shows that the disk is full or failing, especially on a database server, whose disk is
not visible from here. Health must not write, so it reports the result of the process's last write.
"""

import sqlite3
import threading
import time
from collections.abc import Collection, Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, ClassVar
from weakref import WeakSet

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
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.orm import DeclarativeBase, InstrumentedAttribute, Session
from sqlalchemy.sql.functions import FunctionElement

from assay.base.settings import settings
from assay.base.singletons import singleton
from assay.tables.clock import SQLITE_FUNCTION, UtcDateTime, sqlite_clock

REMEMBERED_S = 600
"""Forget a write failure after this long."""

_SQLITE = frozenset({sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY})
_POSTGRESQL = frozenset({"53100", "58030", "25006"})
"""disk_full, io_error, read_only_sql_transaction"""


class Refusals:
    """The last write failure, until a write succeeds."""

    def __init__(self) -> None:
        """Start without a failure."""
        self._last: tuple[float, str] | None = None

    @contextmanager
    def watched(self) -> Generator[None]:
        """Record whether the writing transaction in the block succeeds."""
        try:
            yield
        except DBAPIError as error:
            if reason := why_refused(error):
                self._last = time.monotonic(), reason
            raise
        self._last = None

    def lately(self) -> str | None:
        """Return the last write failure and its age as text; None if no failure is known."""
        if self._last is None:
            return None
        at, reason = self._last
        ago_s = time.monotonic() - at
        if ago_s > REMEMBERED_S:
            return None
        return f"The last write, {ago_s:.0f} s ago, failed: {reason}"


def why_refused(error: DBAPIError) -> str | None:
    """Return the database's message if it cannot store anything; None for other errors."""
    of_sqlite = getattr(error.orig, "sqlite_errorcode", 0) & 0xFF in _SQLITE
    if of_sqlite or getattr(error.orig, "sqlstate", None) in _POSTGRESQL:
        return str(error.orig).partition("\n")[0][:300]
    return None


refusals = Refusals()
"""Recent write failures of this process."""

BUSY_TIMEOUT_S = 30
IDLE_MS = 15_000
"""PostgreSQL ends a transaction that is idle for this long: a process that hangs in the middle of a
transaction would otherwise hold its locks and block other processes."""

Big = BigInteger().with_variant(Integer(), "sqlite")
"""64-bit integers; on SQLite INTEGER has 64 bits, and is required for autoincrement keys."""

Json = JSON().with_variant(JSONB(), "postgresql")


_TURN = "turn"
"""Key in a connection that holds the lock on writers of this process."""


def now() -> datetime:
    """Return the current time by this process's clock, for times that no other process compares."""
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


class _Connection(sqlite3.Connection):
    """A SQLite connection that can end the statements whose rows were not all read.

    An exception keeps such a statement alive, and with it the snapshot that the connection reads,
    even after a rollback. A later transaction on the connection would continue on that snapshot
    and could not write: `SQLITE_BUSY_SNAPSHOT`.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._cursors: WeakSet[sqlite3.Cursor] = WeakSet()

    def cursor(self, *args: Any, **kwargs: Any) -> sqlite3.Cursor:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Return a new cursor."""
        cursor = super().cursor(*args, **kwargs)
        self._cursors.add(cursor)
        return cursor

    def end_statements(self) -> None:
        """Close all cursors."""
        for cursor in list(self._cursors):
            cursor.close()


def make_engine(url: str) -> Engine:
    """Return an engine for `url`; SQLite uses WAL and explicit transactions."""
    if not url.startswith("sqlite"):
        url = url.replace("postgresql://", "postgresql+psycopg://", 1)
        return create_engine(
            url,
            connect_args={"options": f"-c idle_in_transaction_session_timeout={IDLE_MS}"},
            pool_pre_ping=True,
            pool_size=10,
            max_overflow=40,
        )
    engine = create_engine(url, connect_args={"timeout": BUSY_TIMEOUT_S, "factory": _Connection})
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
        # SQLite only polls for its lock and would starve behind a busy writer
        connection.info[_TURN] = turn.acquire(timeout=BUSY_TIMEOUT_S)
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    def _end(connection: Any, *_: Any) -> None:
        if connection.info.pop(_TURN, False):
            turn.release()

    for ending in ("commit", "rollback"):
        event.listen(engine, ending, _end)

    @event.listens_for(engine, "checkin")
    def _checked_in(connection: _Connection | None, record: Any) -> None:  # pyright: ignore[reportUnusedFunction]
        _end(record)  # a transaction that could not begin has neither commit nor rollback
        if connection is not None:  # None: invalidated
            connection.end_statements()

    return engine


@singleton
def engine() -> Engine:
    """Return the engine of this process."""
    return make_engine(settings().resolved_database_url)


def pass_alone(session: Session, lock: int) -> None:
    """Wait for the commit of the previous holder of this lock.

    On SQLite, writing sessions are exclusive anyway.
    """
    if session.get_bind().dialect.name == "postgresql":
        session.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": lock})


def among(
    session: Session, column: InstrumentedAttribute[int], values: Collection[int]
) -> ColumnElement[bool]:
    """Return SQL for whether an integer column has one of `values`, which may be many.

    PostgreSQL receives them as one array: its driver searches the statement's text for each
    parameter, which for hundreds of parameters costs more than the statement.
    """
    if session.get_bind().dialect.name == "postgresql":
        return column == any_(literal(list(values), ARRAY(BigInteger)))
    return column.in_(values)


class _JsonLength(FunctionElement[int]):
    """The number of elements of the JSON array that is its only clause."""

    type = Integer()
    inherit_cache = True


@compiles(_JsonLength)
def _on_postgresql(element: _JsonLength, compiler: Any, **kw: Any) -> str:  # pyright: ignore[reportUnusedFunction]
    return f"jsonb_array_length({compiler.process(element.clauses, **kw)})"


@compiles(_JsonLength, "sqlite")
def _on_sqlite(element: _JsonLength, compiler: Any, **kw: Any) -> str:  # pyright: ignore[reportUnusedFunction]
    return f"json_array_length({compiler.process(element.clauses, **kw)})"


def json_length(column: InstrumentedAttribute[list[Any]]) -> ColumnElement[int]:
    """Return SQL for the number of elements of a column of JSON arrays."""
    return _JsonLength(column)


@contextmanager
def reading() -> Generator[Session]:
    """Open a read-only session on one snapshot of the database."""
    reader = engine().execution_options(reads=True)
    if reader.dialect.name == "postgresql":
        reader = reader.execution_options(
            isolation_level="REPEATABLE READ", postgresql_readonly=True
        )
    with Session(reader, autoflush=False, expire_on_commit=False) as session:
        yield session


@contextmanager
def writing(*, relaxed: bool = False) -> Generator[Session]:
    """Open a session with the write lock; it is committed at the end of the block.

    A `relaxed` commit does not wait for the disk: a crash of the machine may revert the newest
    commits, so it is only for data that the host still has. The next ordinary commit makes all
    previous ones durable.
    """
    writer = engine().execution_options(writes=True, relaxed=relaxed)
    with refusals.watched(), Session(writer, expire_on_commit=False) as session, session.begin():
        if relaxed and writer.dialect.name == "postgresql":
            session.execute(text("SET LOCAL synchronous_commit TO off"))
        yield session

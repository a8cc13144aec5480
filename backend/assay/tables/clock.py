"""The database's clock: the only clock for times that several processes compare.

Clocks of workers drift apart. Each time that another process compares (the end of an ownership, a
heartbeat, the time of a retry) is therefore set and compared by the clock of the shared database.
SQLite has no such function and uses this machine's clock.
"""

from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, DateTime, Dialect, Float, TypeDecorator, literal, select
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.orm import Session
from sqlalchemy.sql.functions import FunctionElement

SQLITE_FUNCTION = "statement_timestamp"
"""PostgreSQL's function for the start time of the current statement."""


class UtcDateTime(TypeDecorator[datetime]):
    """A point in time in UTC; SQLite has no time zones and stores it as naive time."""

    impl = DateTime(timezone=True)
    cache_ok = True

    @property
    def python_type(self) -> type:
        """The type of its values; a decorator does not take over that of its `impl`."""
        return datetime

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Convert an aware time to UTC; raises ValueError for a naive one."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"time without a zone: {value!r}")
        value = value.astimezone(UTC)
        return value.replace(tzinfo=None) if dialect.name == "sqlite" else value

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Return an aware time."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class _Moment(FunctionElement[datetime]):
    """The current time by the database's clock, plus the seconds of its only clause."""

    type = UtcDateTime()
    inherit_cache = True


@compiles(_Moment)
def _on_postgresql(element: _Moment, compiler: Any, **kw: Any) -> str:  # pyright: ignore[reportUnusedFunction]
    seconds = compiler.process(element.clauses, **kw)
    return f"(statement_timestamp() + make_interval(secs => {seconds}))"


@compiles(_Moment, "sqlite")
def _on_sqlite(element: _Moment, compiler: Any, **kw: Any) -> str:  # pyright: ignore[reportUnusedFunction]
    return f"{SQLITE_FUNCTION}({compiler.process(element.clauses, **kw)})"


def sqlite_clock(offset_s: float) -> str:
    """Return the current time plus `offset_s` seconds, in SQLite's format."""
    at = datetime.now(UTC).replace(tzinfo=None) + timedelta(seconds=offset_s)
    return at.isoformat(" ", "microseconds")


def moment(offset: timedelta = timedelta(0)) -> ColumnElement[datetime]:
    """Return SQL for the current time by the database's clock plus `offset`."""
    return _Moment(literal(offset.total_seconds(), Float))


def now(session: Session) -> datetime:
    """Return the current time by the database's clock, in UTC."""
    return session.scalars(select(moment())).one()


def counted_from(session: Session, since: datetime | None) -> datetime:
    """Return `since`, or the current time if `since` is None or in the future.

    A time in the future was written before the database's clock was set back. Counting from the
    current time instead makes no limit expire early, or wait for the clock to catch up.
    """
    present = now(session)
    return min(since or present, present)

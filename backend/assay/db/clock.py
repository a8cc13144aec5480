"""The database's clock: the only one by which instants of several processes are compared.

Workers' clocks drift apart; each instant that another process compares (an ownership's end, a
heartbeat, a retry's time) is therefore set and compared by the clock of the database that they
share. On SQLite, which has no such function, it is this machine's.
"""

from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, DateTime, Dialect, Float, TypeDecorator, literal, select
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.orm import Session
from sqlalchemy.sql.functions import FunctionElement

SQLITE_FUNCTION = "statement_timestamp"
"""PostgreSQL's name for the time at which a statement began."""


class UtcDateTime(TypeDecorator[datetime]):
    """A point in time, always in UTC; SQLite, which has no time zones, stores it naive."""

    impl = DateTime(timezone=True)
    cache_ok = True

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
    """The present by the database's clock, plus the seconds of its one clause."""

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
    """Return the present plus `offset_s` seconds, as SQLite stores a time."""
    at = datetime.now(UTC).replace(tzinfo=None) + timedelta(seconds=offset_s)
    return at.isoformat(" ", "microseconds")


def moment(offset: timedelta = timedelta(0)) -> ColumnElement[datetime]:
    """SQL for the present by the database's clock, `offset` later; also a column's default."""
    return _Moment(literal(offset.total_seconds(), Float))


def now(session: Session) -> datetime:
    """Return the present by the database's clock, in UTC."""
    return session.scalars(select(moment())).one()


def counted_from(session: Session, since: datetime | None) -> datetime:
    """Return when to start counting: `since`, or the present if that is None or in the future.

    An instant in the future was written before the database's clock was set back. Counting anew
    from the present ends no limit too early, and none waits for the clock to catch up.
    """
    present = now(session)
    return min(since or present, present)

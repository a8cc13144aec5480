"""What a transaction sees, as a name that two transactions share if they see the same.

PostgreSQL describes a snapshot by the transactions that had ended: `xmin:xmax:running`. Heartbeats
of workers come every few seconds and change nothing but the table `workers`, which keeps the
transaction of each worker's last one: they are left out of the name, and so is the record of a
token's use, which comes once a minute.
"""

from typing import Any

from sqlalchemy import BigInteger, String
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement

BEATS_KEPT = 1000

Name = tuple[int, ...]


class _Snapshot(FunctionElement[str]):
    type = String()
    inherit_cache = True


class _Transaction(FunctionElement[int]):
    type = BigInteger()
    inherit_cache = True


@compiles(_Snapshot)
def _seen_on_postgresql(_element: _Snapshot, _compiler: Any, **_kw: Any) -> str:  # pyright: ignore[reportUnusedFunction]
    beats = "coalesce((SELECT string_agg(beat_xid::text, ' ') FROM workers), '')"
    return f"(pg_current_snapshot()::text || ' ' || {beats})"


@compiles(_Transaction)
def _transaction_on_postgresql(_element: _Transaction, _compiler: Any, **_kw: Any) -> str:  # pyright: ignore[reportUnusedFunction]
    return "pg_current_xact_id()::text::bigint"


@compiles(_Snapshot, "sqlite")
@compiles(_Transaction, "sqlite")
def _none_on_sqlite(_element: Any, _compiler: Any, **_kw: Any) -> str:  # pyright: ignore[reportUnusedFunction]
    return "NULL"


def seen() -> FunctionElement[str]:
    """Return SQL for what the transaction sees, for `Snapshots.name`; NULL on SQLite."""
    return _Snapshot()


def transaction() -> FunctionElement[int]:
    """Return SQL for the number of the transaction, for `beat_xid`; NULL on SQLite."""
    return _Transaction()


def unaffected_by(seen: str | None, xid: int | None) -> str | None:
    """Return what is seen, with another transaction that is left out of its name."""
    return seen if seen is None or xid is None else f"{seen} {xid}"


class Snapshots:
    """Names what transactions see; remembers the heartbeats."""

    def __init__(self) -> None:
        """Know no heartbeats yet."""
        self._beats: set[int] = set()

    def name(self, seen: str) -> Name:
        """Return the last transaction that is seen, and those before it that had not ended.

        `seen` is a value of the SQL expression of that name.
        """
        snapshot, *beats = seen.split()
        self._beats.update(map(int, beats))
        if len(self._beats) > BEATS_KEPT:
            self._beats = set(sorted(self._beats)[-BEATS_KEPT // 2 :])
        _, end, listed = snapshot.split(":")
        running = {int(one) for one in listed.split(",") if one}
        last = int(end) - 1
        while last in running or last in self._beats:
            last -= 1
        return (last, *sorted(one for one in running if one < last))

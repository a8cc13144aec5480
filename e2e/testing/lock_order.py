"""Recorder of the order in which transactions lock rows: hosts, then campaigns, then runs.

It detects `SELECT … FOR UPDATE` (which SQLite omits from the statement), `UPDATE`, `DELETE`, and
the shared lock of an `INSERT` on referenced rows.
"""

import re
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Delete, Insert, Select, Table, Update, event
from sqlalchemy.engine import Engine
from sqlalchemy.sql.util import find_tables

ORDER = ("hosts", "campaigns", "runs")
_WRITTEN = re.compile(r"\s*(?:UPDATE|DELETE\s+FROM)\s+(\w+)", re.IGNORECASE)
_LOCKED = "tables locked by the transaction"

_violations: list[str] = []


def _place(table: str) -> int:
    """Return the place of a table in the order; a statement may lock referenced rows in any."""
    return ORDER.index(table) if table in ORDER else -1


def locked_by(statement: Any) -> Iterator[str]:
    """Return the tables whose rows a statement locks."""
    match statement:
        case Select():
            found: Any = statement
            if found._for_update_arg is None:
                return
            of = found._for_update_arg.of
            if of:
                yield from (one.name for one in of)
                return
            for source in found.get_final_froms():
                yield from (getattr(table, "name", "") for table in find_tables(source))
        case Update() | Delete():
            yield statement.table.name  # pyright: ignore[reportAttributeAccessIssue]
        case Insert():
            table = statement.table
            if isinstance(table, Table):
                # code locks a row of its own table before
                others = {key.column.table.name for key in table.foreign_keys} - {table.name}
                yield from sorted(others, key=_place, reverse=True)
        case _:
            if written := _WRITTEN.match(str(statement)):
                yield written[1].lower()


@event.listens_for(Engine, "begin")
def _begin(connection: Connection) -> None:
    connection.info[_LOCKED] = set[str]()


@event.listens_for(Engine, "before_execute")
def _execute(connection: Connection, statement: Any, *_: Any) -> None:
    held: set[str] = connection.info.setdefault(_LOCKED, set())
    for name in locked_by(statement):
        if name not in ORDER:
            continue
        later = [one for one in ORDER[ORDER.index(name) + 1 :] if one in held]
        if later and name not in held:
            _violations.append(f"{name} locked after {', '.join(later)} by: {statement}")
        held.add(name)
    if isinstance(statement, Insert):  # no other transaction can wait for an uncommitted row
        held.add(getattr(statement.table, "name", ""))


@contextmanager
def watched() -> Generator[None]:
    """Fail if a transaction within the block locks the tables in another order."""
    yield
    found = [*_violations]
    _violations.clear()
    assert not found, "\n".join(found)

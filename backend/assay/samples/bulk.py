"""Integers by the thousand into a table, past SQLAlchemy: to name each value costs it three times
what the database needs to store it.

SQLite takes the rows one by one in a single call; PostgreSQL takes a column as an array each, in a
single statement.
"""

from collections.abc import Sequence
from functools import cache

from sqlalchemy import Table
from sqlalchemy.orm import Session

Values = tuple[int | None, ...]


def write(session: Session, table: Table, rows: Sequence[Values], *, replace: bool = False) -> None:
    """Insert rows, whose values stand as the table's columns do.

    With `replace`, a row takes the place of the one with the same key.
    """
    if not rows:
        return
    connection = session.connection()
    if connection.dialect.name == "postgresql":
        columns = tuple(map(list, zip(*rows, strict=True)))
        arrays = ", ".join(["%s::bigint[]"] * len(columns))
        source = f"SELECT * FROM unnest({arrays})"  # noqa: S608 (no name, no value)
        connection.exec_driver_sql(_statement(table, source, replace=replace), columns)
    else:
        source = f"VALUES ({', '.join('?' * len(table.columns))})"
        connection.exec_driver_sql(_statement(table, source, replace=replace), list(rows))


@cache
def _statement(table: Table, source: str, *, replace: bool) -> str:
    names = [f'"{column.name}"' for column in table.columns]
    key = [f'"{column.name}"' for column in table.primary_key]
    insert = f"INSERT INTO {table.name} ({', '.join(names)}) {source}"
    if not replace:
        return insert
    news = ", ".join(f"{name} = excluded.{name}" for name in names if name not in key)
    return f"{insert} ON CONFLICT ({', '.join(key)}) DO UPDATE SET {news}"

"""Rows by the thousand, in and out of a table.

SQLite takes them one by one in a single call; PostgreSQL takes a column as an array each, in a
single statement. Integers go past SQLAlchemy: to name each value costs it three times what the
database needs to store it.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import chain
from typing import Any

from sqlalchemy import (
    ARRAY,
    ColumnElement,
    FromClause,
    Table,
    bindparam,
    column,
    func,
    literal,
    update,
)
from sqlalchemy.orm import Session

Values = tuple[int | None, ...]

ROWS_AT_ONCE = 250
"""The rows of a statement. libpq's connections keep the room of their largest message for good, and
each of the pool's would come to hold half a megabyte. Many a SQLite takes 32,766 parameters."""


def write(session: Session, table: Table, rows: Sequence[Values], *, replace: bool = False) -> None:
    """Insert rows, whose values stand as the table's columns do.

    With `replace`, a row takes the place of the one with the same key.
    """
    if not rows:
        return
    connection = session.connection()
    if connection.dialect.name == "postgresql":
        arrays = ", ".join(["%s::bigint[]"] * len(table.columns))
        source = f"SELECT * FROM unnest({arrays})"  # noqa: S608 (no name, no value)
        statement = _statement(table, source, replace=replace)
        for part in _parts(rows):
            columns = tuple(map(_array, zip(*part, strict=True)))
            connection.exec_driver_sql(statement, columns)
    else:
        source = f"VALUES ({', '.join('?' * len(table.columns))})"
        connection.exec_driver_sql(_statement(table, source, replace=replace), list(rows))


def update_rows(
    session: Session,
    table: FromClause,
    columns: Sequence[str],
    rows: Sequence[Sequence[Any]],
    only: ColumnElement[bool] | None = None,
) -> None:
    """Set columns of rows that exist; the first of `columns` is the key that says which row.

    With `only`, rows that do not satisfy it stay as they are.
    """
    if not rows:
        return
    key, *others = (table.c[name] for name in columns)
    changing: Any = update(table)  # pyright: ignore[reportArgumentType]
    if only is not None:
        changing = changing.where(only)
    if session.get_bind().dialect.name == "postgresql":
        values = zip(*rows, strict=True)
        arrays = (
            literal(list(of_one), ARRAY(table.c[name].type))
            for name, of_one in zip(columns, values, strict=True)
        )
        named = (column(name, table.c[name].type) for name in columns)
        new = func.unnest(*arrays).table_valued(*named).render_derived(name="new")
        changing = changing.where(key == new.c[key.name])
        session.connection().execute(changing.values({one: new.c[one.name] for one in others}))
    else:
        changing = changing.where(key == bindparam("the_key"))
        session.connection().execute(
            changing.values({one: bindparam(f"new_{one.name}") for one in others}),
            [
                {"the_key": row[0]}
                | {f"new_{one.name}": value for one, value in zip(others, row[1:], strict=True)}
                for row in rows
            ],
        )


def read_rows(session: Session, table: Table, keys: Sequence[Values]) -> list[Any]:
    """The rows with these primary keys, as far as there are any, with all columns in order."""
    return [row for part in _parts(keys) for row in _read(session, table, part)]


def _read(session: Session, table: Table, keys: Sequence[Values]) -> Sequence[Any]:
    connection = session.connection()
    names = ", ".join(f'"{column.name}"' for column in table.columns)
    key = ", ".join(f'"{column.name}"' for column in table.primary_key)
    if connection.dialect.name == "postgresql":
        arrays = ", ".join(["%s::bigint[]"] * len(table.primary_key))
        wanted = f"SELECT * FROM unnest({arrays})"  # noqa: S608 (no name, no value)
        values = tuple(map(_array, zip(*keys, strict=True)))
    else:
        one = f"({', '.join('?' * len(table.primary_key))})"
        wanted = f"VALUES {', '.join([one] * len(keys))}"
        values = tuple(chain.from_iterable(keys))
    return connection.exec_driver_sql(
        f"SELECT {names} FROM {table.name} WHERE ({key}) IN ({wanted})",  # noqa: S608
        values,
    ).all()


def _parts(rows: Sequence[Values]) -> Iterator[Sequence[Values]]:
    return (rows[start : start + ROWS_AT_ONCE] for start in range(0, len(rows), ROWS_AT_ONCE))


def _array(values: Iterable[int | None]) -> str:
    """Integers as PostgreSQL writes an array; the driver asks each one for its type."""
    return "{" + ",".join("NULL" if value is None else str(value) for value in values) + "}"


@cache
def _statement(table: Table, source: str, *, replace: bool) -> str:
    names = [f'"{column.name}"' for column in table.columns]
    key = [f'"{column.name}"' for column in table.primary_key]
    insert = f"INSERT INTO {table.name} ({', '.join(names)}) {source}"
    if not replace:
        return insert
    news = ", ".join(f"{name} = excluded.{name}" for name in names if name not in key)
    return f"{insert} ON CONFLICT ({', '.join(key)}) DO UPDATE SET {news}"

"""Inserts and updates of many rows in one statement.

SQLite executes them one by one in a single call; PostgreSQL receives one array per column.
"""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import (
    ARRAY,
    ColumnElement,
    FromClause,
    TableValuedAlias,
    bindparam,
    column,
    func,
    insert,
    literal,
    select,
    update,
)
from sqlalchemy.orm import Session


def insert_rows(
    session: Session, table: FromClause, columns: Sequence[str], rows: Sequence[Sequence[Any]]
) -> None:
    """Insert rows; columns that are not named get their defaults."""
    if not rows:
        return
    adding: Any = insert(table)  # pyright: ignore[reportArgumentType]
    if session.get_bind().dialect.name == "postgresql":
        new = _unnested(table, columns, rows)
        session.connection().execute(adding.from_select(list(columns), select(*new.c)))
    else:
        session.connection().execute(adding, [dict(zip(columns, row, strict=True)) for row in rows])


def update_rows(
    session: Session,
    table: FromClause,
    columns: Sequence[str],
    rows: Sequence[Sequence[Any]],
    only: ColumnElement[bool] | None = None,
) -> None:
    """Update existing rows; the first of `columns` is the key.

    With `only`, rows that do not satisfy the condition stay unchanged.
    """
    if not rows:
        return
    key, *others = (table.c[name] for name in columns)
    changing: Any = update(table)  # pyright: ignore[reportArgumentType]
    if only is not None:
        changing = changing.where(only)
    if session.get_bind().dialect.name == "postgresql":
        new = _unnested(table, columns, rows)
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


def _unnested(
    table: FromClause, columns: Sequence[str], rows: Sequence[Sequence[Any]]
) -> TableValuedAlias:
    """Return SQL for rows that are sent as one array per column."""
    arrays = (
        literal(list(of_one), ARRAY(table.c[name].type))
        for name, of_one in zip(columns, zip(*rows, strict=True), strict=True)
    )
    named = (column(name, table.c[name].type) for name in columns)
    return func.unnest(*arrays).table_valued(*named).render_derived(name="new")

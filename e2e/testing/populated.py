"""A row in every table of a schema of any version, derived from the columns' types."""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Connection,
    Date,
    DateTime,
    Float,
    LargeBinary,
    MetaData,
    Numeric,
    String,
    Table,
    insert,
    types,
)

VERSION_TABLE = "alembic_version"
KEY = 1
"""The identifier of each row, so that every reference leads to one."""


def reflected(connection: Connection) -> list[Table]:
    """Return the existing tables, each after those that it refers to."""
    metadata = MetaData()
    metadata.reflect(connection)
    return [table for table in metadata.sorted_tables if table.name != VERSION_TABLE]


def populate(connection: Connection) -> dict[str, int]:
    """Insert a row into every table; return the number of rows of each."""
    tables = reflected(connection)
    for table in tables:
        row = {column.name: value_of(column) for column in table.columns}
        connection.execute(insert(table), row)
    return {table.name: 1 for table in tables}


def value_of(column: Column[Any]) -> Any:
    """Return a value that the column's type allows; a reference is the only row's."""
    of = column.type
    match of:
        case Boolean():
            return True
        case types.Integer() | Float() | Numeric():
            return KEY
        case DateTime():
            moment = datetime(2026, 11, 21, 12, tzinfo=UTC)
            return moment if of.timezone else moment.replace(tzinfo=None)
        case Date():
            return datetime(2026, 11, 21, tzinfo=UTC).date()
        case LargeBinary():
            return b"\x00"
        case JSON():
            return {}
        case String():
            return column.name[: of.length or 60]
        case _:
            raise NotImplementedError(f"{column}: {of!r}")

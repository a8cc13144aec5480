"""Constraints that concurrent requests can violate, and their error messages.

Names are checked before they are written, but two requests may pass that check at the same time.
Any other violated constraint is a bug in Assay.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError

from assay.db.database import Base, reading
from assay.http.field_errors import FieldError

UNIQUE = {
    ("hosts", "name"): "host",
    ("arrays", "name"): "array",
    ("credentials", "name"): "credential",
    ("users", "name"): "user",
    ("webhooks", "name"): "webhook",
    ("targets", "path"): "target of this host",
    ("schedules", "name"): "schedule",
    ("host_authorities", "name"): "host authority",
    ("tools", "name"): "tool",
    ("saved_views", "name"): "view of this list",
}
"""Unique fields, by table and field name."""

_REFERENCES = {
    "fk_targets_array_id_arrays": ("array_id", "array"),
    "fk_hosts_credential_id_credentials": ("credential_id", "credential"),
}
"""References to objects that a concurrent request may delete; not possible on SQLite, which has
only one writer."""

_ON_SQLITE = re.compile(r"UNIQUE constraint failed: (.+)$")
_ON_POSTGRESQL = re.compile(r"Key \(([^)]+)\)=")
_UNIQUE_VIOLATION = "23505"
_STILL_REFERENCED = "is still referenced"


@dataclass(frozen=True)
class Violation:
    """The field that violates a known constraint, and the id of the object in the way, if any."""

    field: FieldError
    existing_id: int | None = None


def explained(error: IntegrityError) -> Violation | None:
    """Return which known constraint is violated, or None; reads the database.

    The transaction of the failed statement has been rolled back.
    """
    found = _violated(error)
    if found is None:
        reference = _reference(error)
        return None if reference is None else Violation(reference)
    table, columns = found
    field = columns[-1]
    if what := UNIQUE.get((table, field)):
        message = f"another {what} has this {field}"
        shown = FieldError(field, message, f"Choose another {field}.", _value(error, field))
        return Violation(shown, _existing(error, table, columns))
    return None


def _existing(error: IntegrityError, name: str, columns: Sequence[str]) -> int | None:
    """Return the id of the row that has these values; None if it has just been deleted."""
    table = Base.metadata.tables[name]
    values = {column: _value(error, column) for column in columns}
    if None in values.values():  # a change of only some of the columns
        return None
    with reading() as session:
        return session.scalar(select(table.c.id).filter_by(**values))


def _reference(error: IntegrityError) -> FieldError | None:
    """Return the field error for a reference to an object that a concurrent request deleted."""
    diagnosis: Any = getattr(error.orig, "diag", None)
    reference = _REFERENCES.get(diagnosis.constraint_name) if diagnosis else None
    if not reference:
        return None
    field, what = reference
    if _STILL_REFERENCED in (diagnosis.message_detail or ""):
        message = f"a {diagnosis.table_name.removesuffix('s')} has just been given this {what}"
        return FieldError("id", message, f"Choose another {what} there, then delete this one.")
    message = f"this {what} has just been deleted"
    return FieldError(field, message, f"Choose another {what}.", _value(error, field))


def _violated(error: IntegrityError) -> tuple[str, list[str]] | None:
    """Return table and columns of a violated unique constraint, or None."""
    orig: Any = error.orig
    if getattr(orig, "sqlstate", None) == _UNIQUE_VIOLATION:
        key = _ON_POSTGRESQL.search(orig.diag.message_detail or "")
        return (str(orig.diag.table_name), key[1].split(", ")) if key else None
    match = _ON_SQLITE.search(str(orig))
    if match is None:
        return None
    columns = [column.partition(".") for column in match[1].split(", ")]
    return columns[0][0], [name for _, _, name in columns]


def _value(error: IntegrityError, column: str) -> Any:
    """Return the value for `column` in the failed statement, or None if it is unknown."""
    params: Any = error.params
    if isinstance(params, dict):
        return params.get(column)  # pyright: ignore[reportUnknownMemberType,reportUnknownVariableType]
    statement = error.statement or ""
    inserted = re.match(r"INSERT INTO \w+ \(([^)]*)\)", statement)
    names = (
        [name.strip(' "') for name in inserted[1].split(",")]
        if inserted
        else re.findall(r'"?(\w+)"?\s*=\s*\?', statement)
    )
    return dict(zip(names, params or (), strict=False)).get(column)

"""Constraints that concurrent requests can violate, and their error messages.

Names are checked before they are written, but two requests may pass that check at the same time.
Any other violated constraint is a bug in Assay.
"""

import re
from typing import Any

from sqlalchemy.exc import IntegrityError

from assay.http.field_errors import FieldError

_UNIQUE = {
    ("hosts", "name"): "host",
    ("arrays", "name"): "array",
    ("credentials", "name"): "credential",
    ("users", "name"): "user",
    ("webhooks", "name"): "webhook",
    ("targets", "path"): "target of this host",
    ("schedules", "name"): "schedule",
}
"""Unique fields, by table and field name."""

_REFERENCES = {
    "fk_targets_array_id_arrays": ("array_id", "array"),
    "fk_hosts_credential_id_credentials": ("credential_id", "credential"),
}
"""References to objects that a concurrent request may delete; not possible on SQLite, which has
only one writer."""

_ON_SQLITE = re.compile(r"UNIQUE constraint failed: (?:\w+\.\w+, )*(\w+)\.(\w+)$")
_ON_POSTGRESQL = re.compile(r"Key \((?:\w+, )*(\w+)\)=")
_UNIQUE_VIOLATION = "23505"
_STILL_REFERENCED = "is still referenced"


def explained(error: IntegrityError) -> FieldError | None:
    """Return the field error if a known constraint is violated, or None."""
    found = _violated(error)
    if found and (what := _UNIQUE.get(found)):
        field = found[1]
        message = f"another {what} has this {field}"
        return FieldError(field, message, f"Choose another {field}.", _value(error, field))
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


def _violated(error: IntegrityError) -> tuple[str, str] | None:
    """Return table and last column of a violated unique constraint, or None."""
    orig: Any = error.orig
    if getattr(orig, "sqlstate", None) == _UNIQUE_VIOLATION:
        column = _ON_POSTGRESQL.search(orig.diag.message_detail or "")
        return (str(orig.diag.table_name), column[1]) if column else None
    match = _ON_SQLITE.search(str(orig))
    return (match[1], match[2]) if match else None


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

"""The response to any error: `application/problem+json`, also for errors of the framework.

Names are checked before they are written, but two requests may pass that check at the same time. So
the constraints that they can violate have error messages, too.
Any other violated constraint is a bug in Assay.
"""

import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from sqlalchemy import select
from sqlalchemy.exc import IntegrityError, OperationalError
from starlette.exceptions import HTTPException

from assay.base.errors import Invalid, Overtaken, Problem, Unavailable, Unexpected
from assay.base.field_errors import SECRETS, FieldError, from_pydantic, unreadable
from assay.tables.database import Base, reading, why_refused

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


MEDIA_TYPE = "application/problem+json"

log = logging.getLogger(__name__)

_OF_FRAMEWORK = {404: "not_found", 405: "method_not_allowed", 413: "body_too_large"}


class _Plain(Problem):
    """An HTTP error of the framework, such as 405."""

    codes = ("bad_request", *_OF_FRAMEWORK.values())

    def __init__(self, status: int, detail: str, headers: dict[str, str] | None) -> None:
        remedy = None
        if status == HTTPStatus.METHOD_NOT_ALLOWED:
            detail = "The endpoint does not support this method."
            remedy = "See /api/v1/openapi.json."
        super().__init__(detail, remedy, headers=headers)
        self.status = status
        self.title = HTTPStatus(status).phrase
        self.code = _OF_FRAMEWORK.get(status, "bad_request")


def as_problem(error: Exception, model: object = None) -> Problem:
    """Return the problem for an exception; `model` is the type of the request's body, if any."""
    match error:
        case Problem():
            return error
        case RequestValidationError():
            return Invalid(from_pydantic(error.errors(), error.body, model))
        case HTTPException():
            return _of_framework(error)
        case IntegrityError() if found := explained(error):
            return Overtaken(found.field, found.existing_id)
        case OperationalError():
            log.error("database: %s", error)
            refused = why_refused(error)
            what = f"rejects writes: {refused}" if refused else "does not respond"
            return Unavailable(f"The database {what}.", "See /api/v1/health.")
        case _:
            return Unexpected()


def body_type(request: Request) -> object:
    """Return the type of the body that the request's endpoint takes, or None."""
    field = getattr(request.scope.get("route"), "body_field", None)
    return field and field.field_info.annotation


def _of_framework(error: HTTPException) -> Problem:
    if isinstance(error.__cause__, ValueError | RecursionError):  # the body is not JSON
        return Invalid([unreadable(error.__cause__)])
    headers = dict(error.headers) if error.headers else None
    return _Plain(error.status_code, error.detail, headers)


async def answer(request: Request, error: Exception) -> JSONResponse:
    """Return the response for any error, as problem+json.

    An unexpected error is logged with the id in the response.
    """
    model = body_type(request)
    if isinstance(error, IntegrityError):  # its explanation reads the database
        problem = await run_in_threadpool(as_problem, error, model)
    else:
        problem = as_problem(error, model)
    if isinstance(problem, Unexpected):
        log.error(
            "request %s: %s %s failed",
            problem.request_id,
            request.method,
            _logged_path(request),
            exc_info=error,
        )
    return rejection(problem)


def _logged_path(request: Request) -> str:
    """Return the path without a secret that is part of it."""
    path = request.url.path
    for name in SECRETS & request.path_params.keys():
        path = path.replace(request.path_params[name], "…")
    return path


def rejection(problem: Problem) -> JSONResponse:
    """Return the response for a problem."""
    return JSONResponse(
        problem.document(), problem.status, headers=problem.headers, media_type=MEDIA_TYPE
    )


def install(app: FastAPI) -> None:
    """Handle every error of `app` with `answer`."""
    for kind in (Problem, RequestValidationError, HTTPException, IntegrityError, OperationalError):
        app.add_exception_handler(kind, answer)
    app.add_exception_handler(Exception, answer)

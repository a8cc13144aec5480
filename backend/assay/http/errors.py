"""Errors as named classes with structured facts, and the handler that turns them into responses.

Every error response is `application/problem+json` (RFC 9457). It has a machine-readable `code`, and
for bad input a list of fields with value, message and remedy.
"""

import logging
import secrets
from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict
from sqlalchemy.exc import IntegrityError, OperationalError
from starlette.exceptions import HTTPException

from assay.db.refusals import why_refused
from assay.http import constraints
from assay.http.field_errors import FieldError, from_pydantic, unreadable

MEDIA_TYPE = "application/problem+json"

log = logging.getLogger(__name__)


class FieldProblem(BaseModel):
    """An invalid field: name, value, reason and remedy."""

    field: str
    value: Any = None
    message: str
    remedy: str | None = None


class ProblemDocument(BaseModel):
    """An error as defined by RFC 9457; some have additional members."""

    model_config = ConfigDict(
        extra="allow",
        json_schema_extra={
            "examples": [
                {
                    "type": "/problems/invalid",
                    "title": "Some fields are not valid",
                    "status": 422,
                    "detail": "tests.0.threads: must be at least 1",
                    "code": "invalid",
                    "errors": [
                        {
                            "field": "tests.0.threads",
                            "value": 0,
                            "message": "must be at least 1",
                            "remedy": "Give 1 or more.",
                        }
                    ],
                }
            ]
        },
    )

    type: str
    title: str
    status: int
    detail: str
    code: str
    errors: list[FieldProblem] = []


class Problem(Exception):  # noqa: N818 (RFC 9457 calls it so)
    """Base class of errors; subclasses define code, title and additional facts."""

    status: int = 400
    code: str = "bad_request"
    codes: tuple[str, ...] = ()
    """All codes of a class whose instances differ in code."""
    title: str = "Bad request"

    def __init__(
        self, detail: str, errors: Sequence[FieldError] = (), headers: dict[str, str] | None = None
    ) -> None:
        """Use `detail`: what happened, why and what to do; `errors` name the fields."""
        super().__init__(detail)
        self.detail, self.errors, self.headers = detail, tuple(errors), headers

    @property
    def facts(self) -> dict[str, Any]:
        """Further members of the problem document."""
        return {}

    def document(self) -> dict[str, Any]:
        """Return the response body."""
        return {
            "type": f"/problems/{self.code}",
            "title": self.title,
            "status": self.status,
            "detail": self.detail,
            "code": self.code,
            "errors": [error.document() for error in self.errors],
            **self.facts,
        }


class Invalid(Problem):
    """Fields of the request are invalid."""

    status, code, title = 422, "invalid", "Some fields are not valid"

    def __init__(self, errors: Sequence[FieldError]) -> None:
        """Join all errors in the detail."""
        super().__init__("; ".join(map(str, errors)), errors)


class NotFound(Problem):
    """The object does not exist."""

    status, code, title = 404, "not_found", "Not found"

    def __init__(self, what: str, name: object) -> None:
        """Name the object."""
        super().__init__(f"There is no {what} {name!r}. It may have been deleted.")


class Conflict(Problem):
    """The current state does not allow the request."""

    status, code, title = 409, "conflict", "The current state does not allow this"


class NameTaken(Conflict):
    """Another object of the same type has this name."""

    code, title = "name_taken", "The name is taken"

    def __init__(self, what: str, name: str) -> None:
        """Name the field to change."""
        message = f"another {what} has this name"
        super().__init__(
            f"name: {message}", [FieldError("name", message, "Choose another name.", name)]
        )


class Overtaken(Conflict):
    """A concurrent request took the name, or deleted a referenced object."""

    def __init__(self, error: FieldError) -> None:
        """Name the field to change, and its value."""
        if error.field == "name":
            self.code, self.title = NameTaken.code, NameTaken.title
        super().__init__(f"{error.field}: {error.message}", [error])


class NoSuchEndpoint(Problem):
    """The API has no endpoint at this path."""

    status, code, title = 404, "not_found", "There is no such endpoint"

    def __init__(self, path: str) -> None:
        """Name the path."""
        super().__init__(f"There is no endpoint {path!r}. See /api/v1/openapi.json.")


_OF_FRAMEWORK = {404: "not_found", 405: "method_not_allowed", 413: "body_too_large"}


class _Plain(Problem):
    """An HTTP error of the framework, such as 405."""

    codes = ("bad_request", *_OF_FRAMEWORK.values())

    def __init__(self, status: int, detail: str, headers: dict[str, str] | None) -> None:
        if status == HTTPStatus.METHOD_NOT_ALLOWED:
            detail = "The endpoint does not support this method. See /api/v1/openapi.json."
        super().__init__(detail, headers=headers)
        self.status = status
        self.title = HTTPStatus(status).phrase
        self.code = _OF_FRAMEWORK.get(status, "bad_request")


class Unavailable(Problem):
    """A service that Assay depends on does not respond."""

    status, code, title = 503, "unavailable", "A part of Assay does not respond"


class Unexpected(Problem):
    """A bug in Assay; the log contains it with the `request_id`."""

    status, code, title = 500, "internal", "Internal error"

    def __init__(self) -> None:
        """Create the id."""
        self.request_id = secrets.token_hex(8)
        super().__init__(f"The request failed. See request {self.request_id} in the log.")

    @property
    def facts(self) -> dict[str, Any]:
        """The id of the request in the log."""
        return {"request_id": self.request_id}


def problem_codes(kind: type[Problem] = Problem) -> set[str]:
    """Return all codes of this class and its subclasses."""
    return {*(kind.codes or (kind.code,))}.union(*map(problem_codes, kind.__subclasses__()))


def as_problem(error: Exception) -> Problem:
    """Return the problem for an exception."""
    match error:
        case Problem():
            return error
        case RequestValidationError():
            return Invalid(from_pydantic(error.errors(), error.body))
        case HTTPException():
            return _of_framework(error)
        case IntegrityError() if found := constraints.explained(error):
            return Overtaken(found)
        case OperationalError():
            log.error("database: %s", error)
            refused = why_refused(error)
            what = f"rejects writes: {refused}" if refused else "does not respond"
            return Unavailable(f"The database {what}. See /api/v1/health.")
        case _:
            return Unexpected()


def _of_framework(error: HTTPException) -> Problem:
    if isinstance(error.__cause__, ValueError | RecursionError):  # the body is not JSON
        return Invalid([unreadable(error.__cause__)])
    headers = dict(error.headers) if error.headers else None
    return _Plain(error.status_code, error.detail, headers)


async def answer(request: Request, error: Exception) -> JSONResponse:
    """Return the response for any error, as problem+json.

    An unexpected error is logged with the id in the response.
    """
    problem = as_problem(error)
    if isinstance(problem, Unexpected):
        log.error(
            "request %s: %s %s failed",
            problem.request_id,
            request.method,
            request.url.path,
            exc_info=error,
        )
    return JSONResponse(
        problem.document(), problem.status, headers=problem.headers, media_type=MEDIA_TYPE
    )


def install(app: FastAPI) -> None:
    """Handle every error of `app` with `answer`."""
    for kind in (Problem, RequestValidationError, HTTPException, IntegrityError, OperationalError):
        app.add_exception_handler(kind, answer)
    app.add_exception_handler(Exception, answer)

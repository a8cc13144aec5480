"""The response to any error: `application/problem+json`, also for errors of the framework."""

import logging
from http import HTTPStatus

from fastapi import FastAPI, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from sqlalchemy.exc import IntegrityError, OperationalError
from starlette.exceptions import HTTPException

from assay.db.refusals import why_refused
from assay.http import constraints
from assay.http.errors import Invalid, Overtaken, Problem, Unavailable, Unexpected
from assay.http.field_errors import SECRETS, from_pydantic, unreadable

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
        case IntegrityError() if found := constraints.explained(error):
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

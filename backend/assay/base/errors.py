"""Errors as named classes with structured facts; the API turns them into responses.

Every error response is `application/problem+json` (RFC 9457). It has a machine-readable `code`, and
for bad input a list of fields with value, message and remedy. `detail` is the reason, and `remedy`
what to do about it: only what shows both to a person joins them.
"""

import secrets
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from assay.base.field_errors import FieldError
from assay.base.logs import REQUEST_ID, request_id


class FieldProblem(BaseModel):
    """An invalid field: name, value, reason and remedy; in a text, also line and column."""

    field: str
    value: Any = None
    message: str
    remedy: str | None = None
    line: int | None = None
    column: int | None = None
    listed_in: str | None = Field(
        default=None, description="The collection that lists the values, such as `targets`"
    )

    def __str__(self) -> str:
        """Field and reason, after line and column if the field has them."""
        where = f"line {self.line}, column {self.column}: " if self.line else ""
        return f"{where}{self.field}: {self.message}"


def sentences(title: str, detail: str, remedy: str | None) -> str:
    """Return the reason, without it if the title says it all, and the remedy: "It is. Do."."""
    reason = "" if detail == title else detail
    if not remedy:
        return reason
    ended = not reason or reason.endswith((".", "!", "?"))
    return f"{reason}{'' if ended else '.'} {remedy}".lstrip()


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
                    "detail_repeats_errors": True,
                },
                {
                    "type": "/problems/not_found",
                    "title": "Not found",
                    "status": 404,
                    "detail": "There is no host 'lab'.",
                    "remedy": "Did you mean `lab1`?",
                    "code": "not_found",
                    "errors": [],
                },
            ]
        },
    )

    type: str
    title: str
    status: int
    detail: str = Field(description="The reason; the title if that says it all")
    remedy: str | None = Field(
        default=None, description="What to do about it; what to do about a field is in `errors`"
    )
    code: str
    errors: list[FieldProblem] = []
    detail_repeats_errors: bool = Field(
        default=False, description="`detail` only joins the `errors`: show one or the other"
    )

    @property
    def sentences(self) -> str:
        """Reason and remedy, to be shown after the title."""
        return sentences(self.title, self.detail, self.remedy)


class Problem(Exception):  # noqa: N818 (RFC 9457 calls it so)
    """Base class of errors; subclasses define code, title and additional facts."""

    status: int = 400
    code: str = "bad_request"
    codes: tuple[str, ...] = ()
    """All codes of a class whose instances differ in code."""
    title: str = "Bad request"

    def __init__(
        self,
        detail: str | None = None,
        remedy: str | None = None,
        *,
        errors: Sequence[FieldError] = (),
        headers: dict[str, str] | None = None,
    ) -> None:
        """Use the reason, unless fields or title say it all; what to do; and invalid fields."""
        super().__init__(detail, remedy)
        self._detail, self.remedy = detail, remedy
        self.errors, self.headers = tuple(errors), headers

    @property
    def detail(self) -> str:
        """The reason; without one, what the fields say, or the title."""
        return self._detail or "; ".join(map(str, self.errors)) or self.title

    def __str__(self) -> str:
        """Reason and remedy."""
        return sentences(self.title, self.detail, self.remedy) or self.title

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
            "remedy": self.remedy,
            "code": self.code,
            "errors": [error.document() for error in self.errors],
            "detail_repeats_errors": bool(self.errors) and not self._detail,
            **self.facts,
        }


class Invalid(Problem):
    """Fields of the request are invalid."""

    status, code, title = 422, "invalid", "Some fields are not valid"

    def __init__(self, errors: Sequence[FieldError]) -> None:
        """Name every field."""
        super().__init__(errors=errors)


@contextmanager
def nested_in(place: str) -> Generator[None]:
    """Name the fields of a Problem that the block raises as those of `place` in the body."""
    try:
        yield
    except Problem as problem:
        problem.errors = tuple(replace(one, field=f"{place}.{one.field}") for one in problem.errors)
        raise


class NotFound(Problem):
    """The object does not exist."""

    status, code, title = 404, "not_found", "Not found"

    def __init__(self, what: str, name: object, remedy: str | None = None) -> None:
        """Name the object, and what to do."""
        unknown = f"There is no {what} {name!r}."
        super().__init__(unknown if remedy else f"{unknown} It may have been deleted.", remedy)


class Conflict(Problem):
    """The current state does not allow the request.

    `existing_id` is the id of the object that is in the way, if it is one.
    """

    status, code, title = 409, "conflict", "The current state does not allow this"

    def __init__(
        self,
        detail: str | None = None,
        remedy: str | None = None,
        *,
        errors: Sequence[FieldError] = (),
        headers: dict[str, str] | None = None,
        existing_id: int | None = None,
    ) -> None:
        """Use what a Problem has, and the id of the object that is in the way."""
        super().__init__(detail, remedy, errors=errors, headers=headers)
        self.existing_id = existing_id

    @property
    def facts(self) -> dict[str, Any]:
        """The id of the existing object."""
        return {} if self.existing_id is None else {"existing_id": self.existing_id}


class NameTaken(Conflict):
    """Another object of the same type has this name."""

    code, title = "name_taken", "The name is taken"

    def __init__(self, what: str, name: str, existing_id: int) -> None:
        """Name the field to change, and the object that has the name."""
        message = f"another {what} has this name"
        super().__init__(
            errors=[FieldError("name", message, "Choose another name.", name)],
            existing_id=existing_id,
        )


class Overtaken(Conflict):
    """A concurrent request took the name, or deleted a referenced object."""

    def __init__(self, error: FieldError, existing_id: int | None = None) -> None:
        """Name the field to change, its value, and the object that has this value."""
        if error.field == "name":
            self.code, self.title = NameTaken.code, NameTaken.title
        super().__init__(errors=[error], existing_id=existing_id)


class NoSuchEndpoint(Problem):
    """The API has no endpoint at this path."""

    status, code, title = 404, "not_found", "There is no such endpoint"

    def __init__(self, path: str) -> None:
        """Name the path."""
        super().__init__(f"There is no endpoint {path!r}.", "See /api/v1/openapi.json.")


class Unavailable(Problem):
    """A service that Assay depends on does not respond."""

    status, code, title = 503, "unavailable", "A part of Assay does not respond"


class Unexpected(Problem):
    """A bug in Assay; the log contains it with the `request_id`."""

    status, code, title = 500, "internal", "Internal error"

    def __init__(self) -> None:
        """Name the request's id."""
        self.request_id = request_id.get() or secrets.token_hex(8)
        super().__init__(
            "The request failed.",
            f"See request {self.request_id} in the log.",
            headers={REQUEST_ID: self.request_id},
        )

    @property
    def facts(self) -> dict[str, Any]:
        """The id of the request in the log."""
        return {"request_id": self.request_id}


def problem_codes(kind: type[Problem] = Problem) -> set[str]:
    """Return all codes of this class and its subclasses."""
    return {*(kind.codes or (kind.code,))}.union(*map(problem_codes, kind.__subclasses__()))

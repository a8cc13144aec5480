"""Errors of the client. Those of the API have its code, and field, value and remedy."""

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from pydantic import ValidationError

from assay.base.errors import FieldProblem, ProblemDocument, sentences
from assay.base.printable import printable
from assay.runs.campaigns.schemas import CampaignOut

SHOWN = 200
"""Characters of a response that is no problem document."""


class AssayError(Exception):
    """Anything that the client could not do; the message says why, and what to do."""


class NoResponseError(AssayError):
    """The server did not respond, in spite of repeated requests; it may be stopped."""


class UnexpectedResponseError(AssayError):
    """The response is not one of this version of the API: another server, or a newer one."""


class ApiError(AssayError):
    """The API rejected a request.

    `detail` is the reason, and `fields` are the invalid fields with value, message and remedy;
    `field` and `value` are those of the first, and `remedy` is its or the problem's. `facts` are
    further members of the problem document, such as `existing_id` or the `estimate` of a campaign
    that does not fit.
    """

    def __init__(self, document: ProblemDocument, retry_after_s: float | None = None) -> None:
        """Use a problem document, and after how long the request may be repeated."""
        self.status, self.code = document.status, document.code
        self.title, self.detail = document.title, document.detail
        self._remedy = document.remedy
        self.fields = tuple(document.errors)
        self.facts: Mapping[str, Any] = document.model_extra or {}
        self.retry_after_s = retry_after_s
        self._repeats_fields = document.detail_repeats_errors
        super().__init__(self.text(self.fields))

    def text(self, fields: Sequence[FieldProblem]) -> str:
        """Return the message with these in place of `fields`, whose names mean something else."""
        detail = "; ".join(map(str, fields)) if self._repeats_fields else self.detail
        said = sentences(self.title, detail, self._remedy)
        lines = [f"{self.title}: {said}" if said else self.title]
        lines += [f"  {_given(one)}. {one.remedy}" for one in fields if one.remedy]
        return "\n".join(lines)

    @property
    def field(self) -> str | None:
        """The first invalid field, such as `overrides.block`."""
        return self.fields[0].field if self.fields else None

    @property
    def value(self) -> Any:
        """What was given for it."""
        return self.fields[0].value if self.fields else None

    @property
    def remedy(self) -> str | None:
        """What to do about it."""
        own = self.fields[0].remedy if self.fields else None
        return own or self._remedy


class InvalidError(ApiError):
    """Fields of the request are not valid (400, 422)."""


class AccessError(ApiError):
    """The token is unknown or expired, or may not do this (401, 403)."""


class NotFoundError(ApiError):
    """There is no such object; it may have been deleted (404)."""


class ConflictError(ApiError):
    """The state of an object does not allow the request (409)."""

    @property
    def existing_id(self) -> int | None:
        """The id of the object that is in the way, if it is one."""
        return self.facts.get("existing_id")


class ChangedError(ApiError):
    """The object was changed since it was read (412); `facts` has its `etag`."""


class RateLimitError(ApiError):
    """Too many requests (429); `retry_after_s` says how long to wait."""


class WaitTimeoutError(AssayError, TimeoutError):
    """A campaign has not ended in time; it continues, and `campaign` is its last known state."""

    def __init__(
        self, campaign_id: int, timeout_s: float, campaign: CampaignOut | None = None
    ) -> None:
        """Name the campaign and the limit; it is None if the server never responded."""
        super().__init__(f"campaign {campaign_id} has not ended within {timeout_s:g} s")
        self.campaign_id, self.timeout_s, self.campaign = campaign_id, timeout_s, campaign


_CLASSES: dict[int, type[ApiError]] = {
    HTTPStatus.BAD_REQUEST: InvalidError,
    HTTPStatus.UNAUTHORIZED: AccessError,
    HTTPStatus.FORBIDDEN: AccessError,
    HTTPStatus.NOT_FOUND: NotFoundError,
    HTTPStatus.CONFLICT: ConflictError,
    HTTPStatus.PRECONDITION_FAILED: ChangedError,
    HTTPStatus.UNPROCESSABLE_ENTITY: InvalidError,
    HTTPStatus.TOO_MANY_REQUESTS: RateLimitError,
}


def api_error(status: int, body: Any, text: str, retry_after_s: float | None) -> ApiError:
    """Return the error in a response: of the API, or of a proxy before it.

    `body` is the JSON document of the response, or None; `text` is the response as received.
    """
    try:
        document = ProblemDocument.model_validate(body)
    except ValidationError:
        document = ProblemDocument(
            type="about:blank", title=f"Status {status}", status=status, detail=plain(text), code=""
        )
    return _CLASSES.get(status, ApiError)(document, retry_after_s)


def _given(one: FieldProblem) -> str:
    return one.field if one.value is None else f"{one.field} is {one.value!r}"


def plain(text: str) -> str:
    """Return the beginning of a response on one line, for an error."""
    return printable(" ".join(text.split())[:SHOWN])

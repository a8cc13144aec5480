"""API types of profiles and their tests.

A value that a test does not use, as its other values are, is refused.
"""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any, Self, cast

from pydantic import BaseModel, ConfigDict, Field, model_validator

from assay.base.errors import Invalid
from assay.base.examples import shown
from assay.base.field_errors import FieldError
from assay.base.field_types import EntityTag, ManagingFile, Name, RequestBody, Text
from assay.kinds.kind import BaseTest
from assay.kinds.registry import KINDS, SHOWN, Test
from assay.runs.verdicts import examples
from assay.runs.verdicts.applicability import problem_of
from assay.runs.verdicts.schemas import Criteria, CriterionIn, refusal

WatchDeadline = Annotated[int, Field(strict=True, ge=10_000, le=1000 * 3_600_000)]


class ProfileBody(RequestBody):
    """The tests in order, how long a probe continues without a follower, and the criteria.

    A criterion judges every run that can give its metric; at least one test must. The deadline
    without a follower is by default the longest one of the tests' kinds.
    """

    tests: Annotated[list[Test], Field(min_length=1, max_length=50)]
    watch_ms: WatchDeadline | None = None
    criteria: Criteria = Field(default_factory=list[CriterionIn])

    @model_validator(mode="after")
    def _has_deadline(self) -> Self:
        if self.watch_ms is None:
            self.watch_ms = max(KINDS[test.kind].watch_ms for test in self.tests)
        return self

    @model_validator(mode="after")
    def _has_metrics(self) -> Self:
        if found := problem_of([one.criterion for one in self.criteria], self.tests):
            raise refusal(*found)
        return self


def _body() -> dict[str, Any]:
    """Return the example of a body."""
    tests = [SHOWN.examples.test]
    return {"tests": tests, "watch_ms": 600_000, "criteria": [examples.CRITERION]}


class ProfileIn(RequestBody):
    """A profile, or its next version."""

    model_config = ConfigDict(
        json_schema_extra=shown(
            lambda: {"name": "My matrix", "description": "Two blocks", "body": _body()}
        )
    )

    name: Name
    description: Text = ""
    body: ProfileBody


class ProfileCopy(RequestBody):
    """The name of a copy."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"name": "My first look"}]})

    name: Name


class ProfileOut(BaseModel):
    """One version of a profile."""

    model_config = ConfigDict(
        title="Profile",
        from_attributes=True,
        json_schema_extra=shown(
            lambda: {
                "id": 1,
                "slug": "first-look",
                "name": "First look",
                "version": 1,
                "builtin": True,
                "description": "Direct write, then read, within a minute.",
                "created_at": "2026-11-21T01:00:00Z",
                "body": _body(),
                "managed_by": None,
                "etag": '"7a1f…"',
            }
        ),
    )

    id: int
    slug: str
    name: str
    version: int
    builtin: bool
    description: str
    created_at: datetime
    body: ProfileBody
    managed_by: ManagingFile
    etag: EntityTag


def document(body: ProfileBody) -> dict[str, Any]:
    """Return the body as stored in the database."""
    return body.model_dump(mode="json")


def refuse_unused(tests: Sequence[BaseTest]) -> None:
    """Raise Invalid if a test has a value of its own, not the default, that it does not use.

    Who reads the profile would believe that it matters.
    """
    problems = [one for number, test in enumerate(tests) for one in _unused(number, test)]
    if problems:
        raise Invalid(problems)


def _unused(number: int, test: BaseTest) -> list[FieldError]:
    kind, fields, values = KINDS[test.kind], type(test).model_fields, test.model_dump(mode="json")
    found: list[FieldError] = []
    for name in sorted(kind.unused(values)):
        if fields[name].is_required():
            continue
        default: Any = fields[name].get_default(call_default_factory=True)
        if getattr(test, name) == default:
            continue
        message = "is given, but the test does not use it"
        remedy = f"its default, {_shown(default)}"
        if used := kind.used_with(name, values):
            decides, wanted = used
            message += f": {decides} is {_shown(values[decides])}"
            remedy += f", or set {decides} to {wanted}"
        where = f"body.tests.{number}.{name}"
        found.append(FieldError(where, message, f"Use {remedy}.", values[name]))
    return found


def _shown(value: object) -> str:
    """Format a value as a request has it; a list of one as that."""
    values = cast("list[object]", value) if isinstance(value, list) else [value]
    return json.dumps(values[0] if len(values) == 1 else values, ensure_ascii=False)

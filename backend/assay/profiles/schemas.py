"""API types of profiles and their tests."""

from datetime import datetime
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from assay.http.examples import shown
from assay.http.field_types import EntityTag, ManagingFile, Name, RequestBody, Text
from assay.kinds.registry import KINDS, SHOWN, Test
from assay.verdicts import examples
from assay.verdicts.applicability import problem_of
from assay.verdicts.schemas import Criteria, CriterionIn, refusal

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

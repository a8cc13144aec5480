"""API types of saved views."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from assay.base.field_types import EntityTag, Name, OneLine, RequestBody

ListName = Literal[
    "arrays", "audit", "campaigns", "credentials", "hosts", "profiles", "runs", "tokens", "users"
]
"""The lists that have views."""

MOST_PARAMETERS = 20

Parameter = Annotated[str, StringConstraints(min_length=1, max_length=40), OneLine]
Value = Annotated[str, StringConstraints(min_length=1, max_length=400), OneLine]


Search = Annotated[
    dict[Parameter, Value],
    Field(min_length=1, max_length=MOST_PARAMETERS, description="Parameters of the page"),
]


class SavedViewIn(RequestBody):
    """The filters and the order of a list, under a name; the parameters are those of its page."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "list": "campaigns",
                    "name": "Failed this week",
                    "search": {"verdict": "fail", "within": "7d", "sort": "-created_at"},
                }
            ]
        }
    )

    list: ListName
    name: Name
    search: Search


class SavedViewChange(RequestBody):
    """Another name, or other filters; omitted fields are unchanged."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"name": "Failed since Monday"}]})

    name: Name | None = None
    search: Search | None = None


class SavedViewOut(BaseModel):
    """A saved view."""

    model_config = ConfigDict(
        title="SavedView",
        from_attributes=True,
        json_schema_extra={
            "examples": [
                {
                    "id": 4,
                    "list": "campaigns",
                    "name": "Failed this week",
                    "search": {"verdict": "fail", "within": "7d", "sort": "-created_at"},
                    "created_at": "2026-11-21T01:00:00Z",
                    "etag": '"5d0a11…"',
                }
            ]
        },
    )

    id: int
    list: ListName
    name: str
    search: dict[str, str]
    created_at: datetime
    etag: EntityTag

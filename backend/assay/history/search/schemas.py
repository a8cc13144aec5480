"""API types of the search."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

Found = Literal["host", "array", "target", "profile", "campaign", "run", "schedule"]


class SearchHit(BaseModel):
    """An object that matches; `detail` tells it from others of the same name."""

    id: int
    name: str
    detail: str


class SearchGroup(BaseModel):
    """The matching objects of one type, the best first; `more` if there are others."""

    type: Found
    hits: list[SearchHit]
    more: bool


class SearchResult(BaseModel):
    """What matches each word of the search; only types with a match."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "groups": [
                        {
                            "type": "host",
                            "hits": [{"id": 5, "name": "web-1", "detail": "10.0.0.7"}],
                            "more": False,
                        }
                    ]
                }
            ]
        }
    )

    groups: list[SearchGroup]

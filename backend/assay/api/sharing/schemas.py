"""API types of share links."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from assay.base.field_types import Name, RequestBody

LONGEST_DAYS = 90

ShareLinkState = Literal["active", "expired", "revoked"]

_SHARE: dict[str, Any] = {
    "id": 4,
    "campaign_id": 7,
    "name": "Vendor support",
    "show_identifiers": False,
    "state": "active",
    "created_by": "ada",
    "created_at": "2026-11-21T09:14:03Z",
    "expires_at": "2026-12-05T09:14:03Z",
    "revoked_at": None,
    "accesses": 3,
    "last_access_at": "2026-11-22T15:40:11Z",
}


class ShareLinkIn(RequestBody):
    """A link to the report of a campaign."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"expires_in_days": 14, "name": "Vendor support"}]}
    )

    expires_in_days: Annotated[
        int, Field(ge=1, le=LONGEST_DAYS, strict=True, description="How long the link works")
    ]
    name: Name | None = Field(default=None, description="For whom or what it is")
    show_identifiers: bool = Field(
        default=False,
        strict=True,
        description="Show host names, paths, addresses, serial numbers and who launched it; "
        "otherwise they are replaced, also in texts",
    )


class ShareLinkOut(BaseModel):
    """A link to the report of a campaign, and how often it was opened."""

    model_config = ConfigDict(
        title="ShareLink", from_attributes=True, json_schema_extra={"examples": [_SHARE]}
    )

    id: int
    campaign_id: int
    name: str | None
    show_identifiers: bool
    state: ShareLinkState
    created_by: str
    created_at: datetime
    expires_at: datetime
    revoked_at: datetime | None
    accesses: int
    last_access_at: datetime | None


class NewShareLink(ShareLinkOut):
    """A new link. Its token is only in this response, and `path` is the page that it opens."""

    model_config = ConfigDict(
        title="NewShareLink",
        json_schema_extra={
            "examples": [
                _SHARE
                | {"accesses": 0, "last_access_at": None}
                | {"token": "assay_Zq7…", "path": "/shared/assay_Zq7…"}
            ]
        },
    )

    token: str
    path: str

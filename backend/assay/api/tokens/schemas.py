"""API types of tokens and of the caller."""

from datetime import datetime
from typing import Annotated, Literal, Self, cast

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic.config import JsonDict
from pydantic_core import PydanticCustomError

from assay.base.field_types import LARGEST_INTEGER, Name, RequestBody
from assay.base.identity import ROLE_OF, Limits, Role, Scope, granted, includes
from assay.base.labels import Labels

MOST_AT_ONCE = 10_000

_LIMITS = ("target_labels", "bytes_per_day", "campaigns_at_once")

EXAMPLE: JsonDict = {
    "id": 3,
    "name": "ci",
    "role": "operator",
    "scopes": ["read", "launch"],
    "target_labels": {"env": "lab"},
    "bytes_per_day": 2_000_000_000_000,
    "campaigns_at_once": 2,
    "used": {
        "bytes_today": 300_000_000_000,
        "campaign_ids": [41],
        "day_ends_at": "2026-11-22T00:00:00Z",
    },
    "created_by": "ada",
    "created_at": "2026-11-21T01:00:00Z",
    "expires_at": "2027-02-19T01:00:00Z",
    "last_used_at": None,
}

BytesPerDay = Annotated[
    int,
    Field(
        strict=True,
        ge=1,
        le=LARGEST_INTEGER,
        description="Bytes that its campaigns of a day (UTC) may write",
    ),
]
CampaignsAtOnce = Annotated[
    int,
    Field(
        strict=True, ge=1, le=MOST_AT_ONCE, description="Its campaigns that may be active or queued"
    ),
]
TargetLabels = Annotated[
    Labels, Field(description="It launches only on targets that have all of these labels")
]


class TokenIn(RequestBody):
    """A new API token: with its role, or only some scopes of it, and with limits to launches."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "name": "ci",
                    "role": "operator",
                    "scopes": ["read", "launch"],
                    "target_labels": {"env": "lab"},
                    "bytes_per_day": 2_000_000_000_000,
                    "campaigns_at_once": 2,
                    "expires_in_days": 90,
                }
            ]
        }
    )

    name: Name
    role: Role
    scopes: Annotated[
        list[Scope] | None,
        Field(min_length=1, max_length=20, description="All of the role if omitted"),
    ] = None
    target_labels: TargetLabels = Field(default_factory=dict[str, str])
    bytes_per_day: BytesPerDay | None = None
    campaigns_at_once: CampaignsAtOnce | None = None
    expires_in_days: Annotated[int, Field(ge=1, le=3650)] | None = 90

    @property
    def limits(self) -> Limits:
        """The scopes and limits, to issue a token with them."""
        return Limits(self.scopes, self.target_labels, self.bytes_per_day, self.campaigns_at_once)

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        """Refuse scopes beyond the role, and limits that do nothing or that the token can lift."""
        for position, scope in enumerate(self.scopes or ()):
            if not includes(self.role, ROLE_OF[scope]):
                raise _mistake(
                    f"scopes.{position}",
                    f"is {scope}, which the role {self.role} does not include",
                    f"Remove it, or give the role {ROLE_OF[scope]}.",
                    scope,
                )
        for name in _LIMITS:
            if limit := getattr(self, name):
                self._check_limit(name, limit)
        return self

    def _check_limit(self, name: str, limit: object) -> None:
        scopes = granted(self.role, self.scopes)
        if "launch" not in scopes:
            message = "has no effect on a token that cannot launch campaigns"
            raise _mistake(name, message, "Omit it, or add the scope launch.", limit)
        lifting = [one for one in _LIFT[name] if one in scopes]
        if lifting:
            message = f"could be lifted by the token itself, with its scope {lifting[0]}"
            kept = ", ".join(one for one in scopes if one not in _LIFT[name])
            remedy = f"Give the `scopes` without {' and '.join(lifting)}: {kept}."
            raise _mistake(name, message, remedy, limit)


_LIFT: dict[str, tuple[Scope, ...]] = {
    "target_labels": ("hosts", "admin"),  # label targets; create a user and log in
    "bytes_per_day": ("admin",),
    "campaigns_at_once": ("admin",),
}
"""The scopes with which the holder of a token could lift its limits."""


def _mistake(field: str, message: str, remedy: str, value: object) -> PydanticCustomError:
    if isinstance(value, dict):  # errors show lists of texts, but no documents
        value = [f"{key}={text}" for key, text in cast("dict[str, str]", value).items()]
    context = {"what": message, "remedy": remedy, "field": field, "value": value}
    return PydanticCustomError("token_limits", "{what}", context)


class TokenUsage(BaseModel):
    """What a token has used: bytes on this day (UTC), and its active and queued campaigns.

    An ended campaign counts with the bytes that it wrote, the others with those of their plan; all
    count on the day of their launch.
    """

    bytes_today: int
    campaign_ids: list[int]
    day_ends_at: datetime


class TokenOut(BaseModel):
    """An API token, without its secret."""

    model_config = ConfigDict(
        title="Token", from_attributes=True, json_schema_extra={"examples": [EXAMPLE]}
    )

    id: int
    name: str
    role: Role
    scopes: list[Scope]
    target_labels: dict[str, str]
    bytes_per_day: int | None
    campaigns_at_once: int | None
    used: TokenUsage
    created_by: str
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None


class NewToken(TokenOut):
    """An API token with its secret, which is returned only once."""

    model_config = ConfigDict(
        title="NewToken", json_schema_extra={"examples": [{**EXAMPLE, "token": "assay_4W…"}]}
    )

    token: str


class Me(BaseModel):
    """The caller, and what it may do: a token with its scopes and limits, or a person.

    `scopes` are those that also the current role of the token's user includes.
    """

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "kind": "token",
                    "name": "ada, token ci",
                    "role": "operator",
                    "scopes": ["read", "launch"],
                    "api_token": EXAMPLE,
                }
            ]
        }
    )

    kind: Literal["person", "token"]
    name: str
    role: Role
    scopes: list[Scope]
    api_token: TokenOut | None

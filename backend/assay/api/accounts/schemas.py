"""API types of users, sessions and the audit log."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, StringConstraints

from assay.base.field_types import EntityTag, Name, RequestBody, ShortText
from assay.base.identity import Role

Password = Annotated[str, StringConstraints(min_length=8, max_length=1000)]


CSRF_HEADER = "X-Assay-CSRF"
"""The header with which a page proves that it sends a write itself."""


class SetUp(RequestBody):
    """The first administrator, with the setup code from the log."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"code": "7KQF-2MXD-9PWR-HC4T", "name": "ada", "password": "correct horse"}
            ]
        }
    )

    code: str
    name: Name
    password: Password


class Login(RequestBody):
    """A name and a password."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"name": "ada", "password": "correct horse"}]}
    )

    name: ShortText
    password: Annotated[str, StringConstraints(max_length=1000)]


class SessionUser(BaseModel):
    """The user of a session."""

    id: int
    name: str
    role: Role


class SessionOut(BaseModel):
    """A browser session; send `csrf` in the header `X-Assay-CSRF` of each write."""

    model_config = ConfigDict(
        title="Session",
        json_schema_extra={
            "examples": [
                {
                    "user": {"id": 1, "name": "ada", "role": "admin"},
                    "csrf": "kX0…",
                    "expires_at": "2026-11-21T13:00:00Z",
                }
            ]
        },
    )

    user: SessionUser
    csrf: str
    expires_at: datetime


class UserIn(RequestBody):
    """A new user."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"name": "grace", "password": "battery staple", "role": "operator"}]
        }
    )

    name: Name
    password: Password
    role: Role


class UserChange(RequestBody):
    """Changes to a user; a new password or `disabled` ends the user's sessions."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"role": "viewer"}]})

    role: Role | None = None
    password: Password | None = None
    disabled: bool | None = None


class UserOut(BaseModel):
    """A user."""

    model_config = ConfigDict(
        title="User",
        from_attributes=True,
        json_schema_extra={
            "examples": [
                {
                    "id": 2,
                    "name": "grace",
                    "role": "operator",
                    "disabled": False,
                    "created_at": "2026-11-21T01:00:00Z",
                    "etag": '"e81d…"',
                }
            ]
        },
    )

    id: int
    name: str
    role: Role
    disabled: bool
    created_at: datetime
    etag: EntityTag


class AuditOut(BaseModel):
    """One change: actor, action, object, time and address."""

    model_config = ConfigDict(
        title="AuditEntry",
        from_attributes=True,
        json_schema_extra={
            "examples": [
                {
                    "id": 9,
                    "at": "2026-11-21T01:00:00Z",
                    "actor": "ada",
                    "action": "host.created",
                    "object": "host 5 web-1",
                    "detail": {"address": "10.0.0.7"},
                    "address": "127.0.0.1",
                }
            ]
        },
    )

    id: int
    at: datetime
    actor: str
    action: str
    object: str
    detail: dict[str, Any]
    address: str

"""Queries for profiles."""

from collections.abc import Sequence

from sqlalchemy import ColumnElement, Select, cast, func, literal, or_, select
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Session

from assay.http.errors import NotFound
from assay.http.names import Known
from assay.profiles.models import Profile


def newest() -> Select[Profile]:
    """Select the newest version of each profile that is not deleted."""
    ids = select(func.max(Profile.id)).group_by(Profile.slug)
    return select(Profile).where(Profile.id.in_(ids), Profile.retired_at.is_(None))


def names(session: Session) -> Known:
    """Return name and slug of each profile that is not deleted."""
    rows = session.scalars(newest())
    return Known("profile", "profiles", {row.id: (row.name, row.slug) for row in rows})


def every_name(session: Session) -> Known:
    """Return slug and name of each profile, deleted or not, by the id of its newest version."""
    ids = select(func.max(Profile.id)).group_by(Profile.slug)
    rows = session.scalars(select(Profile).where(Profile.id.in_(ids)))
    return Known("profile", "profiles", {row.id: (row.slug, row.name) for row in rows})


def versions(slug: str) -> Select[Profile]:
    """Select all versions of a profile, including replaced and deleted ones."""
    return select(Profile).where(Profile.slug == slug)


def has_test_of(session: Session, kinds: Sequence[str]) -> ColumnElement[bool]:
    """Return SQL for whether one of a profile's tests is of one of these kinds."""
    if session.get_bind().dialect.name == "postgresql":
        body = cast(Profile.body, JSONB)
        return or_(*(body.contains({"tests": [{"kind": kind}]}) for kind in kinds))
    tests = func.json_each(Profile.body, "$.tests").table_valued("value")
    kind = func.json_extract(tests.c.value, "$.kind")
    return select(literal(1)).select_from(tests).where(kind.in_(kinds)).exists()


def find(session: Session, profile_id: int, *, lock: bool = False) -> Profile:
    """Return this version, deleted or not, or raise NotFound."""
    profile = session.get(Profile, profile_id, with_for_update=lock or None)
    if profile is None:
        raise NotFound("profile", profile_id)
    return profile

"""Queries for profiles, and their creation with names and slugs that no other profile has."""

from collections.abc import Sequence

from sqlalchemy import ColumnElement, Select, cast, func, literal, or_, select
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Session

from assay.access.audit import record
from assay.base.errors import NameTaken, NotFound
from assay.base.identity import Identity
from assay.base.names import Known, slug
from assay.runs.profiles.schemas import ProfileIn, ProfileOut, document
from assay.tables.database import pass_alone
from assay.tables.profiles import Profile


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


LONGEST_SLUG = 100
NAMES_LOCK = 0x41535350


def add(session: Session, body: ProfileIn, who: Identity, action: str) -> ProfileOut:
    """Create version 1 of a custom profile; raises NameTaken. `action` is the audit log's."""
    lock_free_name(session, body.name)
    profile = Profile(
        slug=_free_slug(session, body.name),
        version=1,
        name=body.name,
        description=body.description,
        body=document(body.body),
        created_by=who.actor,
    )
    session.add(profile)
    session.flush()
    record(session, who, action, f"profile {profile.id} {profile.name}")
    return ProfileOut.model_validate(profile)


def lock_free_name(session: Session, name: str) -> None:
    """Raise NameTaken for a name in use, and lock names until the commit.

    A constraint cannot enforce it, because all versions of a profile have the same name.
    """
    pass_alone(session, NAMES_LOCK)
    if taken := session.scalar(newest().where(Profile.name == name)):
        raise NameTaken("profile", name, taken.id)


def _free_slug(session: Session, name: str) -> str:
    """Return a slug of the name's letters and digits that no profile has used."""
    base = slug(name)[:LONGEST_SLUG] or "profile"
    taken = set(session.scalars(select(Profile.slug).where(Profile.slug.startswith(base))))
    count = session.scalar(select(func.count()).select_from(Profile)) or 0
    tries = [base, *(f"{base}-{number}" for number in range(2, count + 3))]
    return next(one for one in tries if one not in taken)

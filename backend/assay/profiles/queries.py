"""Reading profiles."""

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

from assay.http.errors import NotFound
from assay.profiles.models import Profile


def newest() -> Select[Profile]:
    """The newest version of each profile in use."""
    ids = select(func.max(Profile.id)).group_by(Profile.slug)
    return select(Profile).where(Profile.id.in_(ids), Profile.retired_at.is_(None))


def versions(slug: str) -> Select[Profile]:
    """Every version of one profile, replaced and deleted ones too."""
    return select(Profile).where(Profile.slug == slug)


def find(session: Session, profile_id: int, *, lock: bool = False) -> Profile:
    """This very version, retired or not, or NotFound."""
    profile = session.get(Profile, profile_id, with_for_update=lock or None)
    if profile is None:
        raise NotFound("profile", profile_id)
    return profile

"""Creation of profiles, with names and slugs that no other profile has."""

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from assay.accounts.audit import record
from assay.accounts.identity import Identity
from assay.db.database import pass_alone
from assay.http.errors import NameTaken
from assay.http.names import slug
from assay.profiles import queries
from assay.profiles.models import Profile
from assay.profiles.schemas import ProfileIn, ProfileOut, document

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
    if taken := session.scalar(queries.newest().where(Profile.name == name)):
        raise NameTaken("profile", name, taken.id)


def _free_slug(session: Session, name: str) -> str:
    """Return a slug of the name's letters and digits that no profile has used."""
    base = slug(name)[:LONGEST_SLUG] or "profile"
    taken = set(session.scalars(select(Profile.slug).where(Profile.slug.startswith(base))))
    count = session.scalar(select(func.count()).select_from(Profile)) or 0
    tries = [base, *(f"{base}-{number}" for number in range(2, count + 3))]
    return next(one for one in tries if one not in taken)

"""The filter of campaigns by their profile, in any version."""

from collections.abc import Sequence

from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session

from assay.campaigns.models import Campaign
from assay.http.errors import Invalid
from assay.http.field_errors import FieldError
from assay.profiles.models import Profile

MOST_SLUGS = 30
"""Slugs that an error names."""


def has_profile(session: Session, slug: str) -> ColumnElement[bool]:
    """Return SQL for whether a campaign has this profile; raises Invalid if there is none."""
    ids = session.scalars(select(Profile.id).where(Profile.slug == slug)).all()
    if not ids:
        raise Invalid([_unknown(session, slug)])
    return Campaign.profile_id.in_(ids)


def _unknown(session: Session, slug: str) -> FieldError:
    slugs: Sequence[str] = session.scalars(
        select(Profile.slug).distinct().order_by(Profile.slug).limit(MOST_SLUGS)
    ).all()
    known = f"Choose one of {', '.join(slugs)}." if slugs else "There are no profiles."
    return FieldError("profile", "is not the slug of a profile", known, slug)

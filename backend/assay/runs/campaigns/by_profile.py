"""The filter of campaigns by their profile, in any version."""

from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session

from assay.runs.profiles import queries
from assay.tables.campaigns import Campaign
from assay.tables.profiles import Profile


def has_profile(session: Session, wanted: str) -> ColumnElement[bool]:
    """Return SQL for whether a campaign has the profile of this slug, name or id.

    Raises Invalid if there is none.
    """
    number = queries.every_name(session).find("profile", wanted)
    slug = select(Profile.slug).where(Profile.id == number).scalar_subquery()
    return Campaign.profile_id.in_(select(Profile.id).where(Profile.slug == slug))

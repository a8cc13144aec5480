"""Profiles of a file: each is declared as a whole, and a change makes a new version."""

from functools import partial
from typing import Any

from sqlalchemy import exists, select

from assay.api.declarations.plan import ExistingObject, Planning
from assay.api.declarations.schemas import DeclaredProfile
from assay.api.endpoints.profiles import (
    BuiltinProfile,
    create_profile,
    delete_profile,
    replace_profile,
)
from assay.base.errors import Conflict
from assay.runs.lifecycle import ACTIVE, QUEUED
from assay.runs.profiles import queries
from assay.runs.profiles.schemas import ProfileBody, ProfileIn, document
from assay.tables.campaigns import Campaign
from assay.tables.profiles import Profile
from assay.tables.runs import Run


class ProfileInUse(Conflict):
    """A campaign that has not ended was launched with the profile."""

    def __init__(self, campaign_id: int) -> None:
        """Name the campaign."""
        super().__init__(
            f"campaign {campaign_id} uses it.", "Cancel the campaign or wait until it ends."
        )


def apply(plan: Planning) -> None:
    """Create the file's profiles, and new versions of those that differ."""
    names = [entry.name for entry in plan.file.profiles]
    rows = plan.session.scalars(queries.newest().where(Profile.name.in_(names)))
    existing = {row.name: row for row in rows}
    for number, entry in enumerate(plan.file.profiles):
        with plan.entry(f"profiles.{number}", "profile", entry.name):
            body = ProfileIn(name=entry.name, description=entry.description, body=entry.body)
            if row := existing.get(entry.name):
                found = ExistingObject(row, values(row))
                if row.builtin:
                    raise BuiltinProfile("it is part of Assay.", "Give yours another name.")
                change = partial(_change, plan, row, body)
                plan.settle("profile", entry.name, found, _given(entry), change)
            else:
                plan.require("create", "profile")
                made = create_profile(body, plan.who, plan.session)
                plan.session.get_one(Profile, made.id).managed_by = plan.file.name
                plan.note("create", "profile", entry.name, made.id)


def drop(plan: Planning) -> None:
    """Remove, or keep without `prune`, the profiles that the file created and no longer has."""
    names = [entry.name for entry in plan.file.profiles]
    mine = queries.newest().where(Profile.managed_by == plan.file.name, Profile.name.not_in(names))
    for row in plan.session.scalars(mine.order_by(Profile.id)).all():
        plan.drop("profile", row.name, row.id, partial(_delete, plan, row))


def values(row: Profile) -> dict[str, Any]:
    """Return what a file may set, as documents of the current version of Assay."""
    body = document(ProfileBody.model_validate(row.body))
    return {"name": row.name, "description": row.description, **body}


def _given(entry: DeclaredProfile) -> dict[str, Any]:
    return {"name": entry.name, "description": entry.description, **document(entry.body)}


def _change(plan: Planning, row: Profile, body: ProfileIn, _fields: dict[str, Any]) -> Profile:
    made = replace_profile(row.id, body, plan.who, plan.session)
    return plan.session.get_one(Profile, made.id)


def _delete(plan: Planning, row: Profile) -> None:
    versions = select(Profile.id).where(Profile.slug == row.slug)
    unended = exists().where(Run.campaign_id == Campaign.id, Run.state.in_([QUEUED, *ACTIVE]))
    using = select(Campaign.id).where(Campaign.profile_id.in_(versions), unended)
    if campaign_id := plan.session.scalar(using.order_by(Campaign.id).limit(1)):
        raise ProfileInUse(campaign_id)
    delete_profile(row.id, plan.who, plan.session)

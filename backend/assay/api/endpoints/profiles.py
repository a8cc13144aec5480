"""Endpoints for profiles. A change creates a new version; campaigns keep their version."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query
from fastapi.responses import JSONResponse
from sqlalchemy import update
from sqlalchemy.orm import Session

from assay.access import preconditions
from assay.access.audit import record
from assay.api.accounts.authentication import may
from assay.api.http.paging import Listing, Page, caseless, each, listing
from assay.api.http.routes import Route
from assay.base.errors import Conflict
from assay.base.etags import IfMatch
from assay.base.field_types import Id, Storable
from assay.base.filters import LONGEST_NAME, Words, has_words
from assay.base.identity import Identity
from assay.kinds.registry import KindName
from assay.runs.profiles import queries
from assay.runs.profiles.queries import add, lock_free_name
from assay.runs.profiles.schemas import ProfileCopy, ProfileIn, ProfileOut, document, refuse_unused
from assay.tables.clock import moment
from assay.tables.profiles import Profile
from assay.tables.transactions import Reading, Writing

router = APIRouter(prefix="/profiles", tags=["profiles"], route_class=Route)

ProfileList = Annotated[
    Listing[ProfileOut],
    Depends(
        listing(
            ProfileOut,
            {
                "id": Profile.id,
                "name": caseless(Profile.name),
                "slug": Profile.slug,
                "version": Profile.version,
                "created_at": Profile.created_at,
            },
            by="id",
        )
    ),
]

Slug = Annotated[
    Annotated[str, Storable] | None,
    Query(max_length=120, description="All versions of this profile"),
]


ProfileName = Annotated[
    Annotated[str, Storable] | None,
    Query(max_length=LONGEST_NAME, description="Only the profile of this name, slug or id"),
]


class BuiltinProfile(Conflict):
    """The profile is part of Assay."""

    code, title = "builtin_profile", "A built-in profile cannot be changed"


class OldVersion(Conflict):
    """The version was replaced or deleted."""

    code, title = "old_version", "This is not the newest version of the profile"


@router.get("", response_model=Page[ProfileOut], summary="List profiles")
def list_profiles(
    _who: Annotated[Identity, may("profile.read")],
    session: Reading,
    part: ProfileList,
    *,
    slug: Slug = None,
    profile: ProfileName = None,
    kind: Annotated[
        list[KindName] | None,
        Query(description="Only those with a test of this kind; repeatable"),
    ] = None,
    builtin: Annotated[
        bool | None, Query(description="Only built-in profiles, or only others")
    ] = None,
    q: Words = None,
) -> Page[ProfileOut] | JSONResponse:
    """The newest version of each, oldest profile first; with `slug`, all versions of that one.

    `q` also searches descriptions.
    """
    chosen = queries.newest() if slug is None else queries.versions(slug)
    if profile is not None:
        chosen = chosen.where(Profile.id == queries.names(session).find("profile", profile))
    chosen = chosen.where(has_words(q or "", Profile.name, Profile.description))
    if builtin is not None:
        chosen = chosen.where(Profile.builtin.is_(builtin))
    if kind:
        chosen = chosen.where(queries.has_test_of(session, kind))
    return part.page(session, chosen, each(ProfileOut.model_validate))


@router.get("/{profile_id}", summary="Show a profile")
def show_profile(
    profile_id: Id, _who: Annotated[Identity, may("profile.read")], session: Reading
) -> ProfileOut:
    """Returns this version, even if it was replaced or deleted."""
    return ProfileOut.model_validate(queries.find(session, profile_id))


@router.post("", status_code=201, summary="Create a profile")
def create_profile(
    body: ProfileIn, who: Annotated[Identity, may("profile.create")], session: Writing
) -> ProfileOut:
    """Creates version 1 of a custom profile.

    A value that its test does not use, and that is not the default, is refused.
    """
    refuse_unused(body.body.tests)
    return add(session, body, who, "profile.created")


@router.put("/{profile_id}", summary="Create the next version of a profile")
def replace_profile(
    profile_id: Id,
    body: ProfileIn,
    who: Annotated[Identity, may("profile.change")],
    session: Writing,
    if_match: IfMatch = None,
) -> ProfileOut:
    """`profile_id` must be the newest version; the new version has its own id.

    A value that its test does not use, and that is not the default, is refused.
    """
    refuse_unused(body.body.tests)
    old = _own(session, profile_id)
    preconditions.check(session, if_match, old.etag, f"profile {old.id}")
    if body.name != old.name:
        lock_free_name(session, body.name)
    new = Profile(
        slug=old.slug,
        version=old.version + 1,
        name=body.name,
        description=body.description,
        body=document(body.body),
        managed_by=old.managed_by,
        created_by=who.actor,
    )
    session.add(new)
    session.flush()
    record(session, who, "profile.changed", f"profile {new.id} {new.name}", version=new.version)
    return ProfileOut.model_validate(new)


@router.post("/{profile_id}/copy", status_code=201, summary="Copy a profile")
def copy_profile(
    profile_id: Id,
    body: ProfileCopy,
    who: Annotated[Identity, may("profile.create")],
    session: Writing,
) -> ProfileOut:
    """The copy is a custom profile; the source may be built in."""
    source = ProfileOut.model_validate(queries.find(session, profile_id))
    wanted = ProfileIn(name=body.name, description=source.description, body=source.body)
    return add(session, wanted, who, "profile.copied")


@router.delete("/{profile_id}", status_code=204, summary="Delete a profile")
def delete_profile(
    profile_id: Id,
    who: Annotated[Identity, may("profile.delete")],
    session: Writing,
    if_match: IfMatch = None,
) -> None:
    """Deletes all versions; campaigns keep their copy."""
    profile = _own(session, profile_id)
    preconditions.check(session, if_match, profile.etag, f"profile {profile.id}")
    session.execute(update(Profile).where(Profile.slug == profile.slug).values(retired_at=moment()))
    record(session, who, "profile.deleted", f"profile {profile.id} {profile.name}")


def _own(session: Session, profile_id: int) -> Profile:
    """Return the newest version of a custom profile."""
    profile = queries.find(session, profile_id, lock=True)
    if profile.builtin:
        raise BuiltinProfile(f"'{profile.name}' is part of Assay.", "Copy it and change the copy.")
    newest = session.scalar(queries.newest().where(Profile.slug == profile.slug))
    if newest is None or newest.id != profile.id:
        if newest is None:
            raise OldVersion("It has been deleted.")
        newer = f"{newest.created_by} saved version {newest.version}, profile {newest.id}."
        raise OldVersion(newer, "Reload it.", existing_id=newest.id)
    return profile

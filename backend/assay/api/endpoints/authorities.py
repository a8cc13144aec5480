"""Endpoints for host authorities."""

from collections.abc import Sequence
from typing import Annotated

import asyncssh
from fastapi import APIRouter, Depends
from fastapi.responses import JSONResponse
from sqlalchemy import select
from sqlalchemy.orm import Session

from assay.access import preconditions
from assay.access.audit import record
from assay.api.accounts.authentication import may
from assay.api.http.paging import Listing, Page, caseless, listing
from assay.api.http.routes import Route
from assay.base.errors import Invalid, NameTaken, NotFound
from assay.base.etags import IfMatch, etag
from assay.base.field_errors import FieldError
from assay.base.field_types import Id
from assay.base.filters import Words, has_words
from assay.base.identity import Identity
from assay.inventory.authorities.schemas import (
    EDITABLE,
    HostAuthorityChange,
    HostAuthorityIn,
    HostAuthorityOut,
)
from assay.tables.authorities import HostAuthority
from assay.tables.transactions import Reading, Writing

router = APIRouter(prefix="/host-authorities", tags=["authorities"], route_class=Route)

AuthorityList = Annotated[
    Listing[HostAuthorityOut],
    Depends(
        listing(
            HostAuthorityOut,
            {
                "id": HostAuthority.id,
                "name": caseless(HostAuthority.name),
                "created_at": HostAuthority.created_at,
            },
            by="-id",
        )
    ),
]


@router.get("", response_model=Page[HostAuthorityOut], summary="List host authorities")
def list_host_authorities(
    _who: Annotated[Identity, may("host_authority.read")],
    session: Reading,
    part: AuthorityList,
    *,
    q: Words = None,
) -> Page[HostAuthorityOut] | JSONResponse:
    """Newest first, with patterns and revoked keys."""
    chosen = select(HostAuthority).where(has_words(q or "", HostAuthority.name))
    return part.page(session, chosen, _shapes)


@router.post("", status_code=201, summary="Trust a host authority")
def create_host_authority(
    body: HostAuthorityIn, who: Annotated[Identity, may("host_authority.create")], session: Writing
) -> HostAuthorityOut:
    """Hosts whose address matches are then trusted by their certificates, without approval."""
    _free(session, body.name)
    fingerprint = _fingerprint(body.public_key)
    row = HostAuthority(**body.model_dump(), fingerprint=fingerprint)
    session.add(row)
    session.flush()
    what, detail = _what(row), {"fingerprint": fingerprint, "patterns": row.patterns}
    record(session, who, "host_authority.created", what, **detail)
    return _shapes(session, [row])[0]


@router.get("/{authority_id}", summary="Show a host authority")
def show_host_authority(
    authority_id: Id, _who: Annotated[Identity, may("host_authority.read")], session: Reading
) -> HostAuthorityOut:
    """Includes its patterns and the keys that were revoked."""
    return _shapes(session, [_found(session, authority_id)])[0]


@router.patch("/{authority_id}", summary="Change a host authority")
def change_host_authority(
    authority_id: Id,
    body: HostAuthorityChange,
    who: Annotated[Identity, may("host_authority.change")],
    session: Writing,
    if_match: IfMatch = None,
) -> HostAuthorityOut:
    """Omitted fields are unchanged; the next connection to each host uses the new ones."""
    row = _found(session, authority_id, lock=True)
    preconditions.check(session, if_match, _tag(row), f"host_authority {row.id}")
    changes = body.model_dump(exclude_unset=True)
    for field, value in changes.items():
        if value is None:
            raise Invalid([FieldError(field, "must not be null", "Omit it or enter a value.")])
    if body.name is not None and body.name != row.name:
        _free(session, body.name)
    for field, value in changes.items():
        setattr(row, field, value)
    session.flush()
    record(session, who, "host_authority.changed", _what(row), **changes)
    return _shapes(session, [row])[0]


@router.delete("/{authority_id}", status_code=204, summary="Delete a host authority")
def delete_host_authority(
    authority_id: Id,
    who: Annotated[Identity, may("host_authority.delete")],
    session: Writing,
    if_match: IfMatch = None,
) -> None:
    """Hosts without an approved key of their own need an approval then."""
    row = _found(session, authority_id, lock=True)
    preconditions.check(session, if_match, _tag(row), f"host_authority {row.id}")
    record(session, who, "host_authority.deleted", _what(row))
    session.delete(row)


def _found(session: Session, authority_id: int, *, lock: bool = False) -> HostAuthority:
    row = session.get(HostAuthority, authority_id, with_for_update=lock or None)
    if row is None:
        raise NotFound("host authority", authority_id)
    return row


def _free(session: Session, name: str) -> None:
    taken = select(HostAuthority.id).where(HostAuthority.name == name)
    if (existing := session.scalar(taken)) is not None:
        raise NameTaken("host authority", name, existing)


def _what(row: HostAuthority) -> str:
    return f"host_authority {row.id} {row.name}"


def _fingerprint(public_key: str) -> str:
    return asyncssh.import_public_key(public_key).get_fingerprint()


def _tag(row: HostAuthority) -> str:
    return etag(row, EDITABLE)


def _shapes(_session: Session, rows: Sequence[HostAuthority]) -> list[HostAuthorityOut]:
    fields = ("id", "public_key", "fingerprint", "created_at", *EDITABLE)
    return [
        HostAuthorityOut.model_validate(
            {**{name: getattr(row, name) for name in fields}, "etag": _tag(row)}
        )
        for row in rows
    ]

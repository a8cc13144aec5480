"""Endpoints for tokens, and for what the caller may do."""

from datetime import timedelta
from typing import Annotated

from fastapi import APIRouter, Depends, Query
from fastapi.responses import JSONResponse
from sqlalchemy import select
from sqlalchemy.orm import Session

from assay.access.permissions import NotAllowed, allows, require
from assay.api.accounts.authentication import may
from assay.api.http.paging import Listing, Page, caseless, listing
from assay.api.http.routes import Route
from assay.api.tokens.queries import issue, revoke, shapes
from assay.api.tokens.schemas import Me, NewToken, TokenIn, TokenOut
from assay.base.errors import NotFound
from assay.base.field_types import Id
from assay.base.filters import Words, has_words
from assay.base.identity import Identity, Role, includes, scopes_of
from assay.tables.accounts import ApiToken
from assay.tables.transactions import Reading, Writing

router = APIRouter(tags=["tokens"], route_class=Route)

TokenList = Annotated[
    Listing[TokenOut],
    Depends(
        listing(
            TokenOut,
            {
                "id": ApiToken.id,
                "name": caseless(ApiToken.name),
                "role": ApiToken.role,
                "created_at": ApiToken.created_at,
                "expires_at": ApiToken.expires_at,
                "last_used_at": ApiToken.last_used_at,
            },
            by="-id",
        )
    ),
]
OfRole = Annotated[list[Role] | None, Query(description="Only those with this role; repeatable")]


@router.get("/me", summary="Show what the caller may do")
def show_me(who: Annotated[Identity, may("caller.read")], session: Reading) -> Me:
    """Name, role and scopes; of a token also its limits, and what it has used of them."""
    row = session.get(ApiToken, who.token_id) if who.token_id is not None else None
    return Me(
        kind="token" if who.token_id is not None else "person",
        name=who.actor,
        role=who.role,
        scopes=[one for one in scopes_of(who.role) if one in who.scopes],
        api_token=shapes(session, [row])[0] if row is not None else None,
    )


@router.get("/tokens", response_model=Page[TokenOut], summary="List API tokens")
def list_tokens(
    who: Annotated[Identity, may("token.read")],
    session: Reading,
    part: TokenList,
    *,
    role: OfRole = None,
    q: Words = None,
) -> Page[TokenOut] | JSONResponse:
    """Your own tokens, or all for an administrator; newest first, without secrets."""
    shown = select(ApiToken).where(has_words(q or "", ApiToken.name, ApiToken.created_by))
    if role:
        shown = shown.where(ApiToken.role.in_(role))
    if not allows(who, "token_of_others.read"):  # tokens of the command line have no user
        shown = shown.where(ApiToken.user_id.is_not(None), ApiToken.user_id == who.user_id)
    return part.page(session, shown, shapes)


@router.post("/tokens", status_code=201, summary="Create an API token")
def create_token(
    body: TokenIn, who: Annotated[Identity, may("token.create")], session: Writing
) -> NewToken:
    """The role must not exceed your own. The secret is returned only once.

    Scopes narrow the role, and the limits apply at each launch. The token stops working when you
    are disabled or deleted. Creating tokens requires a login: a token cannot create tokens, so that
    deleting it revokes all access that it gave.
    """
    if not includes(who.role, body.role):
        raise NotAllowed(who.role, body.role)
    lifetime = timedelta(days=body.expires_in_days) if body.expires_in_days else None
    row, token = issue(session, who, body.name, body.role, lifetime, limits=body.limits)
    return NewToken(**dict(shapes(session, [row])[0]), token=token)


@router.get("/tokens/{token_id}", summary="Show an API token")
def show_token(
    token_id: Id, who: Annotated[Identity, may("token.read")], session: Reading
) -> TokenOut:
    """One of your own, or any for an administrator; without its secret."""
    return shapes(session, [_token(session, token_id, who, "read")])[0]


@router.delete("/tokens/{token_id}", status_code=204, summary="Delete a token")
def delete_token(
    token_id: Id, who: Annotated[Identity, may("token.delete")], session: Writing
) -> None:
    """Your own tokens, or any for an administrator. Its campaigns continue.

    A token with scopes or limits may delete itself, and others only if it has the scope admin.
    """
    row = _token(session, token_id, who, "delete")
    if who.limits and row.id != who.token_id:
        require(who, "token_of_others.delete")
    revoke(session, who, row)


def _token(session: Session, token_id: int, who: Identity, action: str) -> ApiToken:
    """Return a token that the caller may read or delete; raises NotFound, or as `require`."""
    row = session.get(ApiToken, token_id)
    if row is None:
        raise NotFound("token", token_id)
    own = row.user_id is not None and row.user_id == who.user_id
    if not own and row.id != who.token_id:
        require(who, f"token_of_others.{action}")
    return row

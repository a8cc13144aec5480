"""Endpoints for users, tokens and the audit log."""

from datetime import timedelta
from typing import Annotated

from fastapi import APIRouter, Depends, Query
from fastapi.responses import JSONResponse
from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from assay.accounts import preconditions
from assay.accounts.audit import record
from assay.accounts.authentication import Admin, NotAllowed, Viewer
from assay.accounts.identity import Identity
from assay.accounts.models import ApiToken, AuditEntry, BrowserSession, User
from assay.accounts.roles import Role, includes
from assay.accounts.schemas import (
    AuditOut,
    NewToken,
    TokenIn,
    TokenOut,
    UserChange,
    UserIn,
    UserOut,
)
from assay.accounts.secrets import hash_password
from assay.accounts.tokens import issue, revoke
from assay.http.errors import Conflict, Invalid, NameTaken, NotFound, Problem
from assay.http.etags import IfMatch
from assay.http.field_errors import FieldError
from assay.http.field_types import Id, Storable
from assay.http.filters import Since, Until, Words, between, has_words
from assay.http.paging import Listing, Page, caseless, each, listing
from assay.http.routes import Route
from assay.http.transactions import Reading, Writing

router = APIRouter(route_class=Route)

UserList = Annotated[
    Listing[UserOut],
    Depends(
        listing(
            UserOut,
            {
                "id": User.id,
                "name": caseless(User.name),
                "role": User.role,
                "created_at": User.created_at,
            },
            by="id",
        )
    ),
]
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
AuditList = Annotated[
    Listing[AuditOut],
    Depends(
        listing(
            AuditOut,
            {
                "id": AuditEntry.id,
                "at": AuditEntry.at,
                "actor": AuditEntry.actor,
                "action": AuditEntry.action,
                "object": AuditEntry.object,
            },
            by="-id",
        )
    ),
]
OfRole = Annotated[list[Role] | None, Query(description="Only those with this role; repeatable")]


class LastAdministrator(Conflict):
    """The change would leave no user to manage users."""

    code, title = "last_administrator", "This is the last administrator"


class TokenCannotCreateTokens(Problem):
    """A leaked token could survive in tokens that it created."""

    status, code, title = 403, "token_cannot_create_tokens", "A token cannot create tokens"

    def __init__(self) -> None:
        """Name the alternatives."""
        super().__init__("Log in with name and password, or use `assay token create`.")


@router.get("/users", response_model=Page[UserOut], tags=["users"], summary="List users")
def list_users(
    _who: Admin, session: Reading, part: UserList, *, role: OfRole = None, q: Words = None
) -> Page[UserOut] | JSONResponse:
    """Oldest first."""
    chosen = select(User).where(has_words(q or "", User.name))
    if role:
        chosen = chosen.where(User.role.in_(role))
    return part.page(session, chosen, each(UserOut.model_validate))


@router.post("/users", tags=["users"], status_code=201, summary="Add a user")
def create_user(body: UserIn, who: Admin, session: Writing) -> UserOut:
    """The password is stored as an Argon2id hash."""
    if taken := session.scalar(select(User.id).where(User.name == body.name)):
        raise NameTaken("user", body.name, taken)
    user = User(name=body.name, password_hash=hash_password(body.password), role=body.role)
    session.add(user)
    session.flush()
    record(session, who, "user.created", f"user {user.id} {user.name}", role=user.role)
    return UserOut.model_validate(user)


@router.get("/users/{user_id}", tags=["users"], summary="Show a user")
def show_user(user_id: Id, _who: Admin, session: Reading) -> UserOut:
    """Name, role and whether the user may log in."""
    user = session.get(User, user_id)
    if user is None:
        raise NotFound("user", user_id)
    return UserOut.model_validate(user)


@router.patch("/users/{user_id}", tags=["users"], summary="Change a user")
def change_user(
    user_id: Id, body: UserChange, who: Admin, session: Writing, if_match: IfMatch = None
) -> UserOut:
    """A new password, or disabling the user, ends the user's sessions.

    The tokens of a disabled user stop working, and a lower role also limits the user's tokens. A
    new password does not affect tokens, because pipelines depend on them.
    """
    if nulls := sorted(n for n in body.model_fields_set if getattr(body, n) is None):
        remedy = "Omit the field or enter a value."
        raise Invalid([FieldError(name, "must not be null", remedy) for name in nulls])
    user = _user(session, user_id)
    preconditions.check(session, if_match, user.etag, f"user {user.id}")
    if body.disabled or body.role not in (None, "admin"):
        _keep_an_administrator(session, user)
    if body.role is not None:
        user.role = body.role
    if body.disabled is not None:
        user.disabled = body.disabled
    if body.password is not None:
        user.password_hash = hash_password(body.password)
    if body.disabled or body.password is not None:
        session.execute(delete(BrowserSession).where(BrowserSession.user_id == user.id))
    changed = body.model_dump(exclude_none=True, exclude={"password"})
    changed["password"] = body.password is not None
    record(session, who, "user.changed", f"user {user.id} {user.name}", **changed)
    session.flush()
    return UserOut.model_validate(user)


@router.delete("/users/{user_id}", tags=["users"], status_code=204, summary="Delete a user")
def delete_user(user_id: Id, who: Admin, session: Writing, if_match: IfMatch = None) -> None:
    """Campaigns keep the user's name; the user's sessions and tokens are deleted."""
    user = _user(session, user_id)
    preconditions.check(session, if_match, user.etag, f"user {user.id}")
    _keep_an_administrator(session, user)
    record(session, who, "user.deleted", f"user {user.id} {user.name}")
    session.delete(user)


def _user(session: Session, user_id: int) -> User:
    """Return the user to be changed; lock all administrators, so that one always remains."""
    administrators = select(User.id).where(User.role == "admin").order_by(User.id)
    session.execute(administrators.with_for_update())
    user = session.get(User, user_id, with_for_update=True)
    if user is None:
        raise NotFound("user", user_id)
    return user


def _keep_an_administrator(session: Session, leaving: User) -> None:
    others = select(func.count()).where(
        User.role == "admin", User.disabled.is_(False), User.id != leaving.id
    )
    if leaving.role == "admin" and not session.scalar(others):
        raise LastAdministrator("Make another user an administrator first.")


@router.get("/tokens", response_model=Page[TokenOut], tags=["tokens"], summary="List API tokens")
def list_tokens(
    who: Viewer, session: Reading, part: TokenList, *, role: OfRole = None, q: Words = None
) -> Page[TokenOut] | JSONResponse:
    """Your own tokens, or all for an administrator; newest first, without secrets."""
    shown = select(ApiToken).where(has_words(q or "", ApiToken.name, ApiToken.created_by))
    if role:
        shown = shown.where(ApiToken.role.in_(role))
    if who.role != "admin":  # tokens of the command line have no user
        shown = shown.where(ApiToken.user_id.is_not(None), ApiToken.user_id == who.user_id)
    return part.page(session, shown, each(TokenOut.model_validate))


@router.post("/tokens", tags=["tokens"], status_code=201, summary="Create an API token")
def create_token(body: TokenIn, who: Viewer, session: Writing) -> NewToken:
    """The role must not exceed your own. The secret is returned only once.

    The token stops working when you are disabled or deleted. Creating tokens requires a login: a
    token cannot create tokens, so that deleting it revokes all access that it gave.
    """
    if who.session_id is None:
        raise TokenCannotCreateTokens
    if not includes(who.role, body.role):
        raise NotAllowed(who.role, body.role)
    lifetime = timedelta(days=body.expires_in_days) if body.expires_in_days else None
    row, token = issue(session, who, body.name, body.role, lifetime)
    return NewToken.model_validate({**TokenOut.model_validate(row).model_dump(), "token": token})


@router.get("/tokens/{token_id}", tags=["tokens"], summary="Show an API token")
def show_token(token_id: Id, who: Viewer, session: Reading) -> TokenOut:
    """One of your own, or any for an administrator; without its secret."""
    return TokenOut.model_validate(_token(session, token_id, who))


@router.delete("/tokens/{token_id}", tags=["tokens"], status_code=204, summary="Delete a token")
def delete_token(token_id: Id, who: Viewer, session: Writing) -> None:
    """Your own tokens, or any for an administrator."""
    revoke(session, who, _token(session, token_id, who))


def _token(session: Session, token_id: int, who: Identity) -> ApiToken:
    """Return a token that the caller may see; raises NotFound or NotAllowed."""
    row = session.get(ApiToken, token_id)
    if row is None:
        raise NotFound("token", token_id)
    own = row.user_id is not None and row.user_id == who.user_id
    if not own and who.role != "admin":
        raise NotAllowed(who.role, "admin")
    return row


@router.get("/audit", response_model=Page[AuditOut], tags=["audit"], summary="List the audit log")
def list_audit(
    _who: Admin,
    session: Reading,
    part: AuditList,
    *,
    actor: Annotated[
        Annotated[str, Storable] | None,
        Query(max_length=120, description="Only changes by this user"),
    ] = None,
    since: Since = None,
    until: Until = None,
    q: Words = None,
) -> Page[AuditOut] | JSONResponse:
    """Newest first; `q` searches actors, actions and objects."""
    searched = (AuditEntry.actor, AuditEntry.action, AuditEntry.object)
    chosen = select(AuditEntry).where(
        has_words(q or "", *searched), *between(AuditEntry.at, since, until)
    )
    if actor is not None:
        chosen = chosen.where(AuditEntry.actor == actor)
    return part.page(session, chosen, each(AuditOut.model_validate))

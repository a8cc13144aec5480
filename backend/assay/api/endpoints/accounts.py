"""Endpoints for users and the audit log."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query
from fastapi.responses import JSONResponse
from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from assay.access import preconditions
from assay.access.audit import record
from assay.access.secrets import hash_password
from assay.api.accounts.authentication import may
from assay.api.accounts.schemas import AuditOut, UserChange, UserIn, UserOut
from assay.api.http.paging import Listing, Page, caseless, each, listing
from assay.api.http.routes import Route
from assay.base.errors import Conflict, Invalid, NameTaken, NotFound
from assay.base.etags import IfMatch
from assay.base.field_errors import FieldError
from assay.base.field_types import Id, Storable
from assay.base.filters import Since, Until, Words, between, has_words
from assay.base.identity import Identity, Role
from assay.tables.accounts import AuditEntry, BrowserSession, User
from assay.tables.transactions import Reading, Writing

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


@router.get("/users", response_model=Page[UserOut], tags=["users"], summary="List users")
def list_users(
    _who: Annotated[Identity, may("user.read")],
    session: Reading,
    part: UserList,
    *,
    role: OfRole = None,
    q: Words = None,
) -> Page[UserOut] | JSONResponse:
    """Oldest first."""
    chosen = select(User).where(has_words(q or "", User.name))
    if role:
        chosen = chosen.where(User.role.in_(role))
    return part.page(session, chosen, each(UserOut.model_validate))


@router.post("/users", tags=["users"], status_code=201, summary="Add a user")
def create_user(
    body: UserIn, who: Annotated[Identity, may("user.create")], session: Writing
) -> UserOut:
    """The password is stored as an Argon2id hash."""
    if taken := session.scalar(select(User.id).where(User.name == body.name)):
        raise NameTaken("user", body.name, taken)
    user = User(name=body.name, password_hash=hash_password(body.password), role=body.role)
    session.add(user)
    session.flush()
    record(session, who, "user.created", f"user {user.id} {user.name}", role=user.role)
    return UserOut.model_validate(user)


@router.get("/users/{user_id}", tags=["users"], summary="Show a user")
def show_user(
    user_id: Id, _who: Annotated[Identity, may("user.read")], session: Reading
) -> UserOut:
    """Name, role and whether the user may log in."""
    user = session.get(User, user_id)
    if user is None:
        raise NotFound("user", user_id)
    return UserOut.model_validate(user)


@router.patch("/users/{user_id}", tags=["users"], summary="Change a user")
def change_user(
    user_id: Id,
    body: UserChange,
    who: Annotated[Identity, may("user.change")],
    session: Writing,
    if_match: IfMatch = None,
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
def delete_user(
    user_id: Id,
    who: Annotated[Identity, may("user.delete")],
    session: Writing,
    if_match: IfMatch = None,
) -> None:
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
        raise LastAdministrator(remedy="Make another user an administrator first.")


@router.get("/audit", response_model=Page[AuditOut], tags=["audit"], summary="List the audit log")
def list_audit(
    _who: Annotated[Identity, may("audit_log.read")],
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

"""Endpoints of saved views; each belongs to the person who saved it."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query
from fastapi.responses import JSONResponse
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from assay.access.audit import record
from assay.access.preconditions import check
from assay.api.accounts.authentication import may
from assay.api.http.paging import Listing, Page, caseless, each, listing
from assay.api.http.routes import Route
from assay.api.views import ListName, SavedViewChange, SavedViewIn, SavedViewOut
from assay.base.errors import Conflict, Invalid, NameTaken, NotFound
from assay.base.etags import IfMatch
from assay.base.field_errors import FieldError
from assay.base.field_types import Id
from assay.base.identity import Identity
from assay.tables.accounts import User
from assay.tables.transactions import Reading, Writing
from assay.tables.views import SavedView

router = APIRouter(prefix="/views", tags=["views"], route_class=Route)

MOST_OF_LIST = 50

ViewList = Annotated[
    Listing[SavedViewOut],
    Depends(
        listing(
            SavedViewOut,
            {
                "id": SavedView.id,
                "name": caseless(SavedView.name),
                "created_at": SavedView.created_at,
            },
            by="name",
        )
    ),
]


class TooManyViews(Conflict):
    """The list has the maximum number of views."""

    code, title = "too_many_views", "The list has too many saved views"


@router.get("", response_model=Page[SavedViewOut], summary="List saved views")
def list_views(
    who: Annotated[Identity, may("view.read")],
    session: Reading,
    part: ViewList,
    *,
    of: Annotated[
        ListName | None, Query(alias="list", description="Only those of this list")
    ] = None,
) -> Page[SavedViewOut] | JSONResponse:
    """Your own, by name."""
    chosen = select(SavedView).where(SavedView.user_id == _person(who))
    if of is not None:
        chosen = chosen.where(SavedView.list == of)
    return part.page(session, chosen, each(SavedViewOut.model_validate))


@router.post("", status_code=201, summary="Save a view")
def save_view(
    body: SavedViewIn, who: Annotated[Identity, may("view.create")], session: Writing
) -> SavedViewOut:
    """Keeps the filters and the order of a list under a name that only you see."""
    person = _person(who)
    session.execute(select(User.id).where(User.id == person).with_for_update())
    own = (SavedView.user_id == person, SavedView.list == body.list)
    _free(session, person, body.list, body.name)
    if (session.scalar(select(func.count()).where(*own)) or 0) >= MOST_OF_LIST:
        raise TooManyViews(
            f"The list {body.list} has {MOST_OF_LIST} views, which is the maximum.", "Delete one."
        )
    view = SavedView(user_id=person, list=body.list, name=body.name, search=body.search)
    session.add(view)
    session.flush()
    record(session, who, "view.saved", f"view {view.id} {view.name}", list=body.list)
    return SavedViewOut.model_validate(view)


@router.get("/{view_id}", summary="Show a saved view")
def show_view(
    view_id: Id, who: Annotated[Identity, may("view.read")], session: Reading
) -> SavedViewOut:
    """One of your own."""
    return SavedViewOut.model_validate(_view(session, view_id, who))


@router.patch("/{view_id}", summary="Change a saved view")
def change_view(
    view_id: Id,
    body: SavedViewChange,
    who: Annotated[Identity, may("view.change")],
    session: Writing,
    if_match: IfMatch = None,
) -> SavedViewOut:
    """Renames one of your own, or replaces its filters; omitted fields are unchanged."""
    view = _view(session, view_id, who, lock=True)
    check(session, if_match, view.etag, f"view {view.id}")
    changes = body.model_dump(exclude_unset=True)
    if nulls := [name for name, value in changes.items() if value is None]:
        remedy = "Omit it or enter a value."
        raise Invalid([FieldError(name, "must not be null", remedy) for name in nulls])
    if body.name is not None and body.name != view.name:
        _free(session, view.user_id, view.list, body.name)
    for field, value in changes.items():
        setattr(view, field, value)
    session.flush()
    record(session, who, "view.changed", f"view {view.id} {view.name}", **changes)
    return SavedViewOut.model_validate(view)


@router.delete("/{view_id}", status_code=204, summary="Delete a saved view")
def delete_view(
    view_id: Id,
    who: Annotated[Identity, may("view.delete")],
    session: Writing,
    if_match: IfMatch = None,
) -> None:
    """One of your own."""
    view = _view(session, view_id, who, lock=True)
    check(session, if_match, view.etag, f"view {view.id}")
    record(session, who, "view.deleted", f"view {view.id} {view.name}")
    session.delete(view)


def _person(who: Identity) -> int:
    """Return the id of the user in a browser, which the permissions of views require."""
    assert who.user_id is not None  # noqa: S101
    return who.user_id


def _free(session: Session, person: int, of: str, name: str) -> None:
    taken = select(SavedView.id).where(
        SavedView.user_id == person, SavedView.list == of, SavedView.name == name
    )
    if (existing := session.scalar(taken)) is not None:
        raise NameTaken("view of this list", name, existing)


def _view(session: Session, view_id: int, who: Identity, *, lock: bool = False) -> SavedView:
    """Return a view of the caller; raises NotFound also for that of another user."""
    person = _person(who)
    view = session.get(SavedView, view_id, with_for_update=lock or None)
    if view is None or view.user_id != person:
        raise NotFound("view", view_id)
    return view

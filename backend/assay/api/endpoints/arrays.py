"""Endpoints for arrays."""

from collections.abc import Mapping, Sequence
from typing import Annotated

from fastapi import APIRouter, Depends
from fastapi.responses import JSONResponse
from sqlalchemy import exists, func, select, update
from sqlalchemy.orm import Session

from assay.access import preconditions
from assay.access.audit import record
from assay.api.accounts.authentication import may
from assay.api.http.paging import Listing, Page, caseless, listing
from assay.api.http.routes import Route
from assay.base.errors import Conflict, Invalid, NameTaken, NotFound
from assay.base.etags import IfMatch, etag
from assay.base.field_errors import FieldError
from assay.base.field_types import Id
from assay.base.filters import Words, has_words
from assay.base.identity import Identity
from assay.inventory.arrays.queries import OfArray
from assay.inventory.arrays.schemas import EDITABLE, ArrayChange, ArrayIn, ArrayOut
from assay.inventory.hosts.filters import OfHost
from assay.inventory.labels import ON_ARRAY, LabelFilter, labeled, labels_of, put_labels
from assay.inventory.targets.queries import living as living_targets
from assay.tables.arrays import Array, DeletedArray
from assay.tables.labels import ArrayLabel
from assay.tables.runs import Participant
from assay.tables.targets import Target
from assay.tables.transactions import Reading, Writing

router = APIRouter(prefix="/arrays", tags=["arrays"], route_class=Route)

ArrayList = Annotated[
    Listing[ArrayOut],
    Depends(
        listing(
            ArrayOut,
            {
                "id": Array.id,
                "name": caseless(Array.name),
                "vendor": caseless(Array.vendor),
                "model": caseless(Array.model),
                "serial": Array.serial,
                "firmware": Array.firmware,
                "raid": Array.raid,
                "cache_bytes": Array.cache_bytes,
            },
            by="-id",
        )
    ),
]


class ArrayInUse(Conflict):
    """Targets belong to the array."""

    code, title = "array_in_use", "Targets belong to the array"

    def __init__(self, targets: list[str]) -> None:
        """Name the targets."""
        super().__init__(
            f"{', '.join(targets)} belong to it.",
            "Assign another array or none, or delete them.",
        )


@router.get("", response_model=Page[ArrayOut], summary="List arrays")
def list_arrays(
    _who: Annotated[Identity, may("array.read")],
    session: Reading,
    part: ArrayList,
    *,
    array_id: OfArray = None,
    host_id: OfHost = None,
    label: LabelFilter = None,
    q: Words = None,
) -> Page[ArrayOut] | JSONResponse:
    """Newest first; `q` also searches vendor, model and serial number, labels and references."""
    searched = (Array.name, Array.vendor, Array.model, Array.serial)
    chosen = select(Array).where(
        has_words(q or "", *searched, beside=ON_ARRAY),
        labeled(ArrayLabel, Array.id, label),
    )
    if array_id is not None:
        chosen = chosen.where(Array.id == array_id)
    if host_id is not None:
        of_host = (Target.host_id == host_id, Target.retired_at.is_(None))
        chosen = chosen.where(Array.id.in_(select(Target.array_id).where(*of_host)))
    return part.page(session, chosen, _shapes)


@router.post("", status_code=201, summary="Add an array")
def create_array(
    body: ArrayIn, who: Annotated[Identity, may("array.create")], session: Writing
) -> ArrayOut:
    """Assign targets to it; its declared cache is used to interpret results."""
    _free(session, body.name)
    row = Array(**body.model_dump(exclude={"labels"}))
    session.add(row)
    session.flush()
    put_labels(session, ArrayLabel, row.id, body.labels)
    record(session, who, "array.created", f"array {row.id} {row.name}")
    return _shape(session, row)


@router.get("/{array_id}", summary="Show an array")
def show_array(
    array_id: Id, _who: Annotated[Identity, may("array.read")], session: Reading
) -> ArrayOut:
    """Includes the number of its targets."""
    return _shape(session, _array(session, array_id))


@router.patch("/{array_id}", summary="Change an array")
def change_array(
    array_id: Id,
    body: ArrayChange,
    who: Annotated[Identity, may("array.change")],
    session: Writing,
    if_match: IfMatch = None,
) -> ArrayOut:
    """Omitted fields are unchanged; `shared` applies to runs that start later."""
    row = _array(session, array_id, lock=True)
    _check(session, if_match, row)
    changes = body.model_dump(exclude_unset=True)
    for field, remedy in (("name", "Enter a name."), ("shared", "Use true or false.")):
        if field in changes and changes[field] is None:
            raise Invalid([FieldError(field, "must not be null", remedy)])
    if body.name is not None and body.name != row.name:
        _free(session, body.name)
    for field, value in changes.items():
        if field != "labels":
            setattr(row, field, value)
    session.flush()
    if "labels" in changes:
        put_labels(session, ArrayLabel, row.id, body.labels)
    record(session, who, "array.changed", f"array {row.id} {row.name}", **changes)
    return _shape(session, row)


@router.delete("/{array_id}", status_code=204, summary="Delete an array")
def delete_array(
    array_id: Id,
    who: Annotated[Identity, may("array.delete")],
    session: Writing,
    if_match: IfMatch = None,
) -> None:
    """Rejected while targets belong to it; results of deleted targets are kept.

    If an array with the same serial number is added later, it may take them over (`/matches`).
    """
    row = _array(session, array_id, lock=True)
    _check(session, if_match, row)
    living = living_targets().where(Target.array_id == row.id).order_by(Target.id)
    if targets := session.scalars(living).all():
        raise ArrayInUse([f"{target.host.name}:{target.path}" for target in targets])
    session.execute(update(Target).where(Target.array_id == row.id).values(array_id=None))
    _remember(session, row)
    record(session, who, "array.deleted", f"array {row.id} {row.name}")
    session.delete(row)


def _remember(session: Session, row: Array) -> None:
    """Keep what identifies an array with runs, so that they can be given to it once it returns."""
    measured = Participant.array_id == row.id
    if session.scalar(select(exists().where(measured))):
        kept = {name: getattr(row, name) for name in ("id", "name", "vendor", "serial")}
        session.add(DeletedArray(**kept, created_at=row.created_at))
        session.execute(update(Participant).where(measured).values(deleted_array_id=row.id))


def _array(session: Session, array_id: int, *, lock: bool = False) -> Array:
    row = session.get(Array, array_id, with_for_update=lock or None)
    if row is None:
        raise NotFound("array", array_id)
    return row


def _free(session: Session, name: str) -> None:
    if taken := session.scalar(select(Array.id).where(Array.name == name)):
        raise NameTaken("array", name, taken)


def _tag(row: Array, labels: Mapping[str, str]) -> str:
    return etag(row, EDITABLE, labels)


def _check(session: Session, if_match: str | None, row: Array) -> None:
    labels = labels_of(session, ArrayLabel, [row.id])[row.id]
    preconditions.check(session, if_match, _tag(row, labels), f"array {row.id}")


def _shape(session: Session, row: Array) -> ArrayOut:
    return _shapes(session, [row])[0]


def _shapes(session: Session, rows: Sequence[Array]) -> list[ArrayOut]:
    belongs = (Target.array_id.in_([row.id for row in rows]), Target.retired_at.is_(None))
    counted = select(Target.array_id, func.count()).where(*belongs).group_by(Target.array_id)
    counts = dict(map(tuple[int | None, int], session.execute(counted)))
    labels = labels_of(session, ArrayLabel, [row.id for row in rows])
    return [_with_count(row, counts.get(row.id, 0), labels[row.id]) for row in rows]


def _with_count(row: Array, targets: int, labels: dict[str, str]) -> ArrayOut:
    return ArrayOut(
        id=row.id,
        name=row.name,
        vendor=row.vendor,
        model=row.model,
        serial=row.serial,
        firmware=row.firmware,
        raid=row.raid,
        cache_bytes=row.cache_bytes,
        shared=row.shared,
        targets=targets,
        labels=labels,
        reference=row.reference,
        managed_by=row.managed_by,
        etag=_tag(row, labels),
    )

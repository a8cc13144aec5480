"""Endpoints for arrays."""

from fastapi import APIRouter
from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from assay.accounts.audit import record
from assay.accounts.authentication import Operator, Viewer
from assay.arrays.models import Array
from assay.arrays.schemas import ArrayChange, ArrayIn, ArrayOut
from assay.http.errors import Conflict, Invalid, NameTaken, NotFound
from assay.http.field_errors import FieldError
from assay.http.field_types import Id
from assay.http.paging import Page, PageQuery, page
from assay.http.transactions import Reading, Writing
from assay.labels.filters import LabelFilter, labeled
from assay.labels.models import ArrayLabel
from assay.labels.queries import labels_of, put_labels
from assay.targets.models import Target
from assay.targets.queries import living as living_targets

router = APIRouter(prefix="/arrays", tags=["arrays"])


class ArrayInUse(Conflict):
    """Targets belong to the array."""

    code, title = "array_in_use", "Targets belong to the array"

    def __init__(self, targets: list[str]) -> None:
        """Name the targets."""
        super().__init__(
            f"{', '.join(targets)} belong to it. Assign another array or none, or delete them."
        )


@router.get("", summary="List arrays")
def list_arrays(
    _who: Viewer, session: Reading, part: PageQuery, label: LabelFilter = None
) -> Page[ArrayOut]:
    """Newest first."""
    chosen = select(Array).where(labeled(ArrayLabel, Array.id, label))
    return page(part.rows(session, chosen, Array.id), lambda row: _shape(session, row))


@router.post("", status_code=201, summary="Add an array")
def create_array(body: ArrayIn, who: Operator, session: Writing) -> ArrayOut:
    """Assign targets to it; its declared cache is used to interpret results."""
    _free(session, body.name)
    row = Array(**body.model_dump(exclude={"labels"}))
    session.add(row)
    session.flush()
    put_labels(session, ArrayLabel, row.id, body.labels)
    record(session, who, "array.created", f"array {row.id} {row.name}")
    return _shape(session, row)


@router.get("/{array_id}", summary="Show an array")
def show_array(array_id: Id, _who: Viewer, session: Reading) -> ArrayOut:
    """Includes the number of its targets."""
    return _shape(session, _array(session, array_id))


@router.patch("/{array_id}", summary="Change an array")
def change_array(array_id: Id, body: ArrayChange, who: Operator, session: Writing) -> ArrayOut:
    """Omitted fields are unchanged; `shared` applies to runs that start later."""
    row = _array(session, array_id)
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
def delete_array(array_id: Id, who: Operator, session: Writing) -> None:
    """Rejected while targets belong to it; results of deleted targets are kept."""
    row = _array(session, array_id)
    living = living_targets().where(Target.array_id == row.id).order_by(Target.id)
    if targets := session.scalars(living).all():
        raise ArrayInUse([f"{target.host.name}:{target.path}" for target in targets])
    session.execute(update(Target).where(Target.array_id == row.id).values(array_id=None))
    record(session, who, "array.deleted", f"array {row.id} {row.name}")
    session.delete(row)


def _array(session: Session, array_id: int) -> Array:
    row = session.get(Array, array_id)
    if row is None:
        raise NotFound("array", array_id)
    return row


def _free(session: Session, name: str) -> None:
    if session.scalar(select(Array.id).where(Array.name == name)):
        raise NameTaken("array", name)


def _shape(session: Session, row: Array) -> ArrayOut:
    belongs = (Target.array_id == row.id, Target.retired_at.is_(None))
    count = session.scalar(select(func.count()).where(*belongs))
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
        targets=count or 0,
        labels=labels_of(session, ArrayLabel, [row.id])[row.id],
        reference=row.reference,
    )

"""Arrays of a file."""

from functools import partial
from typing import Any

from sqlalchemy import select

from assay.api.declarations.plan import ExistingObject, Planning
from assay.api.endpoints.arrays import change_array, create_array, delete_array
from assay.inventory.arrays.schemas import EDITABLE, ArrayChange, ArrayIn
from assay.inventory.labels import labels_of
from assay.tables.arrays import Array
from assay.tables.labels import ArrayLabel


def apply(plan: Planning) -> None:
    """Create and change the file's arrays."""
    names = [entry.name for entry in plan.file.arrays]
    rows = plan.session.scalars(
        select(Array).where(Array.name.in_(names)).order_by(Array.id).with_for_update()
    ).all()
    labels = labels_of(plan.session, ArrayLabel, [row.id for row in rows])
    existing = {row.name: row for row in rows}
    for number, entry in enumerate(plan.file.arrays):
        given = entry.model_dump(exclude_unset=True)
        with plan.entry(f"arrays.{number}", "array", entry.name):
            if row := existing.get(entry.name):
                found = ExistingObject(row, values(row, labels[row.id]))
                plan.settle("array", row.name, found, given, partial(_change, plan, row))
            else:
                plan.require("create", "array")
                made = create_array(ArrayIn(**given), plan.who, plan.session)
                plan.session.get_one(Array, made.id).managed_by = plan.file.name
                plan.note("create", "array", entry.name, made.id)


def drop(plan: Planning) -> None:
    """Remove, or keep without `prune`, the arrays that the file created and no longer has."""
    names = [entry.name for entry in plan.file.arrays]
    mine = select(Array).where(Array.managed_by == plan.file.name, Array.name.not_in(names))
    for row in plan.session.scalars(mine.order_by(Array.id)).all():
        delete = partial(delete_array, row.id, plan.who, plan.session)
        plan.drop("array", row.name, row.id, delete)


def values(row: Array, labels: dict[str, str]) -> dict[str, Any]:
    """Return what a file may set."""
    return {name: labels if name == "labels" else getattr(row, name) for name in EDITABLE}


def _change(plan: Planning, row: Array, fields: dict[str, Any]) -> Array:
    change_array(row.id, ArrayChange(**fields), plan.who, plan.session)
    return row

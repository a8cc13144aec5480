"""Queries for arrays, and the filter of lists by array."""

from typing import Annotated

from fastapi import Depends
from sqlalchemy import select
from sqlalchemy.orm import Session

from assay.base.filters import ArrayId, ArrayName
from assay.base.names import Known, given, slug
from assay.tables.arrays import Array
from assay.tables.transactions import Reading


def names(session: Session) -> Known:
    """Return name and slug of each array."""
    rows = session.execute(select(Array.id, Array.name))
    return Known("array", "arrays", {number: (name, slug(name)) for number, name in rows})


def _of_array(session: Reading, array_id: ArrayId = None, array: ArrayName = None) -> int | None:
    return given("array", array_id, array, lambda: names(session))


OfArray = Annotated[int | None, Depends(_of_array)]
"""The id of an array that the query parameter `array_id` or `array` names."""

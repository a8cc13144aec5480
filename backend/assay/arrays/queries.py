"""Queries for arrays."""

from sqlalchemy import select
from sqlalchemy.orm import Session

from assay.arrays.models import Array
from assay.http.names import Known, slug


def names(session: Session) -> Known:
    """Return name and slug of each array."""
    rows = session.execute(select(Array.id, Array.name))
    return Known("array", "arrays", {number: (name, slug(name)) for number, name in rows})

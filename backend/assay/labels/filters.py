"""The filter of lists by label."""

from collections.abc import Sequence
from typing import Annotated

from fastapi import Query
from sqlalchemy import ColumnElement, Select, and_, select, true
from sqlalchemy.orm import InstrumentedAttribute

from assay.http.errors import Invalid
from assay.http.field_errors import FieldError
from assay.labels.models import Label
from assay.labels.schemas import MOST_LABELS, key_mistake, value_mistake

LabelFilter = Annotated[
    list[str] | None,
    Query(
        alias="label",
        max_length=MOST_LABELS,
        description="Only those with this label: `rack=b7`, or `rack` with any value. May be given "
        "more than once; all must match",
    ),
]
"""The query parameter `label` of a list."""


def labeled(
    table: type[Label], object_id: InstrumentedAttribute[int], wanted: Sequence[str] | None
) -> ColumnElement[bool]:
    """Return SQL for whether the object with this id has all wanted labels; raises Invalid."""
    return and_(true(), *(object_id.in_(with_label(table, one)) for one in wanted or ()))


def with_label(table: type[Label], wanted: str) -> Select[int]:
    """Select the ids of the objects with the label `key=value`, or with any value of `key`.

    Raises Invalid.
    """
    key, equals, value = wanted.partition("=")
    if mistake := key_mistake(key):
        raise _invalid(f"key {mistake[0]}", "rack", wanted)
    found = select(table.owner_id).where(table.key == key)
    if not equals:
        return found
    if mistake := value_mistake(value):
        raise _invalid(f"value {mistake[0]}", key, wanted)
    return found.where(table.value == value)


def _invalid(message: str, key: str, wanted: str) -> Invalid:
    """Return the error of a filter; the remedies of `key_mistake` are for a form."""
    remedy = f"Write {key}=b7, or {key} alone for any value."
    return Invalid([FieldError("label", message, remedy, wanted)])

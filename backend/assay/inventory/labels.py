"""Reading and replacing the labels of objects, and the filter of lists by label."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Annotated

from fastapi import Query
from sqlalchemy import ColumnElement, Select, and_, delete, insert, or_, select, true
from sqlalchemy.orm import InstrumentedAttribute, Session

from assay.base.errors import Invalid
from assay.base.field_errors import FieldError
from assay.base.filters import Mention, has_word
from assay.base.labels import MOST_LABELS, key_mistake, value_mistake
from assay.tables.arrays import Array
from assay.tables.campaigns import Campaign
from assay.tables.database import among
from assay.tables.hosts import Host
from assay.tables.labels import ArrayLabel, CampaignLabel, HostLabel, Label, TargetLabel
from assay.tables.targets import Target


def labels_of(
    session: Session, table: type[Label], ids: Collection[int]
) -> defaultdict[int, dict[str, str]]:
    """Return the labels of objects by id, in the order of their keys."""
    found: defaultdict[int, dict[str, str]] = defaultdict(dict)
    chosen = select(table).where(among(session, table.owner_id, ids)).order_by(table.key)
    for label in session.scalars(chosen) if ids else ():
        found[label.owner_id][label.key] = label.value
    return found


def put_labels(
    session: Session, table: type[Label], owner_id: int, labels: Mapping[str, str]
) -> None:
    """Replace the labels of an object; concurrent requests wait for each other."""
    (reference,) = table.__table__.c.owner_id.foreign_keys
    owner = reference.column
    session.execute(select(owner).where(owner == owner_id).with_for_update())
    session.execute(delete(table).where(table.owner_id == owner_id))
    if labels:
        rows = [{"owner_id": owner_id, "key": key, "value": labels[key]} for key in labels]
        session.execute(insert(table), rows)


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


def in_label(
    table: type[Label], object_id: InstrumentedAttribute[int], word: str
) -> ColumnElement[bool]:
    """Return SQL for whether a word is in a label `key=value` of the object with this id."""
    labels = select(table.owner_id).where(has_word(table.key + "=" + table.value, word))
    return object_id.in_(labels)


Referenced = Host | Target | Array | Campaign
"""What has an external reference beside its labels."""


def annotates(table: type[Label], of: type[Referenced]) -> Mention:
    """Return SQL for whether a word is in a label or the external reference of an object."""

    def found(word: str) -> ColumnElement[bool]:
        return or_(has_word(of.reference, word), in_label(table, of.id, word))

    return found


ON_HOST = annotates(HostLabel, Host)
ON_TARGET = annotates(TargetLabel, Target)
ON_ARRAY = annotates(ArrayLabel, Array)
ON_CAMPAIGN = annotates(CampaignLabel, Campaign)


def _invalid(message: str, key: str, wanted: str) -> Invalid:
    """Return the error of a filter; the remedies of `key_mistake` are for a form."""
    remedy = f"Write {key}=b7, or {key} alone for any value."
    return Invalid([FieldError("label", message, remedy, wanted)])

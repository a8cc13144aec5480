"""Reading and replacing the labels of objects."""

from collections import defaultdict
from collections.abc import Collection, Mapping

from sqlalchemy import delete, insert, select
from sqlalchemy.orm import Session

from assay.db.database import among
from assay.labels.models import Label


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

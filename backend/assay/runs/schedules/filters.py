"""The filter of lists by schedule."""

from typing import Annotated

from fastapi import Depends, Query
from sqlalchemy import select
from sqlalchemy.orm import Session

from assay.base.field_types import Storable
from assay.base.filters import LONGEST_NAME
from assay.base.names import Known, given, slug
from assay.tables.schedules import Schedule
from assay.tables.transactions import Reading

ScheduleName = Annotated[
    Annotated[str, Storable] | None,
    Query(
        max_length=LONGEST_NAME,
        description="Only those launched by this schedule; name, slug or id",
    ),
]


def names(session: Session) -> Known:
    """Return name and slug of each schedule."""
    rows = session.execute(select(Schedule.id, Schedule.name))
    return Known("schedule", "schedules", {number: (name, slug(name)) for number, name in rows})


def _of_schedule(session: Reading, schedule: ScheduleName = None) -> int | None:
    return given("schedule", None, schedule, lambda: names(session))


OfSchedule = Annotated[int | None, Depends(_of_schedule)]
"""The id of a schedule that the query parameter `schedule` names."""

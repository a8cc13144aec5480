"""The filters of runs, which lists of runs and of campaigns share."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Query
from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session

from assay.base.field_types import Storable
from assay.base.filters import LONGEST_NAME
from assay.inventory.arrays.queries import OfArray
from assay.inventory.hosts.filters import OfHost
from assay.inventory.targets.filters import OfTarget
from assay.kinds.registry import KindName
from assay.runs.campaigns.by_profile import has_profile
from assay.runs.schedules.filters import OfSchedule
from assay.tables.campaigns import Campaign
from assay.tables.runs import Participant, Run

Kinds = Annotated[
    list[KindName] | None, Query(description="Only those of this test kind; repeatable")
]
ProfileName = Annotated[
    Annotated[str, Storable] | None,
    Query(
        max_length=LONGEST_NAME,
        description="Only those of this profile, in any version; slug, name or id",
    ),
]


@dataclass(frozen=True)
class RunFilter:
    """Which runs, by where and what they measured."""

    host_id: OfHost = None
    target_id: OfTarget = None
    array_id: OfArray = None
    kind: Kinds = None
    profile: ProfileName = None
    schedule_id: OfSchedule = None

    def of_run(self) -> list[ColumnElement[bool]]:
        """Return SQL for a run's place and kind; empty without such a filter."""
        at = [
            column == wanted
            for column, wanted in (
                (Participant.host_id, self.host_id),
                (Participant.target_id, self.target_id),
                (Participant.array_id, self.array_id),
            )
            if wanted is not None
        ]
        found: list[ColumnElement[bool]] = []
        if at:
            found.append(Run.id.in_(select(Participant.run_id).where(*at)))
        if self.kind:
            found.append(Run.kind.in_(self.kind))
        return found

    def of_campaign(self, session: Session) -> list[ColumnElement[bool]]:
        """Return SQL for a campaign's profile and schedule; raises Invalid for unknown profiles."""
        found = [] if self.profile is None else [has_profile(session, self.profile)]
        if self.schedule_id is not None:
            found.append(Campaign.schedule_id == self.schedule_id)
        return found

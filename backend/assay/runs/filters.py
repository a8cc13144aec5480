"""The filters of runs, which lists of runs and of campaigns share."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Query
from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session

from assay.campaigns.by_profile import has_profile
from assay.http.field_types import Storable
from assay.http.filters import ArrayId, HostId, TargetId
from assay.kinds.registry import KindName
from assay.runs.models import Participant, Run

Kinds = Annotated[
    list[KindName] | None, Query(description="Only those of this test kind; repeatable")
]
ProfileSlug = Annotated[
    Annotated[str, Storable] | None,
    Query(max_length=120, description="Only those of this profile, in any version; its `slug`"),
]


@dataclass(frozen=True)
class RunFilter:
    """Which runs, by where and what they measured."""

    host_id: HostId = None
    target_id: TargetId = None
    array_id: ArrayId = None
    kind: Kinds = None
    profile: ProfileSlug = None

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
        """Return SQL for a campaign's profile; raises Invalid if there is no such profile."""
        return [] if self.profile is None else [has_profile(session, self.profile)]

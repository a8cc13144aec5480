"""The query parameters by which a request selects runs: those of the list, and of exports."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Query
from sqlalchemy import Select, or_
from sqlalchemy.orm import Session

from assay.base.filters import CampaignId, Since, Until, Words, between
from assay.base.states import RunState
from assay.inventory.labels import LabelFilter, with_label
from assay.runs import queries
from assay.runs.filters import RunFilter
from assay.runs.verdicts.judging import Outcome
from assay.tables.labels import CampaignLabel, RunLabel
from assay.tables.runs import Run


@dataclass(frozen=True)
class RunSelection:
    """The runs that match all filters of a request; a label may be that of the campaign."""

    where: Annotated[RunFilter, Depends()]
    campaign_id: CampaignId = None
    state: Annotated[
        list[RunState] | None, Query(description="Only those in this state; repeatable")
    ] = None
    verdict: Annotated[
        list[Outcome] | None, Query(description="Only those with this verdict; repeatable")
    ] = None
    label: LabelFilter = None
    since: Since = None
    until: Until = None
    q: Words = None

    def chosen(self, session: Session) -> Select[Run]:
        """Return the selected runs, without those of deleted campaigns; raises Invalid."""
        wanted = queries.listed(
            session,
            self.where,
            campaign_id=self.campaign_id,
            states=self.state or [],
            verdicts_of=self.verdict or [],
            launched=between(Run.created_at, self.since, self.until),
            words=self.q or "",
        )
        for label in self.label or ():
            own = Run.id.in_(with_label(RunLabel, label))
            wanted = wanted.where(or_(own, Run.campaign_id.in_(with_label(CampaignLabel, label))))
        return wanted.where(queries.shown())

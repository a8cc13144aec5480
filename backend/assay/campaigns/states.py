"""The state of a campaign as its subscribers receive it: read and encoded once per version."""

import time
from dataclasses import dataclass
from threading import Lock

from cachetools import TTLCache
from sqlalchemy import exists, select
from sqlalchemy.orm import Session

from assay.campaigns import queries
from assay.campaigns.lifecycle import FINAL
from assay.campaigns.models import Campaign
from assay.campaigns.schemas import CampaignOut
from assay.db.database import reading
from assay.http.encoded import Encoded
from assay.http.errors import NotFound
from assay.runs import lifecycle as runs
from assay.runs.models import Run

MOST_BYTES = 32 << 20
DUE_S = 5.0
"""Some of a state depends on the time, such as the remaining time of a run."""


@dataclass(frozen=True)
class State:
    """One version of a campaign, and its document."""

    campaign: CampaignOut
    document: Encoded

    @property
    def is_over(self) -> bool:
        """Whether the last run has ended."""
        return self.campaign.state in FINAL


class States:
    """The newest state of each campaign that has subscribers; used by threads that read."""

    def __init__(self) -> None:
        """Start without states."""
        self._known: TTLCache[int, State] = TTLCache(
            MOST_BYTES, DUE_S, time.monotonic, getsizeof=lambda one: one.document.size
        )
        self._lock = Lock()

    def read(self, session: Session, campaign_id: int) -> State:
        """Return the state that `session` sees; raises NotFound."""
        revision = queries.revision(session, campaign_id)
        if revision is None:
            raise NotFound("campaign", campaign_id)
        with self._lock:
            known = self._known.get(campaign_id)
        if known is not None and known.campaign.revision == revision and not known.is_over:
            return known
        campaign = queries.one(session, campaign_id)
        document = Encoded.of(campaign.model_dump_json(by_alias=True).encode())
        state = State(campaign, document)
        if document.size < MOST_BYTES:
            with self._lock:
                self._known[campaign_id] = state
        return state

    def current(self, campaign_id: int) -> State:
        """Return the campaign's current state; raises NotFound."""
        with reading() as session:
            return self.read(session, campaign_id)


def is_active(campaign_id: int) -> bool:
    """Return whether the campaign exists and has a run that has not ended."""
    there = select(Campaign.id).where(Campaign.id == campaign_id, Campaign.deleted_at.is_(None))
    unended = exists().where(Run.campaign_id == Campaign.id, Run.state.not_in(runs.FINAL))
    with reading() as session:
        return session.scalar(there.where(unended)) is not None

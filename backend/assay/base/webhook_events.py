"""The events that webhooks receive, and the data of each.

Types have a version. What is in a version stays: new fields may be added, and another meaning gets
a new version. Only names, ids and figures that every viewer sees are sent, never a credential.
"""

from datetime import datetime
from typing import Annotated, Literal, get_args

from pydantic import BaseModel, BeforeValidator
from pydantic_core import PydanticCustomError

from assay.base.settings import settings
from assay.base.suggestions import did_you_mean

WebhookEvent = Literal[
    "campaign.ended.v1", "run.judged.v1", "host.key_changed.v1", "host.unreachable.v1"
]
EVENTS: tuple[WebhookEvent, ...] = get_args(WebhookEvent)

TEST_EVENT = "webhook.test.v1"
"""Sent on request, to any webhook."""

DeliveredEvent = Literal[WebhookEvent, "webhook.test.v1"]

MOST_CRITERIA = 50
"""Criteria of a run in its event; the API has all."""

MOST_FAILURES = 50
"""Failed runs of a campaign in its event; the API has all."""


def _known(value: object) -> object:
    if not isinstance(value, str) or value in EVENTS:
        return value
    known = ", ".join(EVENTS)
    remedy = did_you_mean(value, EVENTS) or f"Choose among {known}."
    raise PydanticCustomError("event", "is not an event", {"remedy": remedy})


KnownEvent = Annotated[WebhookEvent, BeforeValidator(_known)]


class EventLinks(BaseModel):
    """Where the object is: in the API, and as a page.

    They begin with `ASSAY_PUBLIC_URL` if it is set, and are paths otherwise.
    """

    api: str
    page: str


class EventVerdict(BaseModel):
    """An outcome (pass, fail, inconclusive, waived), and the number of criteria with each."""

    outcome: str
    passed: int
    failed: int
    inconclusive: int
    waived: int


class CampaignIdentity(BaseModel):
    """A campaign, as the events of its runs name it."""

    id: int
    name: str
    reference: str | None


class EndedCampaign(CampaignIdentity):
    """A campaign that has ended, with its final state: done, failed or cancelled."""

    state: str
    labels: dict[str, str]
    created_by: str
    created_at: datetime
    ended_at: datetime


class ProfileIdentity(BaseModel):
    """The profile of a campaign."""

    slug: str
    version: int


class RunCounts(BaseModel):
    """Runs of an ended campaign, by their final state."""

    done: int
    failed: int
    cancelled: int


class RunFailure(BaseModel):
    """Why a run failed: a code, and the sentence of its page."""

    code: str
    reason: str


class FailedRun(RunFailure):
    """A failed run of an ended campaign."""

    id: int
    title: str


class CampaignEnded(BaseModel):
    """All runs of a campaign have ended, and their results and verdicts are stored.

    `failures` has at most 50 runs. `verdict` is null if the campaign has no criteria.
    """

    campaign: EndedCampaign
    profile: ProfileIdentity
    runs: RunCounts
    failures: list[FailedRun]
    verdict: EventVerdict | None
    links: EventLinks


class JudgedRun(BaseModel):
    """A run that has ended; `failure` is null unless it failed."""

    id: int
    title: str
    kind: str
    state: str
    failure: RunFailure | None


class JudgedCriterion(BaseModel):
    """A criterion with its outcome; figures are in the unit of `dimension`."""

    criterion: str
    outcome: str
    dimension: str
    measured: float | None
    limit: float | None


class RunJudged(BaseModel):
    """The verdict of a run was stored; `criteria` has at most 50, the failed ones first."""

    campaign: CampaignIdentity
    run: JudgedRun
    verdict: EventVerdict
    criteria: list[JudgedCriterion]
    links: EventLinks


class HostIdentity(BaseModel):
    """A host."""

    id: int
    name: str
    address: str | None
    reference: str | None


class HostKeyChanged(BaseModel):
    """A host showed another key than the approved one; nothing runs there until it is approved."""

    host: HostIdentity
    approved_fingerprint: str | None
    offered_fingerprint: str | None
    links: EventLinks


class HostUnreachable(BaseModel):
    """A host did not respond; `reason` is as on its page."""

    host: HostIdentity
    reason: str
    last_seen_at: datetime | None
    links: EventLinks


class WebhookIdentity(BaseModel):
    """A webhook."""

    id: int
    name: str


class WebhookTested(BaseModel):
    """A user asked for a test of the webhook."""

    webhook: WebhookIdentity
    sent_by: str
    links: EventLinks


EventData = CampaignEnded | RunJudged | HostKeyChanged | HostUnreachable | WebhookTested


def links(api: str, page: str) -> EventLinks:
    """Return the addresses of an object, from its paths in the API (`runs/7`) and of its page."""
    base = (settings().public_url or "").rstrip("/")
    return EventLinks(api=f"{base}/api/v1/{api}", page=f"{base}/{page}")

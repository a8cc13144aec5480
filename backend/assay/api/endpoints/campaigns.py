"""Endpoints of campaigns."""

from typing import Annotated, Any

import anyio
from fastapi import APIRouter, Depends, Header, Query, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse
from sqlalchemy import select
from sqlalchemy.orm import Session
from sse_starlette import EventSourceResponse

from assay.access.audit import record
from assay.access.permissions import require
from assay.api import campaign_stream as stream
from assay.api.accounts.authentication import may, still_valid
from assay.api.accounts.shared_logins import SharedLogins, identified_together
from assay.api.campaign_stream import Ends
from assay.api.http.downloads import described, saved_as
from assay.api.http.paging import Listing, Page, caseless, listing
from assay.api.http.routes import Route
from assay.api.http.waiting import TooManyWaiting
from assay.base.errors import Invalid, ProblemDocument
from assay.base.etags import IfMatch
from assay.base.field_errors import FieldError
from assay.base.field_types import LARGEST_INTEGER, Id
from assay.base.filters import Since, Until, Words, between
from assay.base.identity import Identity
from assay.base.messaging.changes import announce
from assay.base.turns import Turns
from assay.inventory.labels import LabelFilter, put_labels
from assay.runs.campaigns import cancellation, deletion, queries, seen
from assay.runs.campaigns.launch import CampaignRefused, Launch
from assay.runs.campaigns.lifecycle import CampaignState
from assay.runs.campaigns.mesh import Mesh, mesh, mesh_csv
from assay.runs.campaigns.mesh import example_csv as mesh_example_csv
from assay.runs.campaigns.relaunch import plan_of, profile_of
from assay.runs.campaigns.scale_out import EXAMPLE_CSV, ScaleOut, scale_out, scale_out_csv
from assay.runs.campaigns.schemas import (
    CampaignChange,
    CampaignOut,
    CampaignPlan,
    DeletedCampaign,
    Estimate,
    LaunchedCampaign,
    ProfileFromCampaign,
)
from assay.runs.campaigns.token_limits import require_of_campaign
from assay.runs.filters import RunFilter
from assay.runs.profiles.queries import add
from assay.runs.profiles.schemas import ProfileOut
from assay.runs.verdicts import queries as verdicts
from assay.runs.verdicts.judging import Outcome
from assay.runs.verdicts.schemas import CampaignVerdict, CriteriaIn, WaiverIn
from assay.runs.verdicts.waivers import waive_unjudged
from assay.tables.campaigns import Campaign
from assay.tables.database import reading
from assay.tables.labels import CampaignLabel
from assay.tables.profiles import Profile
from assay.tables.transactions import Reading, Writing

PING_S = 15
GRACE_S = 1.0
"""Time for a stream to end by itself when the server does."""

router = APIRouter(prefix="/campaigns", tags=["campaigns"], route_class=Route)

OVERLOADED: dict[int | str, dict[str, Any]] = {
    TooManyWaiting.status: {
        "model": ProblemDocument,
        "description": f"{TooManyWaiting.title}; try again after `Retry-After`",
    }
}

CampaignList = Annotated[
    Listing[CampaignOut],
    Depends(
        listing(
            CampaignOut,
            {
                "id": Campaign.id,
                "name": caseless(Campaign.name),
                "profile": select(caseless(Profile.name))
                .where(Profile.id == Campaign.profile_id)
                .scalar_subquery(),
                "created_at": Campaign.created_at,
                "created_by": caseless(Campaign.created_by),
            },
            by="-id",
        )
    ),
]

CLIENT_CLOSED_REQUEST = 499
"""The status that logs have for a client that disconnected before its response."""

CampaignWait = Annotated[
    float,
    Query(
        ge=0,
        le=3600,
        allow_inf_nan=False,
        description="Maximum wait for the end, in seconds",
    ),
]


@router.get("", response_model=Page[CampaignOut], summary="List campaigns")
def list_campaigns(
    _who: Annotated[Identity, may("campaign.read")],
    session: Reading,
    part: CampaignList,
    where: Annotated[RunFilter, Depends()],
    *,
    state: Annotated[
        list[CampaignState] | None, Query(description="Only those in this state; repeatable")
    ] = None,
    verdict: Annotated[
        list[Outcome] | None, Query(description="Only those with this verdict; repeatable")
    ] = None,
    needs_attention: Annotated[
        bool | None, Query(description="Only those that need attention, or only the others")
    ] = None,
    label: LabelFilter = None,
    since: Since = None,
    until: Until = None,
    q: Words = None,
) -> Page[CampaignOut] | JSONResponse:
    """Newest first. One run must match all filters of runs; `from` and `to` are launch times.

    A label may also be one that a host, target or array of a run had.
    """
    wanted = queries.listed(
        session,
        where,
        states=state or [],
        verdicts_of=verdict or [],
        launched=between(Campaign.created_at, since, until),
        words=q or "",
        needs_attention=needs_attention,
    )
    return part.page(session, wanted.where(queries.labeled(label)), queries.shapes)


@router.post("/estimate", summary="Estimate a campaign")
def estimate_campaign(
    body: CampaignPlan, _who: Annotated[Identity, may("campaign.estimate")], session: Reading
) -> Estimate:
    """Shows size, duration, problems and limitations; changes nothing."""
    return Launch(session, body).estimate()


@router.post(
    "",
    status_code=201,
    summary="Launch a campaign",
    responses={
        422: {
            "model": ProblemDocument,
            "description": f"{CampaignRefused.title}; `estimate` has the figures",
        }
    },
)
def launch_campaign(
    body: CampaignPlan, who: Annotated[Identity, may("campaign.launch")], session: Writing
) -> LaunchedCampaign:
    """Creates a run of each test on each target, and starts those whose host is free."""
    launch = Launch(session, body, lock=True)
    campaign_id = launch.go(who)
    campaign = _fresh(session, campaign_id)
    return LaunchedCampaign(**dict(campaign), warnings=launch.warnings)


@router.get(
    "/{campaign_id}",
    response_model=CampaignOut,
    summary="Show a campaign, or wait for its end",
    dependencies=[Depends(identified_together)],
    responses=OVERLOADED,
)
async def show_campaign(
    campaign_id: Id,
    _who: Annotated[Identity, may("campaign.read")],
    request: Request,
    wait: CampaignWait = 0,
) -> CampaignOut | Response:
    """With `wait`, responds when the last run has ended, or after that many seconds."""
    if not wait:
        return await run_in_threadpool(_shown, campaign_id)
    ends: Ends = request.app.state.ends
    state = await ends.ended(campaign_id, wait, request)
    if state is None:
        return Response(status_code=CLIENT_CLOSED_REQUEST)
    logins: SharedLogins = request.app.state.logins
    # the login may have expired during the wait
    require(await logins.identify(request), "campaign.read")
    turns: Turns = request.app.state.turns
    await turns.take()
    return state.document.response(request, {"ETag": state.campaign.etag})


def _shown(campaign_id: int) -> CampaignOut:
    with reading() as session:
        return queries.one(session, campaign_id)


@router.post("/{campaign_id}/cancel", summary="Cancel a campaign")
def cancel_campaign(
    campaign_id: Id, who: Annotated[Identity, may("campaign.cancel")], session: Writing
) -> CampaignOut:
    """Stops the runs and removes their files; keeps what was measured."""
    cancellation.cancel(session, campaign_id, who)
    return _fresh(session, campaign_id)


@router.get(
    "/{campaign_id}/plan",
    summary="Show what launches a campaign again",
    response_model_exclude_none=True,
)
def show_plan(
    campaign_id: Id,
    _who: Annotated[Identity, may("campaign.read")],
    session: Reading,
    run_id: Annotated[
        int | None,
        Query(ge=1, le=LARGEST_INTEGER, description="Only what this run of it measured"),
    ] = None,
) -> CampaignPlan:
    """The request with which it was launched, to be posted again as it is or edited."""
    return plan_of(session, queries.find(session, campaign_id), run_id)


@router.post("/{campaign_id}/profile", status_code=201, summary="Save a campaign as a profile")
def save_as_profile(
    campaign_id: Id,
    body: ProfileFromCampaign,
    who: Annotated[Identity, may("profile.create")],
    session: Writing,
    *,
    request: Request,
    response: Response,
) -> ProfileOut:
    """The tests with the values and criteria with which they ran, as version 1 of a profile."""
    campaign = queries.find(session, campaign_id)
    wanted = profile_of(session, campaign, body.name, body.run_id)
    saved = add(session, wanted, who, "profile.created")
    above = request.url.path.partition("/campaigns/")[0]
    response.headers["Location"] = f"{above}/profiles/{saved.id}"
    return saved


@router.patch("/{campaign_id}", summary="Change a campaign")
def change_campaign(
    campaign_id: Id,
    body: CampaignChange,
    who: Annotated[Identity, may("campaign.change")],
    session: Writing,
    *,
    if_match: IfMatch = None,
) -> CampaignOut:
    """Omitted fields are unchanged."""
    campaign = queries.find(session, campaign_id, lock=True)
    require_of_campaign(session, who, "campaign.change", campaign.id)
    queries.check_tag(session, campaign, if_match)
    changes = body.model_dump(exclude_unset=True)
    if "name" in changes and body.name is None:
        raise Invalid([FieldError("name", "must not be null", "Enter a name.")])
    for field, value in changes.items():
        if field != "labels":
            setattr(campaign, field, value)
    campaign.edits += 1
    session.flush()
    if "labels" in changes:
        put_labels(session, CampaignLabel, campaign.id, body.labels)
    record(session, who, "campaign.changed", f"campaign {campaign.id} {campaign.name}", **changes)
    announce(f"campaign:{campaign.id}", after=session)
    return _fresh(session, campaign_id)


@router.post("/{campaign_id}/seen", summary="Mark a campaign as seen")
def mark_campaign_as_seen(
    campaign_id: Id, who: Annotated[Identity, may("campaign.change")], session: Writing
) -> CampaignOut:
    """What has failed needs no attention any more; what fails later does."""
    seen.mark_seen(session, campaign_id, who)
    return _fresh(session, campaign_id)


@router.delete("/{campaign_id}/seen", summary="Mark a campaign as not seen")
def mark_campaign_as_unseen(
    campaign_id: Id, who: Annotated[Identity, may("campaign.change")], session: Writing
) -> CampaignOut:
    """Its failures need attention again, unless a later campaign has repeated them."""
    seen.mark_unseen(session, campaign_id, who)
    return _fresh(session, campaign_id)


@router.delete("/{campaign_id}", summary="Delete a campaign")
def delete_campaign(
    campaign_id: Id,
    who: Annotated[Identity, may("campaign.delete")],
    session: Writing,
    *,
    cancel: Annotated[bool, Query(description="Cancel the campaign if it has not ended")] = False,
    if_match: IfMatch = None,
) -> DeletedCampaign:
    """Deletes everything that it measured; until `undo_until`, `undelete` brings it back.

    Not one that someone relies on: with the label `baseline` or a waiver.
    """
    campaign, undo_until = deletion.delete_campaign(
        session, campaign_id, who, cancel=cancel, if_match=if_match
    )
    return DeletedCampaign(id=campaign.id, name=campaign.name, undo_until=undo_until)


@router.post("/{campaign_id}/undelete", summary="Undo the deletion of a campaign")
def undelete_campaign(
    campaign_id: Id, who: Annotated[Identity, may("campaign.restore")], session: Writing
) -> CampaignOut:
    """Possible for a minute; runs that the deletion canceled stay canceled."""
    deletion.undelete(session, campaign_id, who)
    return _fresh(session, campaign_id)


@router.get("/{campaign_id}/scale-out", summary="Show a campaign's scale-out")
def show_scale_out(
    campaign_id: Id, _who: Annotated[Identity, may("campaign.read")], session: Reading
) -> ScaleOut:
    """What one target, two, … reach together, and how efficiently; by test and cell."""
    return scale_out(session, campaign_id)


@router.get(
    "/{campaign_id}/scale-out.csv",
    summary="Download a campaign's scale-out as CSV",
    response_class=Response,
    responses=described("text/csv", EXAMPLE_CSV),
)
def download_scale_out(
    campaign_id: Id, _who: Annotated[Identity, may("campaign.read")], session: Reading
) -> Response:
    """One row per target of each run; every column names its unit."""
    return Response(
        scale_out_csv(scale_out(session, campaign_id)),
        media_type="text/csv",
        headers=saved_as(f"campaign-{campaign_id}-scale-out.csv"),
    )


@router.get("/{campaign_id}/mesh", summary="Show a campaign's mesh")
def show_mesh(
    campaign_id: Id, _who: Annotated[Identity, may("campaign.read")], session: Reading
) -> Mesh:
    """What each pair of hosts reaches in each direction, and what limits it."""
    return mesh(session, campaign_id)


@router.get(
    "/{campaign_id}/mesh.csv",
    summary="Download a campaign's mesh as CSV",
    response_class=Response,
    responses=described("text/csv", mesh_example_csv),
)
def download_mesh(
    campaign_id: Id, _who: Annotated[Identity, may("campaign.read")], session: Reading
) -> Response:
    """One row per pair of each test; every column names its unit."""
    return Response(
        mesh_csv(mesh(session, campaign_id)),
        media_type="text/csv",
        headers=saved_as(f"campaign-{campaign_id}-mesh.csv"),
    )


@router.get("/{campaign_id}/verdict", summary="Show a campaign's verdict")
def show_campaign_verdict(
    campaign_id: Id, _who: Annotated[Identity, may("campaign.read")], session: Reading
) -> CampaignVerdict:
    """The criteria judged on every ended run that they apply to."""
    queries.find(session, campaign_id)
    return verdicts.of_campaign(session, campaign_id)


@router.post(
    "/{campaign_id}/waivers", status_code=201, summary="Waive a criterion that judged no run"
)
def waive_unjudged_criterion(
    campaign_id: Id,
    body: WaiverIn,
    who: Annotated[Identity, may("campaign.waive_criteria_of")],
    session: Writing,
    *,
    request: Request,
    response: Response,
) -> CampaignVerdict:
    """Accepts a criterion by which no run of the ended campaign was judged, until `expires_at`.

    One that judged runs is waived for each of them.
    """
    campaign = queries.find(session, campaign_id)
    require_of_campaign(session, who, "campaign.waive_criteria_of", campaign.id)
    waive_unjudged(session, campaign, body, who)
    response.headers["Location"] = request.url.path.replace("/waivers", "/verdict")
    return verdicts.of_campaign(session, campaign_id)


@router.post("/{campaign_id}/verdicts", summary="Judge by other criteria")
def judge_campaign(
    campaign_id: Id,
    body: CriteriaIn,
    _who: Annotated[Identity, may("campaign.read")],
    session: Reading,
) -> CampaignVerdict:
    """Judges the ended runs by the current rules; changes nothing, so waivers do not apply."""
    queries.find(session, campaign_id)
    criteria = [one.model_dump() for one in body.criteria]
    return verdicts.judged_again(session, campaign_id, criteria)


@router.get(
    "/{campaign_id}/stream",
    summary="Follow a campaign",
    response_class=EventSourceResponse,
    dependencies=[Depends(identified_together)],
    responses={
        **OVERLOADED,
        200: {
            "description": "Server-sent events `campaign` (a Campaign; its id is the revision) and "
            "`samples` ({run_id, trial_id, points: [[end_ns, dt_ns, bytes, ops, lat_max_ns, "
            "oldest_ns, dev_write_bytes, phase], …]}); `deleted` ({}), the last one, if the "
            "campaign is deleted",
            "content": {
                "text/event-stream": {
                    "schema": {"type": "string"},
                    "example": 'event: campaign\ndata: {"id":7}\n\n',
                }
            },
        },
    },
)
async def follow_campaign(
    campaign_id: Id,
    who: Annotated[Identity, may("campaign.read")],
    request: Request,
    last_event_id: Annotated[int | None, Header(description="The newest revision received")] = None,
) -> EventSourceResponse:
    """The first event is the current state, unless `Last-Event-ID` names its revision.

    The stream ends with the event of the campaign's end, or when the login expires.
    """
    ends: Ends = request.app.state.ends
    await ends.state(campaign_id)
    seen = -1 if last_event_id is None else last_event_id
    ending = anyio.Event()
    feeds: stream.Feeds = request.app.state.feeds
    login = who.token_id, who.session_id
    return EventSourceResponse(
        stream.events(
            feeds,
            campaign_id,
            seen,
            ending,
            lambda: feeds.may_listen(login, lambda: still_valid(request)),
        ),
        ping=PING_S,
        headers={"X-Accel-Buffering": "no"},
        shutdown_event=ending,
        shutdown_grace_period=GRACE_S,
    )


def _fresh(session: Session, campaign_id: int) -> CampaignOut:
    """Return the campaign from the database, where its revision was raised."""
    session.flush()
    session.expire_all()
    return queries.one(session, campaign_id)

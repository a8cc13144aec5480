"""Endpoints of schedules."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.responses import JSONResponse
from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from assay.access import preconditions
from assay.access.audit import record
from assay.api.accounts.authentication import may
from assay.api.http.paging import Listing, Page, caseless, listing
from assay.api.http.routes import Route
from assay.base.errors import Invalid, NameTaken
from assay.base.etags import IfMatch
from assay.base.field_errors import FieldError
from assay.base.field_types import Id
from assay.base.filters import Since, Until, Words, between, has_words
from assay.base.identity import Identity
from assay.base.states import FiringOutcome
from assay.runs.campaigns import queries as campaigns
from assay.runs.campaigns.launch import CampaignRefused, Launch
from assay.runs.campaigns.schemas import CampaignPlan, LaunchedCampaign
from assay.runs.schedules import queries
from assay.runs.schedules.firing import forget_oldest, launch, plan_next, timetable_of
from assay.runs.schedules.schemas import (
    FiringOut,
    ScheduleChange,
    ScheduleIn,
    ScheduleOut,
    SchedulePreview,
    TimetableIn,
)
from assay.runs.schedules.timetable import Timetable
from assay.tables.clock import now
from assay.tables.schedules import LAUNCHED, Firing, Schedule
from assay.tables.transactions import Reading, Writing

router = APIRouter(prefix="/schedules", tags=["schedules"], route_class=Route)

TIMES = ("cron", "zone", "weekly_blackouts", "dated_blackouts")
"""Fields that decide when a schedule fires."""

ScheduleList = Annotated[
    Listing[ScheduleOut],
    Depends(
        listing(
            ScheduleOut,
            {
                "id": Schedule.id,
                "name": caseless(Schedule.name),
                "next_at": Schedule.next_at,
                "created_at": Schedule.created_at,
            },
            by="name",
        )
    ),
]

FiringList = Annotated[
    Listing[FiringOut],
    Depends(listing(FiringOut, {"id": Firing.id, "due_at": Firing.due_at}, by="-id")),
]


@router.get("", response_model=Page[ScheduleOut], summary="List schedules")
def list_schedules(
    _who: Annotated[Identity, may("schedule.read")],
    session: Reading,
    part: ScheduleList,
    *,
    state: Annotated[
        Literal["active", "paused"] | None, Query(description="Only those in this state")
    ] = None,
    q: Words = None,
) -> Page[ScheduleOut] | JSONResponse:
    """By name; `-next_at` and `next_at` order them by the next fire time."""
    chosen = select(Schedule).where(has_words(q or "", Schedule.name))
    if state is not None:
        paused = Schedule.paused_at.is_not(None)
        chosen = chosen.where(paused if state == "paused" else ~paused)
    return part.page(session, chosen, queries.shapes)


@router.post("/preview", summary="Preview the fire times of a schedule")
def preview_schedule(
    body: TimetableIn, _who: Annotated[Identity, may("schedule.read")], session: Reading
) -> SchedulePreview:
    """Shows the next five fire times and what blackouts skip; changes nothing."""
    table = body.timetable()
    _check_times(session, table)
    return queries.preview(session, table)


@router.post("", status_code=201, summary="Create a schedule")
def create_schedule(
    body: ScheduleIn, who: Annotated[Identity, may("schedule.create")], session: Writing
) -> ScheduleOut:
    """The plan must be one that could be launched now."""
    _free(session, body.name)
    _check_times(session, body.timetable())
    row = Schedule(**_stored(session, body), created_by=who.actor)
    plan_next(row, now(session))
    session.add(row)
    session.flush()
    record(session, who, "schedule.created", _what(row), cron=row.cron, zone=row.zone)
    return _fresh(session, row)


@router.get("/{schedule_id}", summary="Show a schedule")
def show_schedule(
    schedule_id: Id, _who: Annotated[Identity, may("schedule.read")], session: Reading
) -> ScheduleOut:
    """Includes the next five fire times and the newest firing."""
    return queries.shapes(session, [queries.find(session, schedule_id)])[0]


@router.patch("/{schedule_id}", summary="Change a schedule")
def change_schedule(
    schedule_id: Id,
    body: ScheduleChange,
    who: Annotated[Identity, may("schedule.change")],
    session: Writing,
    if_match: IfMatch = None,
) -> ScheduleOut:
    """Omitted fields are unchanged. Campaigns that were launched keep their plan."""
    row = queries.find(session, schedule_id, lock=True)
    preconditions.check(session, if_match, queries.tag(row), f"schedule {row.id}")
    changes = _stored(session, body)
    if empty := [name for name, value in changes.items() if value is None]:
        remedy = "Leave it out to keep its value."
        raise Invalid([FieldError(name, "must not be null", remedy) for name in empty])
    if body.name is not None and body.name != row.name:
        _free(session, body.name)
    for field, value in changes.items():
        setattr(row, field, value)
    if any(name in changes for name in TIMES):
        _check_times(session, timetable_of(row))
        if row.paused_at is None:
            plan_next(row, now(session))
    session.flush()
    record(session, who, "schedule.changed", _what(row), **changes)
    return _fresh(session, row)


@router.delete("/{schedule_id}", status_code=204, summary="Delete a schedule")
def delete_schedule(
    schedule_id: Id,
    who: Annotated[Identity, may("schedule.delete")],
    session: Writing,
    if_match: IfMatch = None,
) -> None:
    """Its campaigns stay, also those that have not ended."""
    row = queries.find(session, schedule_id, lock=True)
    preconditions.check(session, if_match, queries.tag(row), f"schedule {row.id}")
    record(session, who, "schedule.deleted", _what(row))
    session.execute(delete(Schedule).where(Schedule.id == row.id))


@router.post("/{schedule_id}/pause", summary="Pause a schedule")
def pause_schedule(
    schedule_id: Id, who: Annotated[Identity, may("schedule.pause")], session: Writing
) -> ScheduleOut:
    """Fire times while it is paused are neither launched nor recorded."""
    row = queries.find(session, schedule_id, lock=True)
    row.paused_at = row.paused_at or now(session)
    row.next_at = None
    record(session, who, "schedule.paused", _what(row))
    return _fresh(session, row)


@router.post("/{schedule_id}/resume", summary="Resume a schedule")
def resume_schedule(
    schedule_id: Id, who: Annotated[Identity, may("schedule.resume")], session: Writing
) -> ScheduleOut:
    """Continues with the next fire time."""
    row = queries.find(session, schedule_id, lock=True)
    if row.paused_at is not None:
        row.paused_at = None
        plan_next(row, now(session))
    record(session, who, "schedule.resumed", _what(row))
    return _fresh(session, row)


@router.post("/{schedule_id}/run", status_code=201, summary="Launch a schedule's campaign now")
def run_schedule(
    schedule_id: Id,
    who: Annotated[Identity, may("schedule.launch")],
    session: Writing,
    *,
    request: Request,
    response: Response,
) -> LaunchedCampaign:
    """Also in a blackout or while it is paused; the fire times are unchanged."""
    row = queries.find(session, schedule_id, lock=True)
    launched, campaign_id = launch(session, row, who)
    present = now(session)
    session.add(
        Firing(
            schedule_id=row.id,
            due_at=present,
            last_due_at=present,
            by_hand=True,
            outcome=LAUNCHED,
            campaign_id=campaign_id,
        )
    )
    session.flush()
    forget_oldest(session, row.id)
    session.expire_all()
    campaign = campaigns.one(session, campaign_id)
    above = request.url.path.partition("/schedules/")[0]
    response.headers["Location"] = f"{above}/campaigns/{campaign.id}"
    return LaunchedCampaign(**dict(campaign), warnings=launched.warnings)


@router.get(
    "/{schedule_id}/firings", response_model=Page[FiringOut], summary="List a schedule's firings"
)
def list_firings(
    schedule_id: Id,
    _who: Annotated[Identity, may("schedule.read")],
    session: Reading,
    part: FiringList,
    *,
    outcome: Annotated[
        list[FiringOutcome] | None, Query(description="Only those with this outcome; repeatable")
    ] = None,
    since: Since = None,
    until: Until = None,
) -> Page[FiringOut] | JSONResponse:
    """What became of its fire times, newest first, with the campaigns; the last 1,000 are kept.

    `from` and `to` are fire times.
    """
    queries.find(session, schedule_id)
    chosen = select(Firing).where(
        Firing.schedule_id == schedule_id, *between(Firing.due_at, since, until)
    )
    if outcome:
        chosen = chosen.where(Firing.outcome.in_(outcome))
    return part.page(session, chosen, queries.firings)


def _stored(session: Session, body: ScheduleIn | ScheduleChange) -> dict[str, Any]:
    """Return the given fields as columns; raises Invalid or CampaignRefused for the plan."""
    given = body.model_dump(mode="json", exclude={"plan"}, exclude_unset=True)
    if isinstance(body, ScheduleIn):
        given = body.model_dump(mode="json", exclude={"plan"})
    if body.plan is not None:
        plan = _checked(session, body.plan)
        given["plan"] = plan.model_dump(mode="json", exclude_none=True)
    elif "plan" in body.model_fields_set:
        given["plan"] = None
    return given


def _check_times(session: Session, table: Timetable) -> None:
    """Raise Invalid if blackouts cover all fire times."""
    if next(table.fire_times(now(session)), None) is not None:
        return
    field = "weekly_blackouts" if table.weekly else "dated_blackouts"
    message = "cover every fire time of the next ten years"
    raise Invalid([FieldError(field, message, "Shorten them, or choose other fire times.")])


def _checked(session: Session, plan: CampaignPlan) -> CampaignPlan:
    """Return the plan with ids of hosts and targets, which may be renamed before it is launched.

    A profile's name remains: it launches the newest version. Raises Invalid or CampaignRefused if
    the plan cannot be launched now.
    """
    try:
        wanted = Launch(session, plan)
    except Invalid as error:
        raise Invalid(_in_plan(error.errors)) from error
    if problems := wanted.forecast.problems:
        raise CampaignRefused(_in_plan(problems), wanted.estimate())
    if plan.profile is None:
        return wanted.plan
    return wanted.plan.model_copy(update={"profile": plan.profile, "profile_id": None})


def _in_plan(errors: Sequence[FieldError]) -> list[FieldError]:
    return [replace(one, field=f"plan.{one.field}") for one in errors]


def _free(session: Session, name: str) -> None:
    if taken := session.scalar(select(Schedule.id).where(Schedule.name == name)):
        raise NameTaken("schedule", name, taken)


def _what(row: Schedule) -> str:
    return f"schedule {row.id} {row.name}"


def _fresh(session: Session, row: Schedule) -> ScheduleOut:
    session.flush()
    session.refresh(row)
    return queries.shapes(session, [row])[0]

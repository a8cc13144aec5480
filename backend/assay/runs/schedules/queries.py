"""Queries for schedules and their firings."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from assay.base.errors import Invalid, NotFound
from assay.base.etags import etag
from assay.runs.campaigns import queries as campaigns
from assay.runs.campaigns.schemas import CampaignOut
from assay.runs.profiles import queries as profiles
from assay.runs.schedules import cron
from assay.runs.schedules.firing import timetable_of
from assay.runs.schedules.schemas import (
    EDITABLE,
    CampaignOfSchedule,
    DatedBlackout,
    FireTimeOut,
    FiringOut,
    ProfileOfSchedule,
    ScheduleOut,
    SchedulePreview,
    WeeklyBlackout,
)
from assay.runs.schedules.timetable import FireTime, Timetable
from assay.tables.campaigns import Campaign
from assay.tables.clock import now
from assay.tables.profiles import Profile
from assay.tables.schedules import Firing, Schedule

SHOWN_TIMES = 5
MOST_SKIPPED = 100
"""Blackouts whose fire times are shown as skipped."""


def find(session: Session, schedule_id: int, *, lock: bool = False) -> Schedule:
    """Return the schedule, or raise NotFound."""
    schedule = session.get(Schedule, schedule_id, with_for_update=lock or None)
    if schedule is None:
        raise NotFound("schedule", schedule_id)
    return schedule


def tag(schedule: Schedule) -> str:
    """Return the entity tag."""
    return etag(schedule, EDITABLE)


def preview(session: Session, table: Timetable) -> SchedulePreview:
    """Return the next fire times, and those before them that blackouts skip."""
    wanted, skipped = _next_times(table, now(session))
    return SchedulePreview(
        description=cron.description(table.expression), fire_times=wanted, skipped=skipped
    )


def _next_times(table: Timetable, present: datetime) -> tuple[list[FireTimeOut], list[FireTimeOut]]:
    """Return the next fire times, and the first one in each blackout before the last of them."""
    wanted: list[FireTimeOut] = []
    skipped: list[FireTimeOut] = []
    for one, blackout_end in table.all_times(present):
        (wanted if blackout_end is None else skipped).append(_time(one))
        if len(wanted) == SHOWN_TIMES:
            break
    return wanted, skipped[:MOST_SKIPPED]


def shapes(session: Session, schedules: Sequence[Schedule]) -> list[ScheduleOut]:
    """Return schedules as API types."""
    present = now(session)
    newest = _newest_firings(session, [one.id for one in schedules])
    found = _profiles(session, schedules)
    return [
        _shape(one, present, newest.get(one.id), profile)
        for one, profile in zip(schedules, found, strict=True)
    ]


def firings(session: Session, rows: Sequence[Firing]) -> list[FiringOut]:
    """Return firings as API types; a deleted campaign is null."""
    ids = {row.campaign_id for row in rows if row.campaign_id is not None}
    living = select(Campaign).where(Campaign.id.in_(ids), Campaign.deleted_at.is_(None))
    launched = session.scalars(living).all()
    by_id = {one.id: _campaign(one) for one in campaigns.shapes(session, launched)}
    return [
        FiringOut(
            id=row.id,
            due_at=row.due_at,
            last_due_at=row.last_due_at,
            times=row.times,
            at=row.at,
            by_hand=row.by_hand,
            outcome=row.outcome,
            campaign=by_id.get(row.campaign_id) if row.campaign_id is not None else None,
            code=row.code,
            detail=row.detail,
        )
        for row in rows
    ]


def _newest_firings(session: Session, ids: Sequence[int]) -> dict[int, FiringOut]:
    newest = (
        select(func.max(Firing.id)).where(Firing.schedule_id.in_(ids)).group_by(Firing.schedule_id)
    )
    rows = session.scalars(select(Firing).where(Firing.id.in_(newest))).all()
    found = firings(session, rows)
    return {row.schedule_id: one for row, one in zip(rows, found, strict=True)}


def _campaign(found: CampaignOut) -> CampaignOfSchedule:
    waits = next((run.waits_for for run in found.runs if run.waits_for is not None), None)
    return CampaignOfSchedule(
        id=found.id,
        name=found.name,
        state=found.state,
        verdict=found.verdict.outcome if found.verdict else None,
        waits_for=waits.what if waits else None,
    )


def _profiles(session: Session, schedules: Sequence[Schedule]) -> list[ProfileOfSchedule | None]:
    """Return the profile of each schedule, or None if it was deleted or has no such name."""
    ids = [_profile_id(session, one.plan) for one in schedules]
    rows = {one.id: one for one in session.scalars(select(Profile).where(Profile.id.in_(ids)))}
    slugs = {one.slug for one in rows.values()}
    newest = {
        one.slug: one for one in session.scalars(profiles.newest().where(Profile.slug.in_(slugs)))
    }
    return [_profile(rows.get(one), newest) for one in ids]


def _profile_id(session: Session, plan: dict[str, Any]) -> int:
    """Return the id of a plan's profile, which it may name; 0 if there is none."""
    if plan.get("profile") is None:
        return plan.get("profile_id") or 0
    try:
        return profiles.names(session).find("profile", plan["profile"])
    except Invalid:
        return 0


def _profile(row: Profile | None, newest: dict[str, Profile]) -> ProfileOfSchedule | None:
    if row is None or row.retired_at is not None:
        return None
    latest = newest.get(row.slug)
    changed = latest is not None and latest.id != row.id
    return ProfileOfSchedule(
        id=row.id,
        slug=row.slug,
        name=row.name,
        version=row.version,
        newest_id=latest.id if latest and changed else None,
        newest_version=latest.version if latest and changed else None,
    )


def _shape(
    row: Schedule, present: datetime, last: FiringOut | None, profile: ProfileOfSchedule | None
) -> ScheduleOut:
    table = timetable_of(row)
    wanted, skipped = ([], []) if row.paused_at else _next_times(table, present)
    return ScheduleOut(
        id=row.id,
        name=row.name,
        cron=row.cron,
        description=cron.description(row.cron),
        zone=row.zone,
        weekly_blackouts=[WeeklyBlackout.model_validate(one) for one in row.weekly_blackouts],
        dated_blackouts=[DatedBlackout.model_validate(one) for one in row.dated_blackouts],
        grace_s=row.grace_s,
        plan=row.plan,
        state="paused" if row.paused_at else "active",
        profile=profile,
        next=wanted,
        skipped=skipped,
        last=last,
        created_by=row.created_by,
        created_at=row.created_at,
        paused_at=row.paused_at,
        etag=tag(row),
    )


def _time(one: FireTime) -> FireTimeOut:
    return FireTimeOut(
        at=one.at,
        local=one.local.isoformat(timespec="seconds"),
        cron_time=one.cron_time.isoformat(timespec="minutes"),
        adjustment=one.adjustment,
    )

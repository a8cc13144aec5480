"""Firing: the launch of what is due, and the record of what could not be launched.

It runs in the scheduler's process and uses the database's clock. A transaction locks a schedule,
then what a launch locks. Each fire time is recorded once per schedule, by a constraint, so that
neither two schedulers nor a clock that is set back launch a campaign twice.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import takewhile
from typing import Any

from pydantic import ValidationError
from sqlalchemy import ColumnElement, and_, delete, exists, or_, select
from sqlalchemy.orm import Session

from assay.base.errors import Problem
from assay.base.field_errors import FieldError, from_pydantic
from assay.base.identity import Identity
from assay.base.words import span
from assay.runs import lifecycle
from assay.runs.campaigns.launch import Launch
from assay.runs.campaigns.schemas import CampaignPlan
from assay.runs.schedules.schemas import DatedBlackout, WeeklyBlackout
from assay.runs.schedules.timetable import Timetable
from assay.tables.campaigns import Campaign
from assay.tables.clock import moment, now
from assay.tables.database import reading, writing
from assay.tables.runs import Run
from assay.tables.schedules import LAUNCHED, MISSED, REFUSED, SKIPPED, Firing, Schedule

PUNCTUAL = timedelta(minutes=1)
"""A fire time is on time within this, whatever the grace: the scheduler looks every few seconds."""

MOST_KEPT = 1000
"""Firings of a schedule that are kept: ten days of one that fires every 15 min."""

LONGEST_ACTOR = 120
LONGEST_DETAIL = 2000


def timetable_of(schedule: Schedule) -> Timetable:
    """Return when a schedule fires."""
    return Timetable(
        schedule.cron,
        schedule.zone,
        [WeeklyBlackout.model_validate(one).blackout() for one in schedule.weekly_blackouts],
        [DatedBlackout.model_validate(one).blackout() for one in schedule.dated_blackouts],
    )


def plan_next(schedule: Schedule, present: datetime) -> None:
    """Compute the next fire time of a schedule that is not paused."""
    found = next(timetable_of(schedule).fire_times(present), None)
    schedule.next_at = None if found is None else found.at
    schedule.planned_at = present


def due(after: int = 0) -> int | None:
    """Return the id of a schedule that is due: the next one after this id, else the first."""
    with reading() as session:
        ids = session.scalars(select(Schedule.id).where(_is_due()).order_by(Schedule.id)).all()
    return next((one for one in ids if one > after), ids[0] if ids else None)


def fire(schedule_id: int) -> None:
    """Launch the campaign of a schedule that is due, or record why it is not launched."""
    with writing() as session:
        schedule = session.scalars(
            select(Schedule)
            .where(Schedule.id == schedule_id, _is_due())
            .with_for_update(skip_locked=True)
        ).first()
        if schedule is None:  # another scheduler fired it
            return
        present = now(session)
        if schedule.next_at is not None and schedule.planned_at <= present:
            _fire(session, schedule, schedule.next_at, present)
            forget_oldest(session, schedule.id)
        plan_next(schedule, present)


def forget_oldest(session: Session, schedule_id: int) -> None:
    """Delete the firings of a schedule beyond the newest `MOST_KEPT`."""
    of_schedule = Firing.schedule_id == schedule_id
    oldest_kept = (
        select(Firing.due_at)
        .where(of_schedule)
        .order_by(Firing.due_at.desc())
        .offset(MOST_KEPT - 1)
        .limit(1)
    )
    # without so many firings, the comparison with null selects none
    session.execute(
        delete(Firing).where(of_schedule, Firing.due_at < oldest_kept.scalar_subquery())
    )


def launch(session: Session, schedule: Schedule, who: Identity) -> tuple[Launch, int]:
    """Launch the plan of a schedule; return the launch and the campaign's id. Raises Problem."""
    try:
        plan = CampaignPlan.model_validate(schedule.plan)
    except ValidationError as error:  # by an older version of Assay
        raise PlanOutdated(from_pydantic(error.errors(), schedule.plan, CampaignPlan)) from error
    named = plan.model_copy(update={"name": plan.name or schedule.name})
    launched = Launch(session, named, lock=True)
    return launched, launched.go(who, schedule_id=schedule.id)


class PlanOutdated(Problem):
    """The plan is not valid in this version of Assay."""

    status, code, title = 422, "plan_outdated", "This version of Assay does not accept the plan"

    def __init__(self, errors: Sequence[FieldError]) -> None:
        """Name every field."""
        super().__init__(errors=errors)


def _is_due() -> ColumnElement[bool]:
    """Return SQL for whether a fire time has passed, or was computed by a clock now set back."""
    passed = or_(Schedule.next_at <= moment(), Schedule.planned_at > moment())
    return and_(Schedule.paused_at.is_(None), Schedule.next_at.is_not(None), passed)


def _fire(session: Session, schedule: Schedule, first: datetime, present: datetime) -> None:
    """Launch for the last fire time that has passed, if it is not too late; record all."""
    table = timetable_of(schedule)
    after_first = table.fire_times(first - timedelta(seconds=1))
    passed = [one.at for one in takewhile(lambda one: one.at <= present, after_first)]
    known = set(
        session.scalars(
            select(Firing.due_at).where(Firing.schedule_id == schedule.id, Firing.due_at >= first)
        )
    )
    passed = [at for at in passed if at not in known]
    if not passed:
        return
    last = passed[-1]
    reason = _too_late(table, schedule, last, present)
    if reason is None:
        found = _launched(session, schedule, last)  # first: a launch locks hosts before all else
        if len(passed) > 1:
            reason = "A later fire time was launched instead: Assay did not fire this one in time."
            session.add(_missed(schedule, passed[:-1], reason))
        session.add(found)
    else:
        session.add(_missed(schedule, passed, reason))


def _too_late(
    table: Timetable, schedule: Schedule, due_at: datetime, present: datetime
) -> str | None:
    """Return why a fire time is not launched any more; None if it is within the grace."""
    late = present - due_at
    if late <= PUNCTUAL:
        return None
    until = f"Assay did not fire it until {present:%Y-%m-%d %H:%M} UTC"
    if late > timedelta(seconds=schedule.grace_s):
        return f"{until}, {_words(late)} late; the grace is {_words(schedule.grace_s)}."
    if table.blackout_end(table.local(present)) is not None:
        return f"{until}, {_words(late)} late, when a blackout had begun."
    return None


def _launched(session: Session, schedule: Schedule, due_at: datetime) -> Firing:
    """Launch a campaign for a fire time; return the record of it, or of the reason why not."""
    firing = Firing(schedule_id=schedule.id, due_at=due_at, last_due_at=due_at)
    if (earlier := _unended(session, schedule)) is not None:
        firing.outcome, firing.code = SKIPPED, "previous_not_ended"
        firing.detail = f"Campaign {earlier} of this schedule had not ended."
        return firing
    who = Identity(
        f"schedule {schedule.name}"[:LONGEST_ACTOR], "operator", "local", is_schedule=True
    )
    try:
        _, firing.campaign_id = launch(session, schedule, who)
        firing.outcome = LAUNCHED
    except Problem as problem:  # before anything was written
        firing.outcome, firing.code = REFUSED, problem.code
        firing.detail = _explained(problem)[:LONGEST_DETAIL]
    return firing


def _missed(schedule: Schedule, passed: Sequence[datetime], reason: str) -> Firing:
    return Firing(
        schedule_id=schedule.id,
        due_at=passed[0],
        last_due_at=passed[-1],
        times=len(passed),
        outcome=MISSED,
        code=MISSED,
        detail=reason,
    )


def _unended(session: Session, schedule: Schedule) -> int | None:
    """Return the newest campaign of a schedule that has not ended, if there is one."""
    unended = exists().where(Run.campaign_id == Campaign.id, Run.state.not_in(lifecycle.FINAL))
    return session.scalar(
        select(Campaign.id)
        .where(Campaign.schedule_id == schedule.id, Campaign.deleted_at.is_(None), unended)
        .order_by(Campaign.id.desc())
        .limit(1)
    )


def _explained(problem: Problem) -> str:
    """Return a problem as a sentence for each of its fields, with the remedies."""
    if not problem.errors:
        return f"{problem.title}. {problem}"
    found: list[Any] = [f"{problem.title}."]
    for error in problem.errors:
        found.append(f"{error.field}: {error.message}.")
        if error.remedy:
            found.append(error.remedy)
    return " ".join(found)


def _words(seconds: timedelta | int) -> str:
    whole = round(seconds.total_seconds()) if isinstance(seconds, timedelta) else seconds
    return span(whole * 1_000_000_000) if whole else "0 s"

"""API types of schedules."""

import re
from datetime import datetime, time
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    StringConstraints,
    WithJsonSchema,
    model_validator,
)
from pydantic.config import JsonDict
from pydantic_core import PydanticCustomError

from assay.base.field_types import EntityTag, Name, RequestBody
from assay.base.states import FiringOutcome
from assay.runs.campaigns.lifecycle import CampaignState
from assay.runs.campaigns.schemas import CampaignPlan
from assay.runs.schedules import cron
from assay.runs.schedules.timetable import Adjustment, Dated, Day, Timetable, Weekly
from assay.runs.schedules.zones import problem_of
from assay.runs.verdicts.judging import Outcome as Verdict

EDITABLE = ("name", "cron", "zone", "weekly_blackouts", "dated_blackouts", "grace_s", "plan")
"""The fields of which a schedule's entity tag is made."""

MOST_BLACKOUTS = 50
LONGEST_GRACE_S = 86_400
USUAL_GRACE_S = 3600

EARLIEST_YEAR = 1970
"""Of a dated blackout; a year before 1000 would not even be written with four digits."""

_CLOCK = re.compile(r"\d\d:\d\d", re.ASCII)

_TIMETABLE: JsonDict = {
    "cron": "0 2 * * 1-5",
    "zone": "Europe/Berlin",
    "weekly_blackouts": [{"days": ["fri"], "start": "22:00", "end": "06:00"}],
    "dated_blackouts": [{"start": "2026-12-24T00:00", "end": "2027-01-02T00:00"}],
}
_SCHEDULE: JsonDict = {
    "name": "vault, every night",
    **_TIMETABLE,
    "grace_s": USUAL_GRACE_S,
    "plan": {"profile_id": 2, "target_ids": [3], "labels": {"series": "nightly"}},
}


def _checked_cron(text: str) -> str:
    try:
        cron.check(text)
    except cron.CronError as error:
        raise PydanticCustomError("cron", "{what}", _context(error, error.remedy)) from error
    return text


def _checked_zone(name: str) -> str:
    if problem := problem_of(name):
        raise PydanticCustomError("zone", "{what}", _context(*problem))
    return name


def _context(what: object, remedy: str) -> dict[str, Any]:
    return {"what": str(what), "remedy": remedy}


def _clock(value: object) -> time:
    """Return a time of day in minutes."""
    if isinstance(value, time):
        return value
    try:
        if not isinstance(value, str) or not _CLOCK.fullmatch(value):
            raise ValueError(value)
        return time.fromisoformat(value)
    except ValueError as error:
        raise PydanticCustomError(
            "clock", "must be a time of day", {"remedy": "Write it like 22:00."}
        ) from error


def _end_clock(value: object) -> time:
    """Return a time of day; 24:00 is the midnight at its end."""
    return _clock("00:00" if value == "24:00" else value)


def _wall_clock(value: object) -> datetime:
    """Return a date and time without a zone."""
    if isinstance(value, datetime):
        return value
    try:
        if not isinstance(value, str) or len(value) < len("2027-01-31"):
            raise ValueError(value)
        found = datetime.fromisoformat(value)
        if found.year < EARLIEST_YEAR:
            raise ValueError(value)
    except ValueError as error:
        raise PydanticCustomError(
            "wall_clock", "must be a date and time", {"remedy": "Write it like 2026-12-24T00:00."}
        ) from error
    if found.tzinfo is not None:
        raise PydanticCustomError(
            "wall_clock",
            "must have no time zone: it is in that of the schedule",
            {"remedy": f"Write it like {found.replace(tzinfo=None):%Y-%m-%dT%H:%M}."},
        )
    return found.replace(second=0, microsecond=0)


CronExpression = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=cron.LONGEST),
    AfterValidator(_checked_cron),
    Field(
        description="Minute, hour, day of the month, month and day of the week, as in a crontab, "
        "in the time of `zone`; at least 15 minutes apart"
    ),
]

Zone = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=100),
    AfterValidator(_checked_zone),
    Field(description="Name in the IANA time zone database, such as `Europe/Berlin` or `UTC`"),
]

_in_minutes = PlainSerializer(lambda value: f"{value:%H:%M}", return_type=str)
_AS_CLOCK = WithJsonSchema({"type": "string", "examples": ["22:00"]})

Clock = Annotated[time, BeforeValidator(_clock), _in_minutes, _AS_CLOCK]
"""A time of day, in minutes."""

EndClock = Annotated[time, BeforeValidator(_end_clock), _in_minutes, _AS_CLOCK]
"""A time of day at which something ends; 24:00 becomes 00:00, of the next day."""

WallClock = Annotated[
    datetime,
    BeforeValidator(_wall_clock),
    PlainSerializer(lambda value: f"{value:%Y-%m-%dT%H:%M}", return_type=str),
    WithJsonSchema({"type": "string", "examples": ["2026-12-24T00:00"]}),
]
"""A date and time in the schedule's zone, to the minute."""

GraceS = Annotated[
    int,
    Field(
        ge=0,
        le=LONGEST_GRACE_S,
        description="How late a fire time that was missed may still launch, in seconds",
    ),
]


class WeeklyBlackout(RequestBody):
    """No fire time from `start` on each of `days` until before `end`.

    An `end` at or before `start` is on the next day; 00:00 to 24:00 is a whole day.
    """

    days: Annotated[list[Day], Field(min_length=1, max_length=7)]
    start: Clock
    end: EndClock

    @model_validator(mode="after")
    def _lasts(self) -> Self:
        if self.start == self.end != time():
            raise PydanticCustomError(
                "blackout",
                "must differ from `start`",
                {"remedy": "For whole days, give 00:00 and 24:00.", "field": "end"},
            )
        return self

    def blackout(self) -> Weekly:
        """Return it as part of a timetable."""
        return Weekly(frozenset(self.days), self.start, self.end)


class DatedBlackout(RequestBody):
    """No fire time from `start` until before `end`, in the schedule's zone."""

    start: WallClock
    end: WallClock

    @model_validator(mode="after")
    def _lasts(self) -> Self:
        if self.end <= self.start:
            raise PydanticCustomError(
                "blackout",
                "must be after `start`",
                {"remedy": f"Give a time after {self.start:%Y-%m-%dT%H:%M}.", "field": "end"},
            )
        return self

    def blackout(self) -> Dated:
        """Return it as part of a timetable."""
        return Dated(self.start, self.end)


WeeklyBlackouts = Annotated[list[WeeklyBlackout], Field(max_length=MOST_BLACKOUTS)]
DatedBlackouts = Annotated[list[DatedBlackout], Field(max_length=MOST_BLACKOUTS)]


class TimetableIn(RequestBody):
    """When a schedule would fire."""

    model_config = ConfigDict(json_schema_extra={"examples": [_TIMETABLE]})

    cron: CronExpression
    zone: Zone
    weekly_blackouts: WeeklyBlackouts = Field(default_factory=list[WeeklyBlackout])
    dated_blackouts: DatedBlackouts = Field(default_factory=list[DatedBlackout])

    def timetable(self) -> Timetable:
        """Return the rules of the fire times."""
        return Timetable(
            self.cron,
            self.zone,
            [one.blackout() for one in self.weekly_blackouts],
            [one.blackout() for one in self.dated_blackouts],
        )


class ScheduleIn(TimetableIn):
    """A campaign plan, as a launch takes it, and when it is launched."""

    model_config = ConfigDict(json_schema_extra={"examples": [_SCHEDULE]})

    name: Name
    grace_s: GraceS = USUAL_GRACE_S
    plan: CampaignPlan


class ScheduleChange(RequestBody):
    """Changes to a schedule; the blackouts replace all blackouts."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"cron": "30 3 * * *"}]})

    name: Name | None = None
    cron: CronExpression | None = None
    zone: Zone | None = None
    weekly_blackouts: WeeklyBlackouts | None = None
    dated_blackouts: DatedBlackouts | None = None
    grace_s: GraceS | None = None
    plan: CampaignPlan | None = None


class FireTimeOut(BaseModel):
    """A fire time in UTC, and as the clocks of the zone show it.

    `adjustment` is null if `local` is the time of the expression. `gap`: clocks are set forward
    over `cron_time`, so it fires at the first moment after. `repeated`: clocks are set back and
    show it twice; it fires at the first.
    """

    at: datetime
    local: Annotated[str, Field(description="With the offset: 2026-11-30T02:00:00+01:00")]
    cron_time: Annotated[str, Field(description="On the clocks: 2026-11-30T02:00")]
    adjustment: Adjustment | None


_FIRE_TIME: JsonDict = {
    "at": "2026-11-30T01:00:00Z",
    "local": "2026-11-30T02:00:00+01:00",
    "cron_time": "2026-11-30T02:00",
    "adjustment": None,
}


class SchedulePreview(BaseModel):
    """The next fire times, and those before the last of them that blackouts skip.

    Of each blackout, `skipped` has the first time.
    """

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "description": "At 02:00, Monday through Friday",
                    "fire_times": [_FIRE_TIME],
                    "skipped": [],
                }
            ]
        }
    )

    description: str
    fire_times: list[FireTimeOut]
    skipped: list[FireTimeOut]


class CampaignOfSchedule(BaseModel):
    """A campaign that a schedule launched; `waits_for` is what its first queued run waits for."""

    id: int
    name: str
    state: CampaignState
    verdict: Verdict | None
    waits_for: str | None


class FiringOut(BaseModel):
    """What became of a fire time, or of several consecutive ones.

    `launched`: its campaign, null if that was deleted. `refused`: the plan could not be launched,
    as `detail` says. `missed`: Assay did not fire it within the grace. `skipped`: the previous
    campaign had not ended.
    """

    model_config = ConfigDict(
        title="Firing",
        json_schema_extra={
            "examples": [
                {
                    "id": 12,
                    "due_at": "2026-11-30T01:00:00Z",
                    "last_due_at": "2026-11-30T01:00:00Z",
                    "times": 1,
                    "at": "2026-11-30T01:00:03Z",
                    "by_hand": False,
                    "outcome": "launched",
                    "campaign": {
                        "id": 7,
                        "name": "vault, every night",
                        "state": "done",
                        "verdict": "pass",
                        "waits_for": None,
                    },
                    "code": None,
                    "detail": None,
                }
            ]
        },
    )

    id: int
    due_at: datetime
    last_due_at: Annotated[datetime, Field(description="`due_at`, unless `times` is more than 1")]
    times: Annotated[int, Field(description="How many fire times it stands for")]
    at: Annotated[datetime, Field(description="When it was recorded")]
    by_hand: bool
    outcome: FiringOutcome
    campaign: CampaignOfSchedule | None
    code: Annotated[str | None, Field(description="Of the problem, or of the reason")]
    detail: str | None


class ProfileOfSchedule(BaseModel):
    """The version of the profile that is launched next; `newest_id` is another one if it exists."""

    id: int
    slug: str
    name: str
    version: int
    newest_id: int | None
    newest_version: int | None


class ScheduleOut(BaseModel):
    """A campaign plan with its timetable, its next fire times and the newest firing."""

    model_config = ConfigDict(
        title="Schedule",
        json_schema_extra={
            "examples": [
                {
                    "id": 4,
                    **_SCHEDULE,
                    "description": "At 02:00, Monday through Friday",
                    "state": "active",
                    "profile": {
                        "id": 2,
                        "slug": "filecatalyst-default-write",
                        "name": "FileCatalyst default write",
                        "version": 1,
                        "newest_id": None,
                        "newest_version": None,
                    },
                    "next": [_FIRE_TIME],
                    "skipped": [],
                    "last": None,
                    "created_by": "ada",
                    "created_at": "2026-11-21T01:00:00Z",
                    "paused_at": None,
                    "etag": '"7a1f…"',
                }
            ]
        },
    )

    id: int
    name: str
    cron: str
    description: Annotated[str, Field(description="The cron expression in English")]
    zone: str
    weekly_blackouts: list[WeeklyBlackout]
    dated_blackouts: list[DatedBlackout]
    grace_s: int
    plan: Annotated[dict[str, Any], Field(description="As `POST /campaigns` takes it")]
    state: Literal["active", "paused"]
    profile: Annotated[
        ProfileOfSchedule | None,
        Field(description="Null if it was deleted: launches are refused"),
    ]
    next: Annotated[list[FireTimeOut], Field(description="At most five; none while it is paused")]
    skipped: Annotated[
        list[FireTimeOut],
        Field(description="Fire times before these that blackouts skip, the first of each"),
    ]
    last: Annotated[FiringOut | None, Field(description="The newest firing")]
    created_by: str
    created_at: datetime
    paused_at: datetime | None
    etag: EntityTag

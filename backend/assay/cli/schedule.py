"""`assay schedule`: campaigns that are launched at the times of a cron expression."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from assay.base.nouns import SCHEDULE
from assay.cli.arguments import read_object, seconds_of
from assay.cli.connection import connected
from assay.cli.console import (
    AsJson,
    Columns,
    CommandError,
    minute,
    print_list,
    say,
)
from assay.cli.nouns import argument, group
from assay.cli.options import filtered
from assay.cli.plans import Choices, choosing
from assay.client import AssayError
from assay.client.automation import FiringFilter
from assay.runs.schedules.schemas import FireTimeOut, FiringOut, ScheduleOut
from assay.runs.schedules.timetable import DAYS

Schedule = Annotated[str, argument(SCHEDULE)]
Cron = Annotated[str, typer.Option(help='Five fields, such as "0 2 * * 1-5"')]
Zone = Annotated[str, typer.Option(help="IANA time zone, such as Europe/Berlin")]
Blackouts = Annotated[
    list[str] | None,
    typer.Option(
        help='"mon-fri 08:00-18:00" each week, or "2026-12-24T00:00/2027-01-02T00:00"; repeatable'
    ),
]

_WEEKLY = re.compile(r"([a-z,-]+) (\d\d:\d\d)-(\d\d:\d\d)")
_BLACKOUT = (
    'Write "mon-fri 08:00-18:00" or "sat,sun 00:00-24:00" for every week, or '
    '"2026-12-24T00:00/2027-01-02T00:00".'
)


def _cron(schedule: ScheduleOut) -> str:
    return f"{schedule.cron} {schedule.zone}"


def _next(schedule: ScheduleOut) -> str:
    return _local(schedule.next[0].local) if schedule.next else ""


app = group(SCHEDULE, {"cron": _cron, "next": _next})


@app.command()
@choosing
def add(  # noqa: PLR0917 (options, each given by name)
    name: Annotated[str, typer.Argument(help="Name of the schedule")],
    cron: Cron,
    choices: Choices,
    zone: Zone = "UTC",
    blackout: Blackouts = None,
    grace: Annotated[
        str | None,
        typer.Option(help='How late a missed fire time may launch, such as "30 min"; usually 1 h'),
    ] = None,
    profile: Annotated[str | None, typer.Option(help="Name, slug or id")] = None,
    like: Annotated[
        int | None,
        typer.Option(metavar="CAMPAIGN", help="Launch what this campaign launched", min=1),
    ] = None,
    plan: Annotated[
        Path | None,
        typer.Option(help="Body of POST /campaigns as JSON; - is standard input"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Create a schedule, and print its next fire times.

    Give --profile and the options of `campaign run`, or --like, or --plan.
    """
    if sum(one is not None for one in (profile, like, plan)) != 1:
        raise CommandError("Give what to launch: one of --profile, --like and --plan.")
    if profile is None and choices.given:
        raise CommandError(f"{', '.join(choices.given)}: only for --profile.")
    body: dict[str, Any] = {"name": name, "cron": cron, "zone": zone, **blackouts(blackout or [])}
    if grace is not None:
        body["grace_s"] = round(seconds_of("--grace", grace))
    with connected() as assay:
        if like is not None:
            body["plan"] = assay.get(f"/campaigns/{like}/plan")
        elif plan is not None:
            body["plan"] = read_object(plan, "It is the body of POST /campaigns.")
        try:
            if profile is not None:
                body["plan"] = choices.plan(assay, profile)
            made = assay.schedules.create(body)
        except AssayError as error:
            raise choices.explained(error) from error
        _tell(made, as_json)


@app.command()
def preview(
    cron: Cron, zone: Zone = "UTC", blackout: Blackouts = None, as_json: AsJson = False
) -> None:
    """Print the next fire times of a cron expression, and what blackouts skip; creates nothing."""
    body = {"cron": cron, "zone": zone, **blackouts(blackout or [])}
    with connected("viewer") as assay:
        found = assay.schedules.preview(body)
    times = _times(found.fire_times, found.skipped)
    say(found, f"{found.description}, {zone}", *times, as_json=as_json)


@app.command()
def show(which: Schedule, as_json: AsJson = False) -> None:
    """Show a schedule, its next fire times and its last firings."""
    with connected("viewer") as assay:
        found = assay.schedules.get(which)
        firings = list(assay.schedules.firings(which, most=10))
    both = {**found.model_dump(mode="json", by_alias=True), "firings": firings}
    say(both, *_lines(found), *map(_of_firing, firings), as_json=as_json)


@app.command()
@filtered(FiringFilter, most=50)
def firings(which: Schedule, query: dict[str, Any], as_json: AsJson = False) -> None:
    """List what became of the fire times of a schedule, by default the newest first."""
    with connected("viewer") as assay:
        found = list(assay.schedules.firings(which, **query))
    columns: Columns = {
        "due (UTC)": "due_at",
        "times": "times",
        "outcome": "outcome",
        "about": _about,
    }
    print_list(found, columns, as_json=as_json)


@app.command()
def pause(which: Schedule, as_json: AsJson = False) -> None:
    """Pause a schedule: it fires no more until it is resumed."""
    with connected() as assay:
        _tell(assay.schedules.pause(which), as_json)


@app.command()
def resume(which: Schedule, as_json: AsJson = False) -> None:
    """Resume a schedule with its next fire time."""
    with connected() as assay:
        _tell(assay.schedules.resume(which), as_json)


@app.command()
def run(which: Schedule, as_json: AsJson = False) -> None:
    """Launch a schedule's campaign now; its fire times are unchanged."""
    with connected() as assay:
        campaign = assay.schedules.run(which)
    say(campaign, f"campaign {campaign.id}: {campaign.name}", as_json=as_json)


def blackouts(texts: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
    """Return the blackouts that the options give, as fields of the API; raises CommandError."""
    weekly: list[dict[str, Any]] = []
    dated: list[dict[str, Any]] = []
    for text in texts:
        start, slash, end = text.partition("/")
        if slash:
            dated.append({"start": start.strip(), "end": end.strip()})
        elif found := _WEEKLY.fullmatch(" ".join(text.lower().split())):
            weekly.append({"days": _days(text, found[1]), "start": found[2], "end": found[3]})
        else:
            raise CommandError(f"--blackout: {text!r} is not a blackout. {_BLACKOUT}")
    return {"weekly_blackouts": weekly, "dated_blackouts": dated}


def _days(text: str, listed: str) -> list[str]:
    """Return the days of `mon-wed,sat`; a range may cross the end of the week."""
    days: list[str] = []
    for part in listed.split(","):
        first, _, last = part.partition("-")
        last = last or first
        if first not in DAYS or last not in DAYS:
            raise CommandError(f"--blackout: {text!r} names no days. {_BLACKOUT}")
        start = DAYS.index(first)
        days += [DAYS[(start + n) % 7] for n in range((DAYS.index(last) - start) % 7 + 1)]
    return list(dict.fromkeys(days))


def _tell(schedule: ScheduleOut, as_json: bool) -> None:
    say(schedule, *_lines(schedule), as_json=as_json)


def _lines(schedule: ScheduleOut) -> list[str]:
    about = f"{schedule.description}, {schedule.zone}"
    head = f"schedule {schedule.id}: {schedule.state}: {schedule.name}"
    return [head, about, *_times(schedule.next, schedule.skipped)]


def _times(fires: Sequence[FireTimeOut], skipped: Sequence[FireTimeOut]) -> list[str]:
    """Return the next fire times, and those before them that blackouts skip, as lines."""
    lines = [f"next: {_local(one.local)}{_adjusted(one)}" for one in fires]
    return lines + [f"skipped by a blackout: {_local(one.local)}" for one in skipped]


def _adjusted(fire_time: FireTimeOut) -> str:
    clock = fire_time.cron_time.partition("T")[2]
    match fire_time.adjustment:
        case "gap":
            return f", because clocks skip {clock}"
        case "repeated":
            return f", the first of two times that clocks show {clock}"
        case _:
            return ""


def _of_firing(firing: FiringOut) -> str:
    several = f" and {firing.times - 1} more" if firing.times > 1 else ""
    about = _about(firing)
    return f"{minute(firing.due_at)} UTC{several}: {firing.outcome}" + (
        f": {about}" if about else ""
    )


def _about(firing: FiringOut) -> str:
    """Return the campaign of a firing, or why there is none."""
    if firing.campaign:
        return f"campaign {firing.campaign.id}, {firing.campaign.state}"
    return firing.detail or ""


def _local(text: str) -> str:
    """Return a time with offset in minutes: `2026-11-30 02:00 +01:00`."""
    return f"{text[:10]} {text[11:16]} {text[19:]}"

"""`assay schedule`: campaigns that are launched at the times of a cron expression."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from assay.cli import objects
from assay.cli.choices import Choices, choosing
from assay.cli.client import connected
from assay.cli.console import (
    AsJson,
    CommandError,
    minute,
    output,
    print_json,
    print_list,
    shown,
)
from assay.cli.files import read_object
from assay.cli.filters import filtered
from assay.cli.overrides import seconds_of
from assay.client import AssayError
from assay.schedules.timetable import DAYS

app = typer.Typer(help="Schedules of campaigns.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(metavar="SCHEDULE", help="Name or id")]
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
    with connected() as client:
        if like is not None:
            body["plan"] = client.get(f"/campaigns/{like}/plan")
        elif plan is not None:
            body["plan"] = read_object(plan, "It is the body of POST /campaigns.")
        try:
            if profile is not None:
                body["plan"] = choices.plan(client, profile)
            made = client.post("/schedules", body)
        except AssayError as error:
            raise choices.explained(error) from error
        _tell(made, as_json)


@app.command()
def preview(
    cron: Cron, zone: Zone = "UTC", blackout: Blackouts = None, as_json: AsJson = False
) -> None:
    """Print the next fire times of a cron expression, and what blackouts skip; creates nothing."""
    body = {"cron": cron, "zone": zone, **blackouts(blackout or [])}
    with connected("viewer") as client:
        found = client.post("/schedules/preview", body)
    if as_json:
        print_json(found)
        return
    about = f"{found['description']}, {zone}"
    for line in [about, *_times(found["fire_times"], found["skipped"])]:
        output.print(shown(line), highlight=False)


@app.command("list")
@filtered("words")
def list_schedules(
    query: dict[str, Any],
    state: Annotated[str | None, typer.Option(help="active or paused")] = None,
    as_json: AsJson = False,
) -> None:
    """List schedules with their next fire times and what became of the last."""
    with connected("viewer") as client:
        found = client.all("/schedules", state=state, **query)
    print_list(found, ("id", "schedule", "cron", "state", "next", "last"), _row, as_json=as_json)


@app.command()
def show(name: Name, as_json: AsJson = False) -> None:
    """Show a schedule, its next fire times and its last firings."""
    with connected("viewer") as client:
        found = client.get(_path(name))
        firings = client.all(f"{_path(name)}/firings", most=10)
    if as_json:
        print_json(found | {"firings": firings})
        return
    _tell(found, False)
    for one in firings:
        output.print(shown(_of_firing(one)), highlight=False)


@app.command()
@filtered("outcome", "since", "until", most=50)
def firings(name: Name, query: dict[str, Any], as_json: AsJson = False) -> None:
    """List what became of the fire times of a schedule, by default the newest first."""
    with connected("viewer") as client:
        found = client.all(f"{_path(name)}/firings", **query)
    print_list(found, ("due (UTC)", "times", "outcome", "about"), _firing_row, as_json=as_json)


objects.add_change(app, "schedule", "/schedules")


@app.command()
def pause(name: Name, as_json: AsJson = False) -> None:
    """Pause a schedule: it fires no more until it is resumed."""
    _change(name, "pause", as_json)


@app.command()
def resume(name: Name, as_json: AsJson = False) -> None:
    """Resume a schedule with its next fire time."""
    _change(name, "resume", as_json)


objects.add_delete(app, "schedule", "/schedules", consequence="; its campaigns stay")


@app.command()
def run(name: Name, as_json: AsJson = False) -> None:
    """Launch a schedule's campaign now; its fire times are unchanged."""
    with connected() as client:
        campaign = client.post(f"{_path(name)}/run")
    if as_json:
        print_json(campaign)
    else:
        output.print(shown(f"campaign {campaign['id']}: {campaign['name']}"), highlight=False)


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


def _row(schedule: dict[str, Any]) -> Sequence[str]:
    next_at = _local(schedule["next"][0]["local"]) if schedule["next"] else ""
    last = schedule["last"]["outcome"] if schedule["last"] else ""
    cron = f"{schedule['cron']} {schedule['zone']}"
    return (str(schedule["id"]), schedule["name"], cron, schedule["state"], next_at, last)


def _change(name: str, action: str, as_json: bool) -> None:
    with connected() as client:
        found = client.post(f"{_path(name)}/{action}")
    _tell(found, as_json)


def _path(name: str) -> str:
    """Return the path of a schedule by its name or id."""
    return objects.path_of("/schedules", name)


def _tell(schedule: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print_json(schedule)
        return
    about = f"{schedule['description']}, {schedule['zone']}"
    head = f"schedule {schedule['id']}: {schedule['state']}: {schedule['name']}"
    for line in [head, about, *_times(schedule["next"], schedule["skipped"])]:
        output.print(shown(line), highlight=False)


def _times(fires: list[dict[str, Any]], skipped: list[dict[str, Any]]) -> list[str]:
    """Return the next fire times, and those before them that blackouts skip, as lines."""
    lines = [f"next: {_local(one['local'])}{_adjusted(one)}" for one in fires]
    return lines + [f"skipped by a blackout: {_local(one['local'])}" for one in skipped]


def _adjusted(fire_time: dict[str, Any]) -> str:
    clock = fire_time["cron_time"].partition("T")[2]
    match fire_time["adjustment"]:
        case "gap":
            return f", because clocks skip {clock}"
        case "repeated":
            return f", the first of two times that clocks show {clock}"
        case _:
            return ""


def _of_firing(firing: dict[str, Any]) -> str:
    due = f"{minute(firing['due_at'])} UTC"
    several = f" and {firing['times'] - 1} more" if firing["times"] > 1 else ""
    about = _about(firing)
    return f"{due}{several}: {firing['outcome']}" + (f": {about}" if about else "")


def _firing_row(firing: dict[str, Any]) -> Sequence[str]:
    times = str(firing["times"])
    return (minute(firing["due_at"]), times, firing["outcome"], _about(firing))


def _about(firing: dict[str, Any]) -> str:
    """Return the campaign of a firing, or why there is none."""
    campaign = firing["campaign"]
    if campaign:
        return f"campaign {campaign['id']}, {campaign['state']}"
    return firing["detail"] or ""


def _local(text: str) -> str:
    """Return a time with offset in minutes: `2026-11-30 02:00 +01:00`."""
    return f"{text[:10]} {text[11:16]} {text[19:]}"

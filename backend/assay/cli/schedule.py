"""`assay schedule`: campaigns that are launched at the times of a cron expression."""

import re
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from assay.cli import objects
from assay.cli.client import connected
from assay.cli.console import AsJson, CommandError, output, print_json, print_list, shown
from assay.cli.files import read_object
from assay.cli.nouns import reference
from assay.cli.organize import changed
from assay.cli.overrides import seconds_of
from assay.client import Assay
from assay.http.suggestions import did_you_mean
from assay.schedules.timetable import DAYS

app = typer.Typer(help="Schedules of campaigns.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(metavar="SCHEDULE", help="Name or id")]

_WEEKLY = re.compile(r"([a-z,-]+) (\d\d:\d\d)-(\d\d:\d\d)")
_BLACKOUT = (
    'Write "mon-fri 08:00-18:00" or "sat,sun 00:00-24:00" for every week, or '
    '"2026-12-24T00:00/2027-01-02T00:00".'
)


@app.command()
def add(  # noqa: PLR0917 (options, each given by name)
    name: Annotated[str, typer.Argument(help="Name of the schedule")],
    cron: Annotated[str, typer.Option(help='Five fields, such as "0 2 * * 1-5"')],
    zone: Annotated[str, typer.Option(help="IANA time zone, such as Europe/Berlin")] = "UTC",
    blackout: Annotated[
        list[str] | None,
        typer.Option(
            help='"mon-fri 08:00-18:00" each week, or "2026-12-24T00:00/2027-01-02T00:00"; '
            "repeatable"
        ),
    ] = None,
    grace: Annotated[
        str | None,
        typer.Option(help='How late a missed fire time may launch, such as "30 min"; usually 1 h'),
    ] = None,
    profile: Annotated[str | None, typer.Option(help="Name, slug or id")] = None,
    target: Annotated[
        list[str] | None, typer.Option(help="Id, path, name or HOST/PATH; repeatable")
    ] = None,
    label: Annotated[
        list[str] | None, typer.Option(help="KEY=VALUE of each campaign; repeatable")
    ] = None,
    criterion: Annotated[
        list[str] | None,
        typer.Option(help='Such as "durable.mean >= 1 GB/s", beside the profile\'s; repeatable'),
    ] = None,
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

    What it launches is given by --profile and --target, by --like or by --plan.
    """
    if sum(one is not None for one in (profile, like, plan)) != 1:
        raise CommandError("Give what to launch: one of --profile, --like and --plan.")
    if profile is None and (target or label or criterion):
        raise CommandError("--target, --label and --criterion are only for --profile.")
    body: dict[str, Any] = {"name": name, "cron": cron, "zone": zone}
    body |= blackouts(blackout or [])
    if grace is not None:
        body["grace_s"] = round(seconds_of("--grace", grace))
    with connected() as client:
        if like is not None:
            body["plan"] = client.get(f"/campaigns/{like}/plan")
        elif plan is not None:
            body["plan"] = read_object(plan, "It is the body of POST /campaigns.")
        elif profile is not None:
            body["plan"] = {
                "profile_id": client.profiles.id_of(reference(profile)),
                "target_ids": [client.targets.id_of(reference(one)) for one in target or []],
                "labels": changed({}, label or []),
                "criteria": [{"criterion": one} for one in criterion or []],
            }
        _tell(client.post("/schedules", body), as_json)


@app.command("list")
def list_schedules(
    state: Annotated[str | None, typer.Option(help="active or paused")] = None,
    as_json: AsJson = False,
) -> None:
    """List schedules with their next fire times and what became of the last."""
    with connected("viewer") as client:
        found = client.all("/schedules") if state is None else client.all("/schedules", state=state)
    print_list(found, ("id", "schedule", "cron", "state", "next", "last"), _row, as_json=as_json)


@app.command()
def show(name: Name, as_json: AsJson = False) -> None:
    """Show a schedule, its next fire times and its last firings."""
    with connected("viewer") as client:
        found = _find(client, name)
        firings = client.all(f"/schedules/{found['id']}/firings", most=10)
    if as_json:
        print_json(found | {"firings": firings})
        return
    _tell(found, False)
    for one in firings:
        output.print(shown(_of_firing(one)), highlight=False)


objects.add_change(app, "schedule", "/schedules")


@app.command()
def pause(name: Name, as_json: AsJson = False) -> None:
    """Pause a schedule: it fires no more until it is resumed."""
    _change(name, "pause", as_json)


@app.command()
def resume(name: Name, as_json: AsJson = False) -> None:
    """Resume a schedule with its next fire time."""
    _change(name, "resume", as_json)


@app.command()
def delete(name: Name, as_json: AsJson = False) -> None:
    """Delete a schedule; its campaigns stay."""
    with connected() as client:
        found = _find(client, name)
        client.delete(f"/schedules/{found['id']}")
    if as_json:
        print_json(found)
    else:
        output.print(shown(f"schedule {found['id']}: deleted: {found['name']}"), highlight=False)


@app.command()
def run(name: Name, as_json: AsJson = False) -> None:
    """Launch a schedule's campaign now; its fire times are unchanged."""
    with connected() as client:
        campaign = client.post(f"/schedules/{_find(client, name)['id']}/run")
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
        found = client.post(f"/schedules/{_find(client, name)['id']}/{action}")
    _tell(found, as_json)


def _find(client: Assay, wanted: str) -> dict[str, Any]:
    """Return the schedule with this name or id; raises CommandError."""
    found = client.all("/schedules")
    for one in found:
        if wanted in (one["name"], str(one["id"])):
            return one
    remedy = did_you_mean(wanted, [one["name"] for one in found])
    raise CommandError(f"Unknown schedule {wanted!r}. {remedy or '`assay schedule list` has all.'}")


def _tell(schedule: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print_json(schedule)
        return
    about = f"{schedule['description']}, {schedule['zone']}"
    lines = [f"schedule {schedule['id']}: {schedule['state']}: {schedule['name']}", about]
    lines += [f"next: {_local(one['local'])}{_adjusted(one)}" for one in schedule["next"]]
    lines += [f"skipped by a blackout: {_local(one['local'])}" for one in schedule["skipped"]]
    for line in lines:
        output.print(shown(line), highlight=False)


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
    due = f"{datetime.fromisoformat(firing['due_at']):%Y-%m-%d %H:%M} UTC"
    several = f" and {firing['times'] - 1} more" if firing["times"] > 1 else ""
    campaign = firing["campaign"]
    about = f"campaign {campaign['id']}, {campaign['state']}" if campaign else firing["detail"]
    return f"{due}{several}: {firing['outcome']}" + (f": {about}" if about else "")


def _local(text: str) -> str:
    """Return a time with offset in minutes: `2026-11-30 02:00 +01:00`."""
    return f"{text[:10]} {text[11:16]} {text[19:]}"

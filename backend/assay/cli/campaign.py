"""`assay campaign`: launch a profile on targets, watch it, read its results."""

import time
from collections.abc import Sequence
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table

from assay.cli.client import Client, connected
from assay.cli.console import Failure, output, shown
from assay.kinds.registry import KINDS
from assay.runs.lifecycle import FINAL

LOOK_EVERY_S = 0.5

app = typer.Typer(help="Campaigns.", no_args_is_help=True)


@app.callback()
def _group() -> None:  # pyright: ignore[reportUnusedFunction]
    """Keep `run` a subcommand, although it is the only one."""


@app.command()
def run(  # noqa: PLR0917 (options, each given by name)
    profile: Annotated[str, typer.Option(help="Its name, slug or id")],
    target: Annotated[list[str], typer.Option(help="Id, path, name or HOST:PATH; repeatable")],
    wait: Annotated[bool, typer.Option("--wait", help="Watch it, then show its results")] = False,
    name: Annotated[str | None, typer.Option(help="The campaign's name")] = None,
    file_size: Annotated[
        str | None, typer.Option(help="Bytes or an expression, instead of the profile's")
    ] = None,
    repeats: Annotated[int | None, typer.Option(help="Instead of the profile's")] = None,
) -> None:
    """Launch a campaign. With --wait, exits 0 when it is done and 1 when it is not."""
    with connected() as client:
        campaign = client.post(
            "/campaigns",
            {
                "name": name,
                "profile_id": find_profile(client.all("/profiles"), profile),
                "target_ids": [find_target(client.all("/targets"), one) for one in target],
                "overrides": {"file_size": _size(file_size), "repeats": repeats},
            },
        )
        output.print(f"campaign {campaign['id']}: {shown(campaign['name'])}", highlight=False)
        if wait:
            ended = _watch(client, campaign["id"])
            for one in ended["runs"]:
                _show(client, one)
            if ended["state"] != "done":
                raise Failure(f"campaign {ended['id']} is {ended['state']}", exit_code=1)


def find_profile(profiles: Sequence[dict[str, Any]], wanted: str) -> int:
    """The id of the profile with this name, slug or id; raises Failure."""
    for profile in profiles:
        if wanted in (profile["name"], profile["slug"], str(profile["id"])):
            return profile["id"]
    known = ", ".join(repr(profile["name"]) for profile in profiles)
    raise Failure(f"There is no profile {wanted!r}. There are {known}.")


def find_target(targets: Sequence[dict[str, Any]], wanted: str) -> int:
    """The id of the one target with this id, path, name or HOST:PATH; raises Failure."""
    found = [
        target
        for target in targets
        if wanted
        in (
            str(target["id"]),
            target["path"],
            target["name"],
            f"{target['host_name']}:{target['path']}",
        )
    ]
    if len(found) == 1:
        return found[0]["id"]
    known = ", ".join(f"{t['id']} ({t['host_name']}:{t['path']})" for t in found or targets)
    if found:
        raise Failure(f"{wanted!r} is more than one target: {known}. Give the id.")
    raise Failure(f"There is no target {wanted!r}. There are {known or 'none yet'}.")


def _size(text: str | None) -> int | str | None:
    return int(text) if text is not None and text.isdecimal() else text


def _watch(client: Client, campaign_id: int) -> dict[str, Any]:
    """Show a bar for each run until all have ended; the campaign as it is then."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[now]}"),
    )
    with Progress(*columns, console=output) as progress:
        bars: dict[int, Any] = {}
        while True:
            campaign = client.get(f"/campaigns/{campaign_id}")
            for one in campaign["runs"]:
                if one["id"] not in bars:
                    bars[one["id"]] = progress.add_task(
                        shown(named(one)), total=one["trials_total"], now=""
                    )
                bar = bars[one["id"]]
                progress.update(bar, completed=one["trials_done"], now=shown(doing(one)))
            if all(one["state"] in FINAL for one in campaign["runs"]):
                return campaign
            time.sleep(LOOK_EVERY_S)


def named(one: dict[str, Any]) -> str:
    """What a run measures and where, as the pages name it."""
    return f"{one['title']} on {one['host']['name']} {one['target']['path']}"


def doing(one: dict[str, Any]) -> str:
    """What a run does at this moment."""
    if one["state"] == "queued":
        obstacle: dict[str, Any] | None = one["waits_for"]
        return f"queued: {obstacle['what']}" if obstacle else "queued"
    if one["condition"] is not None:
        return f"{one['state']}, {one['condition']}: {one['state_reason']}"
    current = one["current"]
    if one["state"] != "running" or current is None:
        return one["state"]
    parts = [KINDS[one["kind"]].trial_words(current["parameters"])]
    if current["rate_bytes_per_s"]:
        parts.append(f"{current['rate_bytes_per_s'] / 1e6:.0f} MB/s")
    if one["eta_s"] is not None:
        parts.append(f"{one['eta_s']:.0f} s left")
    return ", ".join(parts)


def _show(client: Client, one: dict[str, Any]) -> None:
    """Print a run's result as a table, and what limits its value."""
    report = KINDS[one["kind"]].report(client.get(f"/runs/{one['id']}/result"))
    first, *others = report.columns
    table = Table(first, title=shown(f"{named(one)}: {report.title}"))
    for column in others:
        table.add_column(column, justify="right")
    for row in report.rows:
        table.add_row(*row)
    output.print(table)
    if one["error"]:
        output.print(shown(f"{one['error']['title']}: {one['error']['detail']}"))
    for sentence in report.sentences:
        output.print(shown(sentence), highlight=False)

"""`assay campaign list`: campaigns by the filters and in the order of the API."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any

import typer
from rich.table import Table

from assay.cli.client import Client, connected
from assay.cli.console import CommandError, output, shown


def command(  # noqa: PLR0917 (options, each given by name)
    host: Annotated[str | None, typer.Option(help="Name or id")] = None,
    array: Annotated[str | None, typer.Option(help="Name or id")] = None,
    target: Annotated[str | None, typer.Option(help="HOST:PATH, name or id")] = None,
    profile: Annotated[str | None, typer.Option(help="Slug, in any version")] = None,
    kind: Annotated[list[str] | None, typer.Option(help="Test kind; repeatable")] = None,
    state: Annotated[list[str] | None, typer.Option(help="Repeatable")] = None,
    verdict: Annotated[list[str] | None, typer.Option(help="Repeatable")] = None,
    label: Annotated[
        list[str] | None, typer.Option(help="KEY=VALUE, or KEY with any value; repeatable")
    ] = None,
    since: Annotated[
        str | None, typer.Option("--from", help="Launched at or after this date or time")
    ] = None,
    until: Annotated[
        str | None, typer.Option("--to", help="Launched before this date or time")
    ] = None,
    words: Annotated[str | None, typer.Option("--words", help="Words of the name")] = None,
    sort: Annotated[str, typer.Option(help="Field of the API; - before it reverses it")] = "-id",
    limit: Annotated[int, typer.Option(min=1, help="Maximum number of campaigns")] = 50,
    as_json: Annotated[bool, typer.Option("--json", help="Print them as JSON")] = False,
) -> None:
    """List campaigns, by default the newest first."""
    with connected("viewer") as client:
        query = {
            "host_id": _id_of(client, "host", host),
            "array_id": _id_of(client, "array", array),
            "target_id": _id_of(client, "target", target),
            "profile": profile,
            "kind": kind,
            "state": state,
            "verdict": verdict,
            "label": label,
            "from": since,
            "to": until,
            "q": words,
            "sort": sort,
        }
        given = {name: value for name, value in query.items() if value is not None}
        found = client.all("/campaigns", most=limit, **given)
    if as_json:
        typer.echo(json.dumps(found, indent=2))
        return
    table = Table()
    for title in ("id", "state", "verdict", "campaign", "profile", "launched (UTC)"):
        table.add_column(title, overflow="fold")  # wrap instead of truncating
    for campaign in found:
        table.add_row(*map(shown, _row(campaign)))
    output.print(table)


def _row(campaign: dict[str, Any]) -> Sequence[str]:
    verdict: dict[str, Any] | None = campaign["verdict"]
    return (
        str(campaign["id"]),
        campaign["state"],
        verdict["outcome"] if verdict else "",
        campaign["name"],
        campaign["profile"]["slug"],
        f"{datetime.fromisoformat(campaign['created_at']):%Y-%m-%d %H:%M}",
    )


def _id_of(client: Client, noun: str, wanted: str | None) -> int | None:
    """Return the id of a host, an array or a target that the user named; raises CommandError."""
    if wanted is None:
        return None
    found = [one for one in client.all(f"/{noun}s") if wanted in _names(noun, one)]
    if len(found) == 1:
        return found[0]["id"]
    if wanted.isdecimal() and not found:
        return int(wanted)  # deleted, but its results are kept
    if found:
        ids = ", ".join(str(one["id"]) for one in found)
        raise CommandError(f"Several {noun}s are called {wanted!r}. Use an id: {ids}.")
    raise CommandError(f"Unknown {noun} {wanted!r}. GET /api/v1/{noun}s lists them.")


def _names(noun: str, one: dict[str, Any]) -> set[str]:
    names = {str(one["id"]), one["name"]}
    return names | {f"{one['host_name']}:{one['path']}", one["path"]} if noun == "target" else names

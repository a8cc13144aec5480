"""`assay tool`: the programs that tests of transfers may use, and their commands."""

import json
from pathlib import Path
from typing import Annotated, Any, cast

import typer
from rich.table import Table

from assay.cli.client import Client, connected
from assay.cli.console import CommandError, output, shown
from assay.http.names import slug
from assay.http.suggestions import did_you_mean
from assay.kinds.programs import COMMANDS

app = typer.Typer(help="Tools: programs that move data for tests.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(help="The tool's name")]
WAIT_S = 120


@app.command("list")
def list_tools() -> None:
    """List the tools, what each moves, and what it needs at both hosts."""
    table = Table()
    for title in ("name", "title", "moves", "needs at the source", "needs at the sink"):
        table.add_column(title, overflow="fold")
    with connected() as client:
        for tool in client.all("/tools"):
            found = tool["definition"]
            row = (found["name"], found["title"], found["input"])
            needs = (found["needs_at_source"], found["needs_at_sink"])
            table.add_row(*map(shown, (*row, *needs)))
    output.print(table)


@app.command()
def show(name: Name) -> None:
    """Print a tool's definition as JSON, which `define` takes."""
    with connected() as client:
        typer.echo(json.dumps(_find(client, name)["definition"], indent=2))


@app.command()
def define(
    file: Annotated[Path, typer.Argument(help="Definition as JSON", exists=True, dir_okay=False)],
) -> None:
    """Define a tool, or replace the one of the same name; only an administrator may."""
    try:
        read: Any = json.loads(file.read_text())
    except ValueError as error:
        raise CommandError(f"{file} is not JSON: {error}. See `assay tool show`.") from error
    if not isinstance(read, dict):
        raise CommandError(f"{file} is no JSON object. See `assay tool show`.")
    body = cast("dict[str, Any]", read)
    with connected("admin") as client:
        known = {one["definition"]["name"]: one["id"] for one in client.all("/tools")}
        number = known.get(body.get("name"))
        found = (
            client.post("/tools", body) if number is None else client.put(f"/tools/{number}", body)
        )
    typer.echo(f"{found['definition']['name']}: {len(_commands(found))} commands")


@app.command()
def check(
    name: Name,
    source: Annotated[str, typer.Option(help="Host at which the data is: name or id")],
    sink: Annotated[str, typer.Option(help="Host to which it goes: name or id")],
) -> None:
    """Check whether two hosts have what a tool needs; exit code 1 if one lacks something."""
    with connected() as client:
        hosts = client.all("/hosts")
        body = {
            "source_host_id": _host(hosts, source),
            "sink_host_id": _host(hosts, sink),
        }
        tool = _find(client, name)
        found = client.post(f"/tools/{tool['id']}/check?wait={WAIT_S}", body, WAIT_S + 30)
    for side in ("source", "sink"):
        end = found[side]
        said = f": {end['message']}" if end["message"] else ""
        typer.echo(shown(f"{side}: {end['state']}{said}"))
        if end["state"] != "found" and end["needs"]:
            typer.echo(shown(f"  It needs {end['needs']}."))
    if {found[side]["state"] for side in ("source", "sink")} != {"found"}:
        raise typer.Exit(1)


def _find(client: Client, name: str) -> dict[str, Any]:
    tools = {tool["definition"]["name"]: tool for tool in client.all("/tools")}
    if name in tools:
        return tools[name]
    remedy = did_you_mean(name, tools) or "See `assay tool list`."
    raise CommandError(f"There is no tool '{name}'. {remedy}")


def _host(hosts: list[dict[str, Any]], wanted: str) -> int:
    for host in hosts:
        if wanted in (host["name"], slug(host["name"]), str(host["id"])):
            return host["id"]
    remedy = did_you_mean(wanted, (host["name"] for host in hosts)) or "See `assay host list`."
    raise CommandError(f"There is no host '{wanted}'. {remedy}")


def _commands(tool: dict[str, Any]) -> list[str]:
    return [name for name in COMMANDS if tool["definition"][name]]

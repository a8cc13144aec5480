"""`assay tool`: the programs that tests of transfers may use, and their commands."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from assay.cli.client import connected
from assay.cli.console import AsJson, CommandError, print_json, print_list, shown
from assay.cli.files import read_object
from assay.client import Assay, parsed
from assay.http.suggestions import did_you_mean
from assay.kinds.programs import COMMANDS
from assay.tools.schemas import ToolCheckOut, ToolOut

app = typer.Typer(help="Tools: programs that move data for tests.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(help="The tool's name")]
WAIT_S = 120


@app.command("list")
def list_tools(as_json: AsJson = False) -> None:
    """List the tools, what each moves, and what it needs at both hosts."""
    with connected() as assay:
        tools = _all(assay)
    columns = ("name", "title", "moves", "needs at the source", "needs at the sink")
    print_list(tools, columns, _row, as_json=as_json)


@app.command()
def show(name: Name) -> None:
    """Print a tool's definition as JSON, which `define` takes."""
    with connected() as assay:
        print_json(_find(assay, name).definition)


@app.command()
def define(
    file: Annotated[Path, typer.Argument(help="Definition as JSON", exists=True, dir_okay=False)],
    as_json: AsJson = False,
) -> None:
    """Define a tool, or replace the one of the same name; only an administrator may."""
    body = read_object(file, "See `assay tool show`.")
    with connected("admin") as assay:
        known = {one.definition.name: one.id for one in _all(assay)}
        number = known.get(body.get("name", ""))
        answer = (
            assay.post("/tools", body) if number is None else assay.put(f"/tools/{number}", body)
        )
    found = parsed(ToolOut, answer)
    if as_json:
        print_json(found)
    else:
        commands = [name for name in COMMANDS if getattr(found.definition, name)]
        typer.echo(shown(f"{found.definition.name}: {len(commands)} commands"))


@app.command()
def check(
    name: Name,
    source: Annotated[str, typer.Option(help="Host at which the data is: name or id")],
    sink: Annotated[str, typer.Option(help="Host to which it goes: name or id")],
    as_json: AsJson = False,
) -> None:
    """Check whether two hosts have what a tool needs; exit code 1 if one lacks something."""
    with connected() as assay:
        path = f"/tools/{_find(assay, name).id}/check"
        body = {"source_host": source, "sink_host": sink}
        found = parsed(ToolCheckOut, assay.post(path, body, WAIT_S + 30, wait=WAIT_S))
    ends = {"source": found.source, "sink": found.sink}
    if as_json:
        print_json(found)
    else:
        for side, end in ends.items():
            said = f": {end.message}" if end.message else ""
            typer.echo(shown(f"{side}: {end.state}{said}"))
            if end.state != "found" and end.needs:
                typer.echo(shown(f"  It needs {end.needs}."))
    if {end.state for end in ends.values()} != {"found"}:
        raise typer.Exit(1)


def _row(tool: ToolOut) -> Sequence[str]:
    found = tool.definition
    needs = (found.needs_at_source, found.needs_at_sink)
    return (found.name, found.title, found.input, *needs)


def _all(assay: Assay) -> Sequence[ToolOut]:
    return [parsed(ToolOut, one) for one in assay.pages("/tools")]


def _find(assay: Assay, name: str) -> ToolOut:
    tools = {tool.definition.name: tool for tool in _all(assay)}
    if name in tools:
        return tools[name]
    remedy = did_you_mean(name, tools) or "See `assay tool list`."
    raise CommandError(f"There is no tool '{name}'. {remedy}")

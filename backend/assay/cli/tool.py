"""`assay tool`: the programs that tests of transfers may use, and their commands."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from assay.cli import objects
from assay.cli.client import connected
from assay.cli.console import AsJson, print_json, print_list, shown
from assay.cli.described import print_object
from assay.cli.files import read_object
from assay.cli.filters import filtered
from assay.kinds.programs import COMMANDS
from assay.tools.schemas import ToolOut

app = typer.Typer(help="Tools: programs that move data for tests.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(help="The tool's name")]
WAIT_S = 120


@app.command("list")
@filtered("words")
def list_tools(query: dict[str, Any], as_json: AsJson = False) -> None:
    """List the tools, what each moves, and what it needs at both hosts."""
    with connected("viewer") as assay:
        tools = list(assay.tools.list(**query))
    columns = ("name", "title", "moves", "needs at the source", "needs at the sink")
    print_list(tools, columns, _row, as_json=as_json, wide=columns[-2:])


@app.command()
def show(name: Name, as_json: AsJson = False) -> None:
    """Show a tool's definition; `define` takes its JSON."""
    with connected("viewer") as assay:
        print_object(assay.tools.get(name).definition, as_json=as_json)


objects.add_delete(app, "tool", "/tools", name=lambda tool: tool["definition"]["name"])


@app.command()
def define(
    file: Annotated[Path, typer.Argument(help="Definition as JSON", exists=True, dir_okay=False)],
    as_json: AsJson = False,
) -> None:
    """Define a tool, or replace the one of the same name; only an administrator may."""
    body = read_object(file, "See `assay tool show`.")
    with connected("admin") as assay:
        known = {one.definition.name: one.id for one in assay.tools.list()}
        number = known.get(body.get("name", ""))
        tools = assay.tools
        found = tools.create(body) if number is None else tools.replace(number, body)
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
        hosts = {"source_host": source, "sink_host": sink}
        found = assay.tools.check(name, hosts, wait_s=WAIT_S)
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

"""`assay profile` and `assay tool`: lists of tests, and the programs that they may use."""

from pathlib import Path
from typing import Annotated

import typer

from assay.base.nouns import PROFILE, TOOL
from assay.cli.arguments import read_object
from assay.cli.connection import connected
from assay.cli.console import AsJson, say
from assay.cli.described import print_object
from assay.cli.nouns import argument, group
from assay.kinds.programs import COMMANDS
from assay.runs.profiles.schemas import ProfileOut


def _version(profile: ProfileOut) -> str:
    return "built in" if profile.builtin else str(profile.version)


profile = group(PROFILE, {"version": _version})
tool = group(TOOL)

Tool = Annotated[str, argument(TOOL)]
WAIT_S = 120


@profile.command()
def save(
    file: Annotated[
        Path, typer.Argument(help="JSON as POST /profiles takes it; - is standard input")
    ],
    replace: Annotated[
        str | None, typer.Option(help="Make the next version of this profile")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Create a profile from a file, or the next version of one."""
    body = read_object(file, "It needs an object with name and body.")
    with connected() as assay:
        if replace is None:
            _print(assay.profiles.create(body), as_json)
        else:
            _print(assay.profiles.replace(replace, body), as_json)


@profile.command()
def copy(
    which: Annotated[str, argument(PROFILE)],
    name: Annotated[str, typer.Argument(help="Of the copy")],
    as_json: AsJson = False,
) -> None:
    """Copy a profile, such as a built-in one, under another name."""
    with connected() as assay:
        _print(assay.profiles.copy(which, name), as_json)


def _print(profile: ProfileOut, as_json: bool) -> None:
    said = f"profile {profile.id} {profile.name}, version {profile.version}"
    say(profile, said, as_json=as_json)


@tool.command()
def show(which: Tool, as_json: AsJson = False) -> None:
    """Show a tool's definition; `define` takes its JSON."""
    with connected("viewer") as assay:
        print_object(assay.tools.get(which).definition, as_json=as_json)


@tool.command()
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
    commands = [name for name in COMMANDS if getattr(found.definition, name)]
    say(found, f"{found.definition.name}: {len(commands)} commands", as_json=as_json)


@tool.command()
def check(
    which: Tool,
    source: Annotated[str, typer.Option(help="Host at which the data is: name or id")],
    sink: Annotated[str, typer.Option(help="Host to which it goes: name or id")],
    as_json: AsJson = False,
) -> None:
    """Check whether two hosts have what a tool needs; exit code 1 if one lacks something."""
    with connected() as assay:
        hosts = {"source_host": source, "sink_host": sink}
        found = assay.tools.check(which, hosts, wait_s=WAIT_S)
    ends = {"source": found.source, "sink": found.sink}
    lines: list[str] = []
    for side, end in ends.items():
        lines.append(f"{side}: {end.state}{f': {end.message}' if end.message else ''}")
        if end.state != "found" and end.needs:
            lines.append(f"  It needs {end.needs}.")
    say(found, *lines, as_json=as_json)
    if {end.state for end in ends.values()} != {"found"}:
        raise typer.Exit(1)

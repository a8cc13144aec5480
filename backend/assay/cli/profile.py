"""`assay profile`: stored lists of tests."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from assay.cli import nouns
from assay.cli.client import connected
from assay.cli.console import AsJson, output, print_json, print_list, shown
from assay.cli.files import read_object
from assay.cli.filters import filtered
from assay.profiles.schemas import ProfileOut

app = typer.Typer(help="Profiles: stored lists of tests.", no_args_is_help=True)
nouns.add_common(app, "profile")


@app.command("list")
@filtered("kind", "builtin", "slug", "profile", "words", sort="name")
def list_profiles(query: dict[str, Any], as_json: AsJson = False) -> None:
    """List the newest version of each profile, or all versions of one."""
    with connected("viewer") as assay:
        found = list(assay.profiles.list(**query))
    columns = ("id", "name", "slug", "version", "description")
    print_list(found, columns, _row, as_json=as_json, wide=("description",))


@app.command()
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
    profile = read_object(file, "It needs an object with name and body.")
    with connected() as assay:
        if replace is None:
            _print(assay.profiles.create(profile), as_json)
        else:
            _print(assay.profiles.replace(nouns.reference(replace), profile), as_json)


@app.command()
def copy(
    which: nouns.Which,
    name: Annotated[str, typer.Argument(help="Of the copy")],
    as_json: AsJson = False,
) -> None:
    """Copy a profile, such as a built-in one, under another name."""
    with connected() as assay:
        _print(assay.profiles.copy(nouns.reference(which), name), as_json)


def _row(profile: ProfileOut) -> Sequence[str]:
    version = "built in" if profile.builtin else str(profile.version)
    return (str(profile.id), profile.name, profile.slug, version, profile.description or "")


def _print(profile: ProfileOut, as_json: bool) -> None:
    if as_json:
        print_json(profile)
    else:
        line = f"profile {profile.id} {profile.name}, version {profile.version}"
        output.print(shown(line), highlight=False)

"""The command lines of the README and of the documentation work as they are written."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer
from assay import cli
from testing.api import Appliance
from testing.command_line import Shell
from typer.core import TyperCommand, TyperGroup

ROOT = Path(__file__).parents[3]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def lines_of(page: Path) -> Iterator[list[str]]:
    """Yield the arguments of each `assay` in the blocks of code of a page."""
    for block in re.findall(r"^ *```[a-z]*\n(.*?)^ *```", page.read_text(), re.S | re.M):
        for line in block.replace("\\\n", " ").splitlines():
            words = shlex.split(line, comments=True)
            ends = [at for at, word in enumerate(words) if word in ("|", "||", "&&", ";")]
            for begin, end in zip([0, *(at + 1 for at in ends)], [*ends, len(words)], strict=True):
                if words[begin : begin + 1] == ["assay"]:
                    yield words[begin + 1 : end]


def leftover(arguments: list[str]) -> list[str]:
    """Return the words that a command line has beyond its options and arguments."""
    group = typer.main.get_command(cli.app)
    context = typer.Context(group)  # pyright: ignore[reportArgumentType]
    while isinstance(group, TyperGroup):
        _, found, arguments = group.resolve_command(context, arguments)
        assert found is not None
        group, context = found, typer.Context(found, parent=context)
    assert isinstance(group, TyperCommand)
    _, unused, _ = group.make_parser(context).parse_args(args=list(arguments))
    return unused


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_documented_commands_have_known_options(page: Path) -> None:
    for arguments in lines_of(page):
        assert leftover(arguments) == [], arguments


def test_the_campaigns_of_the_readme_can_be_launched(appliance: Appliance, shell: Shell) -> None:
    for name, path in {"array-7": "/mnt/a", "archive": "/mnt/b"}.items():
        appliance.target(appliance.host(name), path)
    for name in ("web-1", "web-2", "web-3"):
        appliance.host(name)
    launches = [line for line in lines_of(ROOT / "README.md") if line[:2] == ["campaign", "run"]]
    assert len(launches) == 5, "a job of each test kind"
    for line in launches:
        shell(*("--estimate" if word == "--wait" else word for word in line))

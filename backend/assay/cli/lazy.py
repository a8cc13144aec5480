"""Commands whose modules are imported when they are called.

`assay --help` lists them with the help that their modules define, which it reads from the source:
importing them takes seconds, since some need the database and the test kinds.
"""

import ast
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import typer
from typer.core import TyperCommand, TyperGroup

from assay.base.nouns import NOUNS

COMMANDS: Mapping[str, str] = {
    "compare": "compare:compare",
    "search": "appliance:search",
    "overview": "appliance:overview",
    "health": "appliance:health",
    "audit": "appliance:audit",
    "matches": "storage:matches",
    "api": "appliance:api",
    "whoami": "token:whoami",
    "export-runs": "downloads:export_runs",
    "apply": "declarations:apply",
    "export": "declarations:export",
    "token": "token:app",
    "host": "host:app",
    "campaign": "campaign:app",
    "tool": "profiles:tool",
    "target": "storage:target",
    "array": "storage:array",
    "profile": "profiles:profile",
    "run": "run:app",
    "trial": "run:trial",
    "criterion": "verdicts:criterion",
    "webhook": "webhook:app",
    "authority": "access:authority",
    "credential": "access:credential",
    "user": "access:user",
    "schedule": "schedule:app",
    "retention": "retention:app",
    "up": "local.commands:up",
    "migrate": "local.commands:migrate",
    "rebuild": "local.commands:rebuild",
}
"""Module and name of each command and of each group of commands, in the order of the help."""


class Commands(TyperGroup):
    """The commands of this table, and those that it is created with."""

    def __init__(self, **given: Any) -> None:
        """List the commands of the table first."""
        super().__init__(**given)
        own = {**self.commands}
        self.commands.clear()
        for name, where in COMMANDS.items():
            said = NOUNS[name].about if name in NOUNS else _help(*where.split(":"))
            self.commands[name] = TyperCommand(name, help=said)
        self.commands.update(own)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that the first argument names, and the other arguments."""
        self.load(args[0])
        return super().resolve_command(ctx, args)

    def load(self, name: str) -> None:
        """Import a command, if it is one of the table."""
        if name in COMMANDS:
            self.commands[name] = _loaded(name)


@cache
def _loaded(name: str) -> Any:
    module, _, attribute = COMMANDS[name].partition(":")
    found: Any = getattr(import_module(f"assay.cli.{module}"), attribute)
    alone = typer.Typer()
    if isinstance(found, typer.Typer):
        alone.add_typer(found, name=name)
    else:
        alone.command(name)(found)
    alone.callback()(_nothing)  # without, one command would be the whole program
    return cast(TyperGroup, typer.main.get_command(alone)).commands[name]


def _nothing() -> None:
    """Do nothing before a command."""


def _help(module: str, attribute: str) -> str:
    """Return the docstring of a function, or the `help` of a group."""
    for node in _parsed(module).body:
        match node:
            case ast.FunctionDef(name=name) if name == attribute:
                return ast.get_docstring(node) or ""
            case ast.Assign(
                targets=[ast.Name(id=name)],
                value=ast.Call(keywords=[ast.keyword(arg="help", value=ast.Constant(text)), *_]),
            ) if name == attribute:
                return str(text)
            case _:
                pass
    raise LookupError(f"{module} has no help of {attribute}")


@cache
def _parsed(module: str) -> ast.Module:
    file = Path(__file__).parent / f"{module.replace('.', '/')}.py"
    return ast.parse(file.read_text(encoding="utf-8"))

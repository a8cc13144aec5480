"""What a start of the command line imports: only what the command needs."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from assay.cli.lazy import COMMANDS

SERVER = ("sqlalchemy", "fastapi", "starlette", "celery", "redis", "alembic", "uvicorn")
"""Packages of the server, which no command for another machine needs."""

MODELS = ("assay.kinds", "assay.client", "assay.api.app", "pydantic", "pydantic_settings")
"""What has the types of the API, and takes most of the time otherwise."""

PROGRAM = """
import atexit, json, os, sys

@atexit.register
def write():
    found = sorted(name for name in sys.modules)
    open(os.environ["MODULES"], "w").write(json.dumps(found))

from assay.cli import main
for arguments in json.loads(os.environ["ARGUMENTS"]):
    sys.argv = ["assay", *arguments]
    try:
        main()
    except SystemExit:
        pass
"""


def imported(folder: Path, *commands: Sequence[str], **environment: str) -> set[str]:
    """Return the modules that the commands, each with its arguments, have imported at their end."""
    modules = folder / "modules.json"
    clean = {name: value for name, value in os.environ.items() if not name.startswith("ASSAY_")}
    given = {"MODULES": str(modules), "ARGUMENTS": json.dumps(commands), **environment}
    subprocess.run(
        [sys.executable, "-c", PROGRAM], env=clean | given, check=False, capture_output=True
    )
    return set(json.loads(modules.read_text()))


@pytest.mark.parametrize(
    ("arguments", "environment"),
    [
        (("--help",), {}),
        ((), {}),
        (("completion", "bash"), {}),
        (("hst",), {}),
        (("probe", "--help"), {}),
        ((), {"_ASSAY_COMPLETE": "complete_bash", "COMP_WORDS": "assay ho", "COMP_CWORD": "1"}),
    ],
    ids=["help", "nothing", "completion", "unknown", "probe", "words"],
)
def test_what_needs_no_server_imports_none_of_it(
    tmp_path: Path, arguments: tuple[str, ...], environment: dict[str, str]
) -> None:
    found = imported(tmp_path, arguments, **environment)
    assert "typer" in found
    assert not found.intersection((*SERVER, *MODELS))


def test_the_help_of_no_command_imports_the_server(tmp_path: Path) -> None:
    found = imported(tmp_path, *((name, "--help") for name in COMMANDS))
    assert found.issuperset(f"assay.cli.{one.partition(':')[0]}" for one in COMMANDS.values())
    assert not found.intersection(SERVER)


@pytest.mark.parametrize("command", ["host list", "target list", "campaign list", "token list"])
def test_a_command_for_another_machine_imports_no_server(tmp_path: Path, command: str) -> None:
    found = imported(
        tmp_path, command.split(), ASSAY_URL="http://127.0.0.1:1", ASSAY_TOKEN="assay_x"
    )
    assert "httpx" in found
    assert not found.intersection(SERVER)

"""The command line interface `assay`."""

import sys
from typing import Annotated, Literal, NoReturn

import typer
from typer.completion import (
    completion_init,  # pyright: ignore[reportPrivateImportUsage]
    get_completion_script,  # pyright: ignore[reportPrivateImportUsage]
)

from assay.cli.console import AsJson, CommandError, errors, print_json, shown
from assay.cli.lazy import Commands

COMPLETE = "_ASSAY_COMPLETE"
"""The variable by which a completion script asks for words."""

app = typer.Typer(
    cls=Commands,
    help="Assay: storage qualification.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

probe = typer.Typer(help="The probe that runs on hosts.", no_args_is_help=True)
app.add_typer(probe, name="probe")

completion_init()  # the scripts of `assay completion` call this program for their words


@app.command()
def completion(
    shell: Annotated[Literal["bash", "zsh", "fish"], typer.Argument(help="Name of the shell")],
) -> None:
    """Print the completion script of a shell, such as `source <(assay completion bash)`."""
    script = get_completion_script(prog_name="assay", complete_var=COMPLETE, shell=shell)
    typer.echo(script)


@probe.command()
def build(as_json: AsJson = False) -> None:
    """Compile the probe for all architectures with the compiler of the ziglang package."""
    import subprocess

    from assay.base.settings import REPOSITORY

    folder = REPOSITORY / "worker" / "probe"
    command = ["make", "-s", "-C", str(folder), "release", f"PYTHON={sys.executable}"]
    done = subprocess.run(command, check=False)
    if done.returncode:
        raise typer.Exit(done.returncode)
    built = sorted((folder / "build").glob("*/assay-probe"))
    if as_json:
        print_json(built)
    else:
        typer.echo("\n".join(map(str, built)))


def main() -> None:
    """Run the command; print a failure as one line instead of a traceback."""
    try:
        app()
    except CommandError as failure:
        _fail(str(failure), failure.exit_code)
    except Exception as error:
        sentence = _explained(error)
        if sentence is None:
            raise
        _fail(sentence, 2)


def _explained(error: Exception) -> str | None:
    """Describe invalid settings, and a database that cannot be used."""
    from pydantic import ValidationError

    from assay.base.settings import invalid_settings
    from assay.cli.local.commands import explained

    if isinstance(error, ValidationError):  # of the settings; other input is validated where read
        return invalid_settings(error)
    return explained(error)


def _fail(sentence: str, exit_code: int) -> NoReturn:
    line = shown(f"assay: {sentence}")
    errors.print(line, style="red", highlight=False, soft_wrap=True)
    sys.exit(exit_code)

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


@app.command()
def up() -> None:
    """Start queue, API, worker and scheduler; stop them with Ctrl-C."""
    from assay.supervisor.up import up as run  # imported late: other commands do not need it

    raise typer.Exit(run())


@app.command()
def migrate(as_json: AsJson = False) -> None:
    """Migrate the database; print a setup code if there is no user."""
    from assay.settings import settings
    from assay.supervisor.first_start import announcement, prepare
    from assay.supervisor.home import StartupError, make_home

    configured = settings()
    try:
        make_home(configured.home)
        code = prepare(configured)
    except StartupError as error:
        raise CommandError(str(error)) from error
    if as_json:
        print_json({"setup_code": code})
    elif code:
        typer.echo(announcement(code))


@app.command()
def rebuild(
    run: Annotated[int, typer.Argument(help="The run's id", min=1)], as_json: AsJson = False
) -> None:
    """Make a run's sample blocks and result again from its raw log, in the local database."""
    from assay.db.database import writing
    from assay.http.errors import NotFound
    from assay.recording import record

    try:
        with writing() as session:
            result = record.rebuild(session, run)
            build, rules = result.build, result.rules
    except (
        NotFound,
        record.NotEndedError,
        record.RemovedLogError,
        record.IncompleteLogError,
    ) as error:
        raise CommandError(str(error)) from error
    if as_json:
        print_json({"run_id": run, "build": build, "rules": rules})
    else:
        typer.echo(f"Run {run}: result {build}, by version {rules} of the rules.")


@probe.command()
def build(as_json: AsJson = False) -> None:
    """Compile the probe for all architectures with the compiler of the ziglang package."""
    import subprocess

    from assay.settings import REPOSITORY

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
    from sqlalchemy.exc import SQLAlchemyError

    from assay.settings import invalid_settings

    match error:
        case ValidationError():  # of the settings; other input is validated where it is read
            return invalid_settings(error)
        case SQLAlchemyError():
            reason = str(error).partition("\n")[0]
            return f"the database cannot be used: {reason}. Run `assay migrate` or `assay up` first"
        case _:
            return None


def _fail(sentence: str, exit_code: int) -> NoReturn:
    line = shown(f"assay: {sentence}")
    errors.print(line, style="red", highlight=False, soft_wrap=True)
    sys.exit(exit_code)

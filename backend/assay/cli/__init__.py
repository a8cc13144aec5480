"""The command line interface `assay`."""

import sys
from typing import Annotated, NoReturn

import typer
from pydantic import ValidationError
from sqlalchemy.exc import SQLAlchemyError

from assay.cli import campaign, host, token, tool
from assay.cli.console import CommandError, errors, shown
from assay.settings import invalid_settings

app = typer.Typer(
    help="Assay: storage qualification.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.add_typer(token.app, name="token")
app.add_typer(host.app, name="host")
app.add_typer(campaign.app, name="campaign")
app.add_typer(tool.app, name="tool")

probe = typer.Typer(help="The probe that runs on hosts.", no_args_is_help=True)
app.add_typer(probe, name="probe")


@app.command()
def up() -> None:
    """Start queue, API, worker and scheduler; stop them with Ctrl-C."""
    from assay.supervisor.up import up as run  # imported late: other commands do not need it

    raise typer.Exit(run())


@app.command()
def migrate() -> None:
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
    if code:
        typer.echo(announcement(code))


@app.command()
def rebuild(run: Annotated[int, typer.Argument(help="The run's id", min=1)]) -> None:
    """Make a run's sample blocks and result again from its raw log, in the local database."""
    from assay.db.database import writing
    from assay.http.errors import NotFound
    from assay.recording import record

    try:
        with writing() as session:
            result = record.rebuild(session, run)
            answer = f"Run {run}: result {result.build}, by version {result.rules} of the rules."
    except (NotFound, record.NotEndedError, record.IncompleteLogError) as error:
        raise CommandError(str(error)) from error
    typer.echo(answer)


@probe.command()
def build() -> None:
    """Compile the probe for all architectures with the compiler of the ziglang package."""
    import subprocess

    from assay.settings import REPOSITORY

    folder = REPOSITORY / "worker" / "probe"
    command = ["make", "-s", "-C", str(folder), "release", f"PYTHON={sys.executable}"]
    done = subprocess.run(command, check=False)
    if done.returncode:
        raise typer.Exit(done.returncode)
    for built in sorted((folder / "build").glob("*/assay-probe")):
        typer.echo(built)


def main() -> None:
    """Run the command; print a failure as one line instead of a traceback."""
    try:
        app()
    except CommandError as failure:
        _fail(str(failure), failure.exit_code)
    except ValidationError as error:  # of the settings; other input is validated where it is read
        _fail(invalid_settings(error), 2)
    except SQLAlchemyError as error:
        reason = str(error).partition("\n")[0]
        _fail(f"the database cannot be used: {reason}. Run `assay migrate` or `assay up` first", 2)


def _fail(sentence: str, exit_code: int) -> NoReturn:
    line = shown(f"assay: {sentence}")
    errors.print(line, style="red", highlight=False, soft_wrap=True)
    sys.exit(exit_code)

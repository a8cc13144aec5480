"""The command line interface `assay`."""

import sys
from typing import Annotated, Literal, NoReturn

import typer
from pydantic import ValidationError
from sqlalchemy.exc import SQLAlchemyError
from typer.completion import (
    completion_init,  # pyright: ignore[reportPrivateImportUsage]
    get_completion_script,  # pyright: ignore[reportPrivateImportUsage]
)

from assay.cli import (
    access,
    array,
    campaign,
    compare,
    criterion,
    declarations,
    export_runs,
    history,
    host,
    looking,
    profile,
    retention,
    run,
    schedule,
    target,
    token,
    tool,
    trial,
    webhook,
)
from assay.cli.console import AsJson, CommandError, errors, print_json, shown
from assay.settings import invalid_settings

COMPLETE = "_ASSAY_COMPLETE"
"""The variable by which a completion script asks for words."""

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
app.add_typer(target.app, name="target")
app.add_typer(array.app, name="array")
app.add_typer(profile.app, name="profile")
app.add_typer(run.app, name="run")
app.add_typer(trial.app, name="trial")
app.add_typer(criterion.app, name="criterion")
app.command()(compare.compare)
app.command()(looking.search)
app.command()(looking.overview)
app.command()(looking.health)
app.command()(looking.audit)
app.command()(history.matches)
app.command()(run.api)
app.command()(token.whoami)
app.add_typer(webhook.app, name="webhook")
app.add_typer(access.authority, name="authority")
app.add_typer(access.credential, name="credential")
app.add_typer(access.user, name="user")
app.add_typer(schedule.app, name="schedule")
app.add_typer(retention.app, name="retention")
app.command("export-runs")(export_runs.command)
app.command()(declarations.apply)
app.command()(declarations.export)

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
    except ValidationError as error:  # of the settings; other input is validated where it is read
        _fail(invalid_settings(error), 2)
    except SQLAlchemyError as error:
        reason = str(error).partition("\n")[0]
        _fail(f"the database cannot be used: {reason}. Run `assay migrate` or `assay up` first", 2)


def _fail(sentence: str, exit_code: int) -> NoReturn:
    line = shown(f"assay: {sentence}")
    errors.print(line, style="red", highlight=False, soft_wrap=True)
    sys.exit(exit_code)

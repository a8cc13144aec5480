"""`assay up`, `assay migrate` and `assay rebuild`: the installation on this machine.

What they use of the server is imported when they are called: their help needs none of it.
"""

from typing import Annotated

import typer

from assay.cli.console import AsJson, CommandError, print_json


def up() -> None:
    """Start queue, API, worker and scheduler; stop them with Ctrl-C."""
    from assay.supervisor.up import up as run

    raise typer.Exit(run())


def migrate(as_json: AsJson = False) -> None:
    """Migrate the database; print a setup code if there is no user."""
    from assay.base.home import StartupError, make_home
    from assay.base.settings import settings
    from assay.supervisor.first_start import announcement, prepare

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


def rebuild(
    run: Annotated[int, typer.Argument(help="The run's id", min=1)], as_json: AsJson = False
) -> None:
    """Make a run's sample blocks and result again from its raw log, in the local database."""
    from assay.base.errors import NotFound
    from assay.runs.recording import record
    from assay.tables.database import writing

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


def explained(error: Exception) -> str | None:
    """Describe a database that cannot be used; None for another error."""
    from sqlalchemy.exc import SQLAlchemyError

    if not isinstance(error, SQLAlchemyError):
        return None
    reason = str(error).partition("\n")[0]
    return f"the database cannot be used: {reason}. Run `assay migrate` or `assay up` first"

"""Preparation before the first process starts: tables, profiles and the first administrator."""

from sqlalchemy.exc import SQLAlchemyError

from assay.access import first_start
from assay.base.home import StartupError
from assay.base.settings import Settings
from assay.runs.profiles import builtin
from assay.runs.tools import builtin as builtin_tools
from assay.tables import database, schema


def prepare(configured: Settings) -> str | None:
    """Migrate the database and return the setup code to print, if any.

    Raises StartupError if the database does not respond or is not UTF-8.
    """
    try:
        schema.migrate()
        with database.writing() as session:
            builtin.install(session)
            builtin_tools.install(session)
            return first_start.prepare(session, configured.admin_password)
    except schema.UnsuitableDatabaseError as error:
        raise StartupError(str(error)) from error
    except SQLAlchemyError as error:
        reason = str(error.__cause__ or error).splitlines()[0]
        raise StartupError(
            f"the database cannot be used ({reason}): check ASSAY_DATABASE_URL, or the disk"
        ) from error
    finally:
        database.engine().dispose()


def announcement(code: str) -> str:
    """Return the log line with the setup code."""
    return f"setup code for the first administrator: {code}"

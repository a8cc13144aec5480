"""What has to be there before the first process serves: tables, profiles, an administrator."""

from sqlalchemy.exc import SQLAlchemyError

from assay.accounts import first_start
from assay.db import database, schema
from assay.profiles import builtin
from assay.settings import Settings
from assay.supervisor.place import CannotStartError


def prepare(configured: Settings) -> str | None:
    """Bring the database to this version; returns the set-up code that is to be printed.

    Raises CannotStartError when the database does not answer or is not UTF-8.
    """
    try:
        schema.migrate()
        with database.writing() as session:
            builtin.install(session)
            return first_start.prepare(session, configured.admin_password)
    except schema.UnsuitableDatabaseError as error:
        raise CannotStartError(str(error)) from error
    except SQLAlchemyError as error:
        reason = str(error.__cause__ or error).splitlines()[0]
        raise CannotStartError(
            f"the database cannot be used ({reason}): check ASSAY_DATABASE_URL, or the disk"
        ) from error
    finally:
        database.engine().dispose()


def announcement(code: str) -> str:
    """How the log tells the set-up code."""
    return f"set-up code for the first administrator: {code}"

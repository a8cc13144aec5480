"""What has to be there before the first process serves: the tables and a first administrator."""

from assay import database
from assay.accounts import first_start
from assay.settings import Settings


def prepare(configured: Settings) -> str | None:
    """Bring the database to this version; returns the set-up code that is to be printed."""
    with database.writing() as session:
        code = first_start.prepare(session, configured.admin_password)
    database.engine().dispose()
    return code

"""Migration of the database to the schema of this version."""

from alembic import command
from alembic.config import Config
from sqlalchemy import Engine
from sqlalchemy.exc import OperationalError

from assay.base.settings import REPOSITORY
from assay.tables import database

MIGRATIONS = REPOSITORY / "migrations"


class UnsuitableDatabaseError(Exception):
    """The PostgreSQL database cannot store every name, because its encoding is not UTF-8."""

    def __init__(self, name: str, encoding: str) -> None:
        """Describe how to create one with UTF-8."""
        super().__init__(
            f"the database '{name}' has the encoding {encoding}, but Assay needs UTF8. "
            "Create one with `createdb --encoding=UTF8 --template=template0 NAME` and set "
            "ASSAY_DATABASE_URL"
        )


def configuration(engine: Engine | None = None) -> Config:
    """Return Alembic's configuration, for `engine` or the configured database."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.set_main_option("file_template", "%%(year)d_%%(month).2d_%%(day).2d_%%(rev)s_%%(slug)s")
    config.attributes["engine"] = engine
    return config


def migrate(engine: Engine | None = None) -> None:
    """Apply all missing migrations."""
    _require_utf8(engine or database.engine())
    command.upgrade(configuration(engine), "head")


def _require_utf8(engine: Engine) -> None:
    """Raise UnsuitableDatabaseError for another encoding, with which SQLAlchemy would fail.

    Raises OperationalError if the server cannot be reached.
    """
    if engine.dialect.name != "postgresql":
        return
    arguments, options = engine.dialect.create_connect_args(engine.url)
    try:
        connection = engine.dialect.connect(*arguments, **options)
    except engine.dialect.loaded_dbapi.Error as error:
        raise OperationalError("connect", None, error) from error
    try:
        encoding: str = connection.info.parameter_status("server_encoding")  # pyright: ignore
    finally:
        connection.close()
    if encoding != "UTF8":
        raise UnsuitableDatabaseError(engine.url.database or "", encoding)

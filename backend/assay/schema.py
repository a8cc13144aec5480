"""Bringing the database to the schema of this version."""

from alembic import command
from alembic.config import Config
from sqlalchemy import Engine

from assay.settings import REPOSITORY

MIGRATIONS = REPOSITORY / "migrations"


def configuration(engine: Engine | None = None) -> Config:
    """Alembic's configuration; `engine` instead of the database of the settings."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.set_main_option("file_template", "%%(year)d_%%(month).2d_%%(day).2d_%%(rev)s_%%(slug)s")
    config.attributes["engine"] = engine
    return config


def migrate(engine: Engine | None = None) -> None:
    """Run what is missing; does nothing when the schema is this version's."""
    command.upgrade(configuration(engine), "head")

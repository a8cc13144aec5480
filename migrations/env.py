"""How Alembic runs Assay's migrations; `assay.tables.schema` starts it."""

from typing import Any

from alembic import context
from assay.base.settings import settings
from assay.tables.all_tables import Base
from assay.tables.database import BUSY_TIMEOUT_S, UtcDateTime, make_engine
from sqlalchemy import JSON, BigInteger, Connection, text

ADVISORY_LOCK = 0x41535341590001
"""Any number, the same for all: two starting processes must not migrate at the same time."""

LOCK_TIMEOUT = "5s"
"""A migration that cannot get its lock gives up, rather than queue every reader behind it."""

STATEMENT_TIMEOUT = "10min"


def _render(kind: str, item: Any, _context: Any) -> str | bool:
    """Write the columns' types by the names that every migration defines for itself."""
    if kind == "type" and isinstance(item, UtcDateTime):
        return "TIME"
    if kind == "type" and isinstance(item, BigInteger):
        return "BIG"
    if kind == "type" and isinstance(item, JSON):
        return "DOCUMENT"
    return False


def _migrate(connection: Connection) -> None:
    postgresql = connection.dialect.name == "postgresql"
    context.configure(
        connection=connection,
        target_metadata=Base.metadata,
        compare_type=True,
        render_as_batch=True,  # SQLite can alter a table only by recreating it
        render_item=_render,
        transaction_per_migration=postgresql,
    )
    with context.begin_transaction():
        if postgresql:
            connection.execute(text(f"SET lock_timeout = '{LOCK_TIMEOUT}'"))
            connection.execute(text(f"SET statement_timeout = '{STATEMENT_TIMEOUT}'"))
        context.run_migrations()


def _run() -> None:
    given = context.config.attributes.get("engine")
    engine = given or make_engine(settings().resolved_database_url)
    if engine.dialect.name == "sqlite":
        with engine.execution_options(writes=True).connect() as connection:
            _migrate(connection)
            connection.commit()
        return
    with engine.connect() as connection:
        connection.execute(text(f"SET lock_timeout = '{BUSY_TIMEOUT_S}s'"))
        connection.execute(text("SELECT pg_advisory_lock(:key)"), {"key": ADVISORY_LOCK})
        connection.commit()
        try:
            _migrate(connection)
        finally:
            connection.rollback()
            connection.execute(text("SELECT pg_advisory_unlock(:key)"), {"key": ADVISORY_LOCK})
            connection.commit()


_run()

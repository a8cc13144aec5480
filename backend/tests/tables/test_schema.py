"""Migrations and models agree, on both databases."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from assay.base.settings import REPOSITORY
from assay.tables import schema
from assay.tables.all_tables import Base
from assay.tables.database import make_engine
from sqlalchemy import Engine, func, inspect, select, text
from sqlalchemy.orm import Session
from testing import services
from testing.populated import populate, reflected


@pytest.fixture(params=["sqlite", "postgresql"])
def empty(request: pytest.FixtureRequest, tmp_path: Path) -> Engine:
    if request.param == "sqlite":
        return make_engine(f"sqlite:///{tmp_path / 'empty.db'}")
    server = request.getfixturevalue("postgres_server")
    return make_engine(services.create_database(server, f"empty_{abs(hash(tmp_path)):x}"))


def test_the_migrations_match_the_models(empty: Engine) -> None:
    schema.migrate(empty)
    with empty.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, Base.metadata) == []
    made = inspect(empty)
    for table in Base.metadata.sorted_tables:
        foreign = {key["name"]: key["options"] for key in made.get_foreign_keys(table.name)}
        for key in table.foreign_key_constraints:
            assert foreign[str(key.name)].get("ondelete") == key.ondelete, key.name
    empty.dispose()


def test_a_second_migration_does_nothing(empty: Engine) -> None:
    schema.migrate(empty)
    schema.migrate(empty)
    with empty.connect() as connection:
        assert connection.scalar(text("SELECT count(*) FROM alembic_version")) == 1
    empty.dispose()


def test_two_processes_may_start_at_once(empty: Engine, tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "ASSAY_HOME": str(tmp_path),
        "ASSAY_DATABASE_URL": empty.url.render_as_string(hide_password=False),
    }
    command = [sys.executable, "-c", "from assay.tables import schema; schema.migrate()"]
    both = [subprocess.Popen(command, env=environment) for _ in range(2)]
    assert [process.wait(60) for process in both] == [0, 0]
    with empty.connect() as connection:
        assert connection.scalar(text("SELECT count(*) FROM alembic_version")) == 1
    empty.dispose()


def test_every_migration_can_be_reverted(empty: Engine) -> None:
    schema.migrate(empty)
    command.downgrade(schema.configuration(empty), "base")
    assert inspect(empty).get_table_names() == ["alembic_version"]
    empty.dispose()


VERSIONS = [
    script.revision
    for script in reversed(
        list(ScriptDirectory.from_config(schema.configuration()).walk_revisions())
    )
]


@pytest.mark.parametrize("version", VERSIONS)
def test_a_populated_database_of_every_version_is_migrated(empty: Engine, version: str) -> None:
    command.upgrade(schema.configuration(empty), version)
    with empty.execution_options(writes=True).begin() as connection:
        before = populate(connection)
    schema.migrate(empty)
    with empty.connect() as connection:
        after = {
            table.name: connection.scalar(select(func.count()).select_from(table))
            for table in reflected(connection)
        }
    assert {name: after[name] for name in before if name in after} == {
        name: count for name, count in before.items() if name in after
    }
    with Session(empty) as session:
        for mapper in Base.registry.mappers:
            rows = session.scalars(select(mapper.class_)).all()
            assert len(rows) == after[mapper.local_table.name]  # pyright: ignore
    empty.dispose()


def test_a_postgresql_database_of_another_encoding_is_rejected_with_a_remedy(
    postgres_server: str, tmp_path: Path
) -> None:
    url = services.create_database(postgres_server, f"plain_{abs(hash(tmp_path)):x}")
    plain = make_engine(url)
    with plain.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(
            text(
                "CREATE DATABASE ascii ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C' "
                "TEMPLATE template0"
            )
        )
    plain.dispose()
    ascii_engine = make_engine(str(plain.url.set(database="ascii").render_as_string(False)))
    with pytest.raises(schema.UnsuitableDatabaseError, match=r"SQL_ASCII.*createdb"):
        schema.migrate(ascii_engine)
    ascii_engine.dispose()


def test_new_migrations_have_the_standard_comment() -> None:
    template = (REPOSITORY / "migrations" / "script.py.mako").read_text()
    for word in ("lock", "nullable first", "SQLite", "PostgreSQL"):
        assert word in template

"""Migrations and models say the same, on both databases."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import services
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from assay import schema
from assay.database import make_engine
from assay.models import Base
from assay.runs.models import Participant
from assay.settings import REPOSITORY
from seeds import seed_run
from sqlalchemy import Engine, inspect, text
from sqlalchemy.orm import Session


@pytest.fixture(params=["sqlite", "postgresql"])
def empty(request: pytest.FixtureRequest, tmp_path: Path) -> Engine:
    if request.param == "sqlite":
        return make_engine(f"sqlite:///{tmp_path / 'empty.db'}")
    server = request.getfixturevalue("postgres_server")
    return make_engine(services.create_database(server, f"empty_{abs(hash(tmp_path)):x}"))


def test_the_migrations_make_what_the_models_describe(empty: Engine) -> None:
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
    command = [sys.executable, "-c", "from assay import schema; schema.migrate()"]
    both = [subprocess.Popen(command, env=environment) for _ in range(2)]
    assert [process.wait(60) for process in both] == [0, 0]
    with empty.connect() as connection:
        assert connection.scalar(text("SELECT count(*) FROM alembic_version")) == 1
    empty.dispose()


def test_every_migration_can_be_taken_back(empty: Engine) -> None:
    schema.migrate(empty)
    command.downgrade(schema.configuration(empty), "base")
    assert inspect(empty).get_table_names() == ["alembic_version"]
    empty.dispose()


def test_results_of_the_version_before_keep_the_array_that_they_show_today(empty: Engine) -> None:
    schema.migrate(empty)
    with Session(empty.execution_options(writes=True)) as session, session.begin():
        _, participant, _ = seed_run(session, cache_bytes=10**9)
        participant_id = participant.id
    command.downgrade(schema.configuration(empty), "0004")
    schema.migrate(empty)
    with Session(empty) as session:
        kept = session.get_one(Participant, participant_id)
        assert (kept.array_name, kept.array_cache_bytes) == ("array-1", 10**9)
    empty.dispose()


def test_new_migrations_carry_the_advice() -> None:
    template = (REPOSITORY / "migrations" / "script.py.mako").read_text()
    for word in ("lock", "nullable first", "SQLite", "PostgreSQL"):
        assert word in template

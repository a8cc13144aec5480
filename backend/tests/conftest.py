"""Fixtures of the backend's tests: an API, a real queue server, both databases."""

import shutil
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import hypothesis
import pytest
import uvicorn
from argon2 import PasswordHasher
from assay.access import secrets
from assay.api.accounts import login
from assay.api.accounts.login import Throttle
from assay.api.app import app
from assay.base.settings import settings
from assay.runs.profiles import builtin
from assay.runs.tools import builtin as builtin_tools
from assay.tables import database, schema
from assay.tables.all_tables import Base
from assay.tables.database import make_engine
from fastapi.testclient import TestClient
from sqlalchemy import Engine, text
from sqlalchemy.orm import Session
from testing import lock_order, rotation, services
from testing.api import Appliance

CHEAP = PasswordHasher(time_cost=1, memory_cost=64, parallelism=1)
"""Argon2id at a cost that lets a hundred tests log in; its own test looks at the real one."""

hypothesis.settings.register_profile("patient", deadline=None)  # a busy machine is no mistake
hypothesis.settings.load_profile("patient")

DATABASES = ("sqlite", "postgresql")
ON_BOTH = ("tables", "api/idempotency", "runs/recording", "runs/scheduling")
"""The folders whose tests run on both databases: locks, ingest, schema."""
ON_EITHER = (
    *("api/notes", "api/sharing", "api/test_campaign_stream.py", "api/tokens", "api/views"),
    *("base/messaging", "history", "inventory/labels", "runs"),
)
"""Where queries are tested: each test runs on one database, and on the other the next day.

Elsewhere a test runs on SQLite, unless it says `on_both`.
"""
NewDatabase = Callable[[], str]
"""Makes a database with all tables and the built-in profiles; its address."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Select the databases of a test that does not name them itself."""
    named = any(
        "configured" in mark.args[0] for mark in metafunc.definition.iter_markers("parametrize")
    )
    if "configured" in metafunc.fixturenames and not named:
        path = metafunc.definition.path.relative_to(Path(__file__).parent)
        on_both = any(map(path.is_relative_to, ON_BOTH))
        databases = DATABASES if on_both else DATABASES[:1]
        marks: list[pytest.MarkDecorator] = []
        if not on_both and any(map(path.is_relative_to, ON_EITHER)):
            chosen = rotation.of_name(metafunc.definition.name, len(DATABASES))
            databases = [DATABASES[number] for number in sorted(chosen)]
            marks = [pytest.mark.rotating]
        either = [pytest.param(database, marks=marks) for database in databases]
        metafunc.parametrize("configured", either, indirect=True)


@pytest.fixture(autouse=True)
def one_lock_order() -> Iterator[None]:
    """Fail if a transaction locks rows in another order than hosts, campaigns, runs."""
    with lock_order.watched():
        yield


@pytest.fixture(scope="session")
def queue_server() -> Iterator[str]:
    with services.valkey() as address:
        yield address


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    with services.postgres() as address:
        yield address


@pytest.fixture(scope="session")
def new_sqlite(tmp_path_factory: pytest.TempPathFactory) -> NewDatabase:
    folder = tmp_path_factory.mktemp("sqlite")
    _fill(f"sqlite:///{folder / 'template.db'}")

    def make() -> str:
        path = folder / f"{uuid.uuid4().hex}.db"
        shutil.copy(folder / "template.db", path)
        return f"sqlite:///{path}"

    return make


@pytest.fixture(scope="session")
def new_postgresql(postgres_server: str) -> NewDatabase:
    """One database for all tests, emptied before each: a new one takes ten times as long."""
    url = services.create_database(postgres_server, "assay")
    _fill(url)

    def make() -> str:
        engine = make_engine(url)
        with engine.begin() as connection:
            used = " UNION ALL ".join(
                f"SELECT '{table}' WHERE EXISTS (SELECT 1 FROM {table})"
                for table in Base.metadata.tables
                if table != "profiles"
            )
            if tables := connection.scalars(text(used)).all():
                connection.execute(text(f"TRUNCATE {', '.join(tables)} CASCADE"))
            connection.execute(text("DELETE FROM profiles"))
            # also what was taken back has counted
            counted = "SELECT sequencename FROM pg_sequences WHERE last_value IS NOT NULL"
            for sequence in connection.scalars(text(counted)).all():
                connection.execute(text(f"ALTER SEQUENCE {sequence} RESTART"))
        _install(engine)
        engine.dispose()
        return url

    return make


def _fill(url: str) -> None:
    engine = make_engine(url)
    schema.migrate(engine)
    _install(engine)
    if engine.dialect.name == "sqlite":
        with engine.connect() as connection:
            connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    engine.dispose()


def _install(engine: Engine) -> None:
    with Session(engine.execution_options(writes=True)) as session, session.begin():
        builtin.install(session)
        builtin_tools.install(session)


@pytest.fixture
def on(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, queue_server: str) -> Iterator[None]:
    """The settings of a test: a separate home, and the queue."""
    monkeypatch.setenv("ASSAY_HOME", str(tmp_path))
    monkeypatch.setenv("ASSAY_REDIS_URL", queue_server)
    monkeypatch.setenv("ASSAY_REQUESTS_PER_SECOND", "0")  # tests of one process share its counts
    monkeypatch.delenv("ASSAY_SECRET_KEY", raising=False)
    monkeypatch.setattr(login, "throttle", Throttle())
    monkeypatch.setattr(secrets, "_hasher", CHEAP)
    settings.cache_clear()
    database.engine.cache_clear()
    yield
    database.engine().dispose()
    settings.cache_clear()
    database.engine.cache_clear()


@pytest.fixture
def configured(request: pytest.FixtureRequest, on: None, monkeypatch: pytest.MonkeyPatch) -> str:
    """A migrated database of the test's own, in the settings; its kind."""
    make: NewDatabase = request.getfixturevalue(f"new_{request.param}")
    monkeypatch.setenv("ASSAY_DATABASE_URL", make())
    settings.cache_clear()
    return request.param


@pytest.fixture
def appliance(configured: str) -> Iterator[Appliance]:
    """The API on either database."""
    with TestClient(app, raise_server_exceptions=False) as http:
        yield Appliance(http)


@pytest.fixture
def served(appliance: Appliance) -> Iterator[int]:
    """The same API, served by uvicorn on the same event loop; its port on the loopback."""
    config = uvicorn.Config(
        app, port=0, lifespan="off", log_level="warning", timeout_graceful_shutdown=1
    )
    server, portal = uvicorn.Server(config), appliance.http.portal
    assert portal is not None
    serving = portal.start_task_soon(server.serve)
    while not server.started:
        time.sleep(0.01)
    yield server.servers[0].sockets[0].getsockname()[1]
    server.should_exit = True
    serving.result()

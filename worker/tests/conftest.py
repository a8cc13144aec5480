"""Fixtures of the worker's tests: the real probe, a real queue, both databases."""

import fcntl
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from assay.api.app import app
from assay.base.settings import REPOSITORY, settings
from assay.runs.profiles import builtin
from assay.runs.tools import builtin as builtin_tools
from assay.tables import database
from assay.tables.all_tables import Base
from assay.tables.database import writing
from assay_worker.loop import NAME
from fastapi.testclient import TestClient
from sqlalchemy import Engine, event
from testing import lock_order, services
from testing.api import Appliance
from testing.installation import Installation
from testing.sshd import Sshd


@pytest.fixture(autouse=True)
def one_lock_order() -> Iterator[None]:
    """Fail if a transaction locks rows in another order than hosts, campaigns, runs."""
    with lock_order.watched():
        yield


@pytest.fixture(autouse=True)
def statements_on_the_loop() -> Iterator[list[str]]:
    """Fail if a statement runs on the loop's thread, where it would block every driver."""
    found: list[str] = []

    def refuse(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        if threading.current_thread().name == NAME:
            found.append(statement)
            raise AssertionError(f"a statement on the loop: {statement}")

    event.listen(Engine, "before_cursor_execute", refuse)
    yield found
    event.remove(Engine, "before_cursor_execute", refuse)
    assert found == []


@pytest.fixture
def queue() -> Iterator[str]:
    with services.valkey() as address:
        yield address


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    with services.postgres() as address:
        yield address


@pytest.fixture(scope="session")
def probe() -> None:
    folder = REPOSITORY / "worker" / "probe"
    (folder / "build").mkdir(exist_ok=True)
    with (folder / "build" / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # other test processes build the same
        subprocess.run(
            ["make", "-s", "-C", folder, "release", f"PYTHON={sys.executable}"], check=True
        )


@pytest.fixture(params=["sqlite"])
def installation(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    queue: str,
    probe: None,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Installation]:
    """An installation on SQLite, or on PostgreSQL if a test requests both."""
    home = tmp_path / "assay"
    home.mkdir()
    monkeypatch.setenv("ASSAY_HOME", str(home))
    monkeypatch.setenv("ASSAY_REDIS_URL", queue)
    monkeypatch.setenv("ASSAY_OWNERSHIP_SECONDS", "3")
    monkeypatch.setenv("ASSAY_RECONCILE_SECONDS", "0.3")
    if request.param == "postgresql":
        server = request.getfixturevalue("postgres")
        name = f"assay_{abs(hash(tmp_path)):x}"
        monkeypatch.setenv("ASSAY_DATABASE_URL", services.create_database(server, name))
    settings.cache_clear()
    database.engine.cache_clear()
    Base.metadata.create_all(database.engine().execution_options(writes=True))
    made = Installation(home)
    yield made
    made.end()
    database.engine().dispose()
    settings.cache_clear()
    database.engine.cache_clear()


@pytest.fixture
def sshd(tmp_path: Path) -> Iterator[Sshd]:
    server = Sshd(tmp_path / "sshd")
    server.start()
    yield server
    server.stop()


@pytest.fixture
def api(installation: Installation) -> Iterator[Appliance]:
    """The installation's API, with the built-in profiles."""
    with writing() as session:
        builtin.install(session)
        builtin_tools.install(session)
    with TestClient(app) as http:
        yield Appliance(http)

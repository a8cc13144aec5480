"""The appliance's own disk is full: health, overview and rejected requests."""

import contextlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from assay.api.app import app
from assay.base.deadline import Deadline
from assay.base.settings import settings
from assay.tables.database import now, writing
from assay.tables.runs import WorkerSeen
from fastapi.testclient import TestClient
from sqlalchemy import delete, text
from sqlalchemy.exc import DBAPIError
from testing.api import Appliance, problem

SIZE = "16m"


def mounted(place: Path, options: str) -> Iterator[Path]:
    """A small file system at `place`; needs root."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", place], check=True)
    yield place
    subprocess.run(["umount", "--lazy", place], check=True)


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "home"
    place.mkdir()
    yield from mounted(place, f"size={SIZE}")


@pytest.fixture
def appliance(
    home: Path, on: None, new_sqlite: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Appliance]:
    """An API whose SQLite database is on that file system, and a worker that was just heard."""
    shutil.copy(new_sqlite().removeprefix("sqlite:///"), home / "assay.db")
    monkeypatch.setenv("ASSAY_HOME", str(home))
    settings.cache_clear()
    with TestClient(app, raise_server_exceptions=False) as http:
        made = Appliance(http)
        with writing() as session:
            session.add(WorkerSeen(name="worker@a"))
        yield made


def fill(folder: Path) -> Path:
    """Write until nothing more fits; the file to be removed again."""
    filler = folder / "filler"
    with filler.open("wb", buffering=0) as file:
        for size in (1 << 20, 4096, 1):
            with contextlib.suppress(OSError):
                while True:
                    file.write(b"\0" * size)
    return filler


def write_much() -> None:
    """Write more than fits into the free pages of the database files."""
    with writing() as session:
        session.add_all(WorkerSeen(name=f"{i:0200}", seen_at=now()) for i in range(5000))


def test_a_full_disk_and_a_failed_write_are_reported_until_a_write_succeeds(
    appliance: Appliance, home: Path
) -> None:
    health = appliance.anonymous.get("/health").json()
    assert (health["status"], health["disk"]["ok"]) == ("ok", True)
    assert health["disk"]["path"] == str(home)

    filler = fill(home)
    with pytest.raises(DBAPIError, match="full"):
        write_much()
    health = appliance.anonymous.get("/health").json()
    assert health["status"] == "degraded"
    disk = health["disk"]
    assert (disk["ok"], disk["free_bytes"]) == (False, 0)
    assert disk["detail"].startswith("The appliance's disk is full: 0.0 MB free in ")
    assert str(home) in disk["detail"]
    assert health["database"]["ok"] is False
    assert "database or disk is full" in health["database"]["detail"]

    filler.unlink()
    write_much()
    health = appliance.anonymous.get("/health").json()
    assert health["status"] == "ok"
    assert health["database"]["detail"] is health["disk"]["detail"] is None


def test_a_nearly_full_disk_is_reported_before_writes_fail(
    appliance: Appliance, home: Path
) -> None:
    filler = home / "filler"
    filler.write_bytes(bytes(os.statvfs(home).f_bavail * 4096 - 700_000))
    disk = appliance.anonymous.get("/health").json()["disk"]
    assert disk["ok"] is False
    assert 0 < disk["free_bytes"] < 800_000


def test_reading_health_writes_nothing(appliance: Appliance, home: Path) -> None:
    appliance.anonymous.get("/health")
    before = {file.name: file.stat().st_mtime_ns for file in home.iterdir()}
    appliance.anonymous.get("/health")
    assert {file.name: file.stat().st_mtime_ns for file in home.iterdir()} == before


def test_the_overview_names_the_disk_and_the_rejected_request_says_why(
    appliance: Appliance, home: Path
) -> None:
    test = {
        "kind": "matrix",
        "operation": "write",
        "block": [65536],
        "threads": [1],
        "file_size": 1000,
    }
    plan = {
        "profile_id": appliance.profile(),
        "target_ids": [appliance.target(appliance.host())],
        "tests": [{**test, "title": "Write"}],
    }
    assert appliance.operator.post("/campaigns", plan).status_code == 201
    with writing() as session:
        session.execute(delete(WorkerSeen))
    app.state.worker_due = Deadline(0)
    fill(home)
    arrays = ({"name": f"{number:0100}"} for number in range(5000))
    answers = (appliance.operator.post("/arrays", array) for array in arrays)
    refusal = next(answer for answer in answers if answer.status_code != 201)
    assert "database or disk is full" in problem(refusal, 503, "unavailable")["detail"]
    disk, worker = appliance.viewer.get("/overview").json()["issues"]
    assert (disk["kind"], disk["link"]) == ("disk_full", None)
    assert str(home) in disk["message"]
    assert worker["kind"] == "no_worker"
    assert "storage first" in worker["message"]


@pytest.fixture
def small_tablespace(postgres_server: str) -> Iterator[str]:
    """A PostgreSQL tablespace on a small file system; its name."""
    place = Path(tempfile.mkdtemp(prefix="assay-small-", dir="/tmp"))
    dsn = postgres_server.format(database="assay").replace("+psycopg", "")
    for folder in mounted(place, f"size={SIZE},uid=postgres,mode=0700"):
        with psycopg.connect(dsn, autocommit=True) as connection:
            connection.execute(f"CREATE TABLESPACE small LOCATION '{folder}'")  # pyright: ignore
            yield "small"
            connection.execute("DROP TABLE IF EXISTS filler")
            connection.execute("DROP TABLESPACE small")
    place.rmdir()


@pytest.mark.parametrize("configured", ["postgresql"], indirect=True)
def test_a_full_disk_of_the_database_server_is_reported(
    configured: str, small_tablespace: str
) -> None:
    with TestClient(app, raise_server_exceptions=False) as http:
        appliance = Appliance(http)
        with writing() as session:
            session.add(WorkerSeen(name="worker@a"))
            session.execute(text(f"CREATE TABLE filler (line text) TABLESPACE {small_tablespace}"))
        assert appliance.anonymous.get("/health").json()["status"] == "ok"
        with pytest.raises(DBAPIError), writing() as session:
            session.execute(
                text("INSERT INTO filler SELECT md5(i::text) FROM generate_series(1, 1000000) i")
            )
        health = appliance.anonymous.get("/health").json()
        assert health["status"] == "degraded"
        assert health["disk"]["ok"] is True
        assert "No space left on device" in health["database"]["detail"]
        (issue,) = appliance.viewer.get("/overview").json()["issues"]
        assert issue["kind"] == "database"
        assert "No space left on device" in issue["message"]

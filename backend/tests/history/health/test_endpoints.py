"""Health, as seen by monitoring."""

from datetime import timedelta

import pytest
from assay.base.settings import settings
from assay.tables import database
from assay.tables.database import now, writing
from assay.tables.runs import WorkerSeen
from testing.api import Appliance


def test_it_is_ok_when_database_queue_and_a_worker_respond(
    appliance: Appliance, configured: str
) -> None:
    with writing() as session:
        session.add(WorkerSeen(name="worker@a"))
        session.add(WorkerSeen(name="worker@old", seen_at=now() - timedelta(hours=1)))
    answer = appliance.anonymous.get("/health")
    assert answer.status_code == 200
    health = answer.json()
    assert health["status"] == "ok"
    assert health["database"] == {"ok": True, "kind": configured, "detail": None}
    assert health["queue"] == {"ok": True, "detail": None}
    assert [worker["name"] for worker in health["workers"]] == ["worker@a"]
    assert health["workers"][0]["seen_at"].endswith("Z")


def test_a_dead_worker_is_not_listed_after_the_clock_was_set_back(appliance: Appliance) -> None:
    with writing() as session:
        session.add(WorkerSeen(name="worker@dead", seen_at=now() + timedelta(hours=1)))
        session.add(WorkerSeen(name="worker@ahead", seen_at=now() + timedelta(seconds=1)))
    health = appliance.anonymous.get("/health").json()
    assert [worker["name"] for worker in health["workers"]] == ["worker@ahead"]


def test_it_is_degraded_without_a_worker(appliance: Appliance) -> None:
    assert appliance.anonymous.get("/health").json()["status"] == "degraded"


def test_an_unreachable_queue_is_reported(
    appliance: Appliance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_REDIS_URL", "unix:///nowhere/s")
    settings.cache_clear()
    health = appliance.anonymous.get("/health").json()
    assert health["status"] == "degraded"
    assert "/nowhere/s" in health["queue"]["detail"]


def test_an_unreachable_database_is_reported(
    appliance: Appliance, monkeypatch: pytest.MonkeyPatch
) -> None:
    database.engine().dispose()
    database.engine.cache_clear()
    monkeypatch.setenv("ASSAY_DATABASE_URL", "sqlite:////nowhere/assay.db")
    settings.cache_clear()
    health = appliance.anonymous.get("/health").json()
    assert health["status"] == "degraded"
    assert health["database"]["ok"] is False
    assert "unable to open" in health["database"]["detail"]

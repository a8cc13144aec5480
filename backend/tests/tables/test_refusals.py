"""Which errors mean that the database cannot store anything, and for how long they are reported."""

import psycopg
import pytest
from assay.tables.database import Refusals
from sqlalchemy.exc import DBAPIError


def test_a_write_failure_is_forgotten_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    refusals = Refusals()
    error = psycopg.errors.DiskFull("could not extend file")
    with pytest.raises(DBAPIError), refusals.watched():
        raise DBAPIError("INSERT", None, error)
    assert "could not extend file" in (refusals.lately() or "")
    monkeypatch.setattr("assay.tables.database.REMEMBERED_S", -1)
    assert refusals.lately() is None


def test_an_error_unrelated_to_storage_is_not_a_write_failure() -> None:
    refusals = Refusals()
    with pytest.raises(DBAPIError), refusals.watched():
        raise DBAPIError("INSERT", None, psycopg.errors.DeadlockDetected("deadlock"))
    assert refusals.lately() is None

"""Fixtures for tests of measured data: a writing engine on either database, a viewer's client."""

import pytest
from assay.api.app import create_app
from assay.api.tokens.queries import issue
from assay.tables import database as assay_database
from assay.tables.database import writing
from fastapi.testclient import TestClient
from sqlalchemy import Engine

from testing.api import SETTING_UP


@pytest.fixture
def database(configured: str) -> Engine:
    """The test's database, whose transactions write from their first statement."""
    return assay_database.engine().execution_options(writes=True)


@pytest.fixture
def api(database: Engine) -> TestClient:
    """A viewer's client; paths are relative to `/api/v1`."""
    with writing() as session:
        _, token = issue(session, SETTING_UP, "viewer", "viewer", None)
    return TestClient(
        create_app(),
        base_url="http://test/api/v1",
        headers={"Authorization": f"Bearer {token}"},
    )

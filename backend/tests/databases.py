"""A database of a test's own, and an API on it with a viewer's token."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from assay import database as database_module
from assay.accounts.models import ApiToken
from assay.accounts.secrets import fingerprint
from assay.app import create_app
from assay.models import Base
from assay.settings import settings
from fastapi.testclient import TestClient
from sqlalchemy import Engine
from sqlalchemy.orm import Session


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    """An empty database, which is also the one of `assay.database`; it writes at once."""
    monkeypatch.setenv("ASSAY_HOME", str(tmp_path))
    monkeypatch.setenv("ASSAY_DATABASE_URL", f"sqlite:///{tmp_path / 'assay.db'}")
    settings.cache_clear()
    database_module.engine.cache_clear()
    engine = database_module.engine()
    Base.metadata.create_all(engine)
    yield engine.execution_options(writes=True)
    engine.dispose()
    settings.cache_clear()
    database_module.engine.cache_clear()


@pytest.fixture
def api(database: Engine) -> TestClient:
    """A viewer's client."""
    with Session(database) as session, session.begin():
        token = ApiToken(
            name="test", token_hash=fingerprint("assay_test"), role="viewer", created_by="test"
        )
        session.add(token)
    return TestClient(
        create_app(),
        base_url="http://test/api/v1",
        headers={"Authorization": "Bearer assay_test"},
    )

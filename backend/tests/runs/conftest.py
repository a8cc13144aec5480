"""A run in a database of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from assay.database import make_engine
from assay.models import Base
from sqlalchemy import Engine


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Engine]:
    engine = make_engine(f"sqlite:///{tmp_path / 'assay.db'}").execution_options(writes=True)
    Base.metadata.create_all(engine)
    yield engine
    engine.dispose()

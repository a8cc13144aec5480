"""Fixtures of the command line's tests."""

import pytest
from assay.settings import settings


@pytest.fixture
def port(served: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """The port of a served appliance, at which the command line finds it."""
    monkeypatch.setenv("ASSAY_PORT", str(served))
    settings.cache_clear()
    return served

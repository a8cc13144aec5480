"""Fixtures of the command line's tests."""

import pytest
from assay.base.settings import settings
from testing.command_line import Shell


@pytest.fixture
def port(served: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """The port of a served appliance, at which the command line finds it."""
    monkeypatch.setenv("ASSAY_PORT", str(served))
    settings.cache_clear()
    return served


@pytest.fixture
def shell(port: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    """Runs `assay` on the served appliance."""
    assert port
    return Shell(monkeypatch, capsys)

"""The command `assay`, called in this process."""

import json
from typing import Any

import pytest
from assay import cli


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    """Return the exit code of `assay` with these arguments."""
    monkeypatch.setattr("sys.argv", ["assay", *arguments])
    monkeypatch.setenv("COLUMNS", "160")
    with pytest.raises(SystemExit) as ended:
        cli.main()
    return ended.value.code if isinstance(ended.value.code, int) else 0


class Shell:
    """Runs `assay`, checks its exit code, and returns what it printed, errors included."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self._monkeypatch, self._capsys = monkeypatch, capsys

    def __call__(self, *arguments: str, code: int = 0) -> str:
        exited = run(self._monkeypatch, *arguments)
        printed = self._capsys.readouterr()
        assert exited == code, printed
        return printed.out + printed.err

    def json(self, *arguments: str) -> Any:
        return json.loads(self(*arguments))

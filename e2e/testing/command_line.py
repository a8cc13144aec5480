"""The command `assay`, called in this process."""

import pytest
from assay import cli


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    """Return the exit code of `assay` with these arguments."""
    monkeypatch.setattr("sys.argv", ["assay", *arguments])
    monkeypatch.setenv("COLUMNS", "160")
    with pytest.raises(SystemExit) as ended:
        cli.main()
    return ended.value.code if isinstance(ended.value.code, int) else 0

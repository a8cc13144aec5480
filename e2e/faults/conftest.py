"""Scenes for faults: each is started for its first fault and used by all later ones."""

import contextlib
from collections.abc import Generator

import pytest
from faults import document
from faults.places import Scene, scene
from faults.table import FAULTS


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--write-reliability", action="store_true", help="write docs/reliability.md")


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Write the page on request, once every fault has been measured."""
    if not config.getoption("--write-reliability"):
        return
    passed = terminalreporter.getreports("passed")
    found = [
        value for report in passed for name, value in report.user_properties if name == "fault"
    ]
    measured = {name: (seen_s, continued_s) for seen_s, continued_s, name in found}
    if missing := [fault.name for fault in FAULTS if fault.name not in measured]:
        terminalreporter.write_line(f"{document.PAGE} is not written without {', '.join(missing)}")
    else:
        document.PAGE.write_text(document.text(measured))


class Scenes:
    """The running scenes; one in which a fault test failed is not used again."""

    def __init__(self, folders: pytest.TempPathFactory) -> None:
        """No scene is running yet."""
        self._folders = folders
        self._up: dict[str, tuple[Scene, contextlib.ExitStack]] = {}

    @contextlib.contextmanager
    def using(self, kind: str) -> Generator[Scene]:
        """Return the scene of a kind; start it if necessary."""
        if kind not in self._up:
            end = contextlib.ExitStack()
            self._up[kind] = end.enter_context(scene(self._folders.mktemp(kind), kind)), end
        try:
            yield self._up[kind][0]
        except BaseException:
            self._up.pop(kind)[1].close()
            raise

    def end(self) -> None:
        """Stop all scenes."""
        for _, end in self._up.values():
            end.close()


@pytest.fixture(scope="session")
def scenes(tmp_path_factory: pytest.TempPathFactory) -> Generator[Scenes]:
    """The scenes of this process."""
    made = Scenes(tmp_path_factory)
    yield made
    made.end()

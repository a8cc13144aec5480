"""Scenes for faults: each is started for its first fault and used by all later ones."""

import contextlib
from collections.abc import Generator

import pytest
from faults import document
from faults.places import Scene, scene
from faults.table import FAULTS, OF_TRANSFERS


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--write-reliability", action="store_true", help="write docs/reliability.md")
    parser.addoption("--times", action="store_true", help="fail if later than docs/reliability.md")


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Write the page on request; a row that was not injected keeps its figures on the page.

    A row that failed, or is new and was not injected, has no figures: the page stays as it is.
    """
    if not config.getoption("--write-reliability"):
        return
    passed = terminalreporter.getreports("passed")
    told = [pair for report in passed for pair in report.user_properties]
    found = [value for name, value in told if name == "fault"]
    pairs = [value for name, value in told if name == "fault of a transfer"]
    measured = document.published() | {name: (seen_s, on_s) for seen_s, on_s, name in found}
    moved = document.published_of_transfers() | {name: on_s for on_s, name in pairs}
    missing = [one.name for one in FAULTS if one.name not in measured]
    missing += [f"{one.name} (of a transfer)" for one in OF_TRANSFERS if one.name not in moved]
    missing += [report.nodeid for report in terminalreporter.getreports("failed")]
    if missing:
        terminalreporter.write_line(f"{document.PAGE} is not written without {', '.join(missing)}")
    else:
        document.PAGE.write_text(document.text(measured, moved))


class Scenes:
    """The running scenes; one in which a fault test failed is not used again."""

    def __init__(self, folders: pytest.TempPathFactory) -> None:
        """No scene is running yet."""
        self._folders = folders
        self._up: dict[str, tuple[Scene, contextlib.ExitStack]] = {}

    @contextlib.contextmanager
    def using(self, kind: str, made_as: type[Scene] = Scene) -> Generator[Scene]:
        """Return the scene of a kind; start it if necessary."""
        key = f"{kind} {made_as.kind}"
        if key not in self._up:
            end = contextlib.ExitStack()
            folder = self._folders.mktemp(kind)
            self._up[key] = end.enter_context(scene(folder, kind, made_as)), end
        try:
            yield self._up[key][0]
        except BaseException:
            self._up.pop(key)[1].close()
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

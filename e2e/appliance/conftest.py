"""Appliances for tests; see `testing.appliance`."""

import contextlib
import signal
from collections.abc import Callable, Generator, Sequence
from pathlib import Path

import pytest
from testing.appliance import UP, Appliance, processes_with


@contextlib.contextmanager
def appliances_in(folder: Path) -> Generator[Callable[..., Appliance]]:
    """Create appliances that are not started yet; stop those still running at the end."""
    made: list[Appliance] = []

    def make(
        command: Sequence[str] = UP,
        home: Path | None = None,
        **settings: str,
    ) -> Appliance:
        appliance = Appliance(home or folder / f"home-{len(made)}", command, settings)
        made.append(appliance)
        return appliance

    yield make
    for appliance in made:
        if appliance.process is not None and appliance.process.poll() is None:
            appliance.interrupt(signal.SIGTERM)
    for appliance in made:
        assert processes_with(f"ASSAY_HOME={appliance.home}") == {}, appliance.log


@pytest.fixture
def appliances(tmp_path: Path) -> Generator[Callable[..., Appliance]]:
    """Creates appliances of a test's own."""
    with appliances_in(tmp_path) as make:
        yield make


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Generator[Appliance]:
    """A running appliance for the tests of a module that leave it running and healthy."""
    with appliances_in(tmp_path_factory.mktemp("shared")) as make:
        made = make()
        made.start()
        yield made


@pytest.fixture
def appliance(appliances: Callable[..., Appliance]) -> Appliance:
    """A running appliance, with its administrator and without a first look."""
    made = appliances()
    made.start()
    return made

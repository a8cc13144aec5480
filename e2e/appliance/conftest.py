"""Appliances for tests; see `testing.appliance`."""

import signal
from collections.abc import Callable, Generator, Sequence
from pathlib import Path

import pytest
from testing.appliance import UP, Appliance, processes_with


@pytest.fixture
def appliances(tmp_path: Path) -> Generator[Callable[..., Appliance]]:
    """Creates appliances that are not started yet; those still running at the end are stopped."""
    made: list[Appliance] = []

    def make(
        command: Sequence[str] = UP,
        home: Path | None = None,
        **settings: str,
    ) -> Appliance:
        appliance = Appliance(home or tmp_path / f"home-{len(made)}", command, settings)
        made.append(appliance)
        return appliance

    yield make
    for appliance in made:
        if appliance.process is not None and appliance.process.poll() is None:
            appliance.interrupt(signal.SIGTERM)
    for appliance in made:
        assert processes_with(f"ASSAY_HOME={appliance.home}") == {}, appliance.log


@pytest.fixture
def appliance(appliances: Callable[..., Appliance]) -> Appliance:
    """A running appliance, with its administrator and without a first look."""
    made = appliances()
    made.start()
    return made

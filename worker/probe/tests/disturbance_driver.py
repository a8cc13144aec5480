"""Disturbances of a real probe: pauses, control groups, and the gaps that it reports."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from probe_driver import Probe, of

PAUSE_S = 1.5


def attempts(events: list[dict]) -> list[tuple[int, int, str]]:
    return [(r["trial"], r["attempt"], r["status"]) for r in of(events, "result")]


def pause(probe: Probe, seconds: float = PAUSE_S) -> None:
    """Stop the probe for a while, once the current attempt has another sample."""
    os.kill(probe.pid(), signal.SIGSTOP)
    time.sleep(seconds)
    os.kill(probe.pid(), signal.SIGCONT)


@contextmanager
def control_group(controller: str, name: str) -> Iterator[Path]:
    """A separate control group (version 1), removed with its processes at the end."""
    group = Path(f"/sys/fs/cgroup/{controller}") / f"assay-{name}-{os.getpid()}"
    try:
        group.mkdir()
    except OSError as error:
        pytest.skip(f"there is no {controller} hierarchy of control groups to write to: {error}")
    try:
        yield group
    finally:
        for pid in (group / "tasks").read_text().split():
            Path(f"/sys/fs/cgroup/{controller}/tasks").write_text(pid)
        group.rmdir()

"""The worker dies before or after the N-th of its transactions and remote calls, for every N.

As SQLite is tested: N rises until a whole run meets no death. After each death another worker
goes on, and the run ends as if nothing had been.
"""

import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from assay.database import writing
from assay.runs.models import Run
from assay_worker.connectors.local import LocalConnection
from assay_worker.driver.slice import drive
from driver.test_driving import assert_complete, assert_nothing_stays
from installation import Installation
from sqlalchemy import event
from sqlalchemy.orm import Session


class KilledError(BaseException):
    """Not an Exception: nothing handles it, as nothing handles SIGKILL."""


class Countdown:
    """Dies at the N-th step."""

    def __init__(self, steps: int) -> None:
        self.left = steps

    def __call__(self, *_: Any) -> None:
        self.left -= 1
        if self.left == 0:
            raise KilledError


@contextmanager
def death_at_transaction(step: Countdown, moment: str) -> Iterator[None]:
    event.listen(Session, moment, step)
    try:
        yield
    finally:
        event.remove(Session, moment, step)


@contextmanager
def death_at_remote_call(step: Countdown, moment: str) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for name in ("run", "stream"):
            patch.setattr(
                LocalConnection, name, dying(getattr(LocalConnection, name), step, moment)
            )
        yield


def dying(method: Callable[..., Any], step: Countdown, moment: str) -> Callable[..., Any]:
    async def call(*arguments: Any, **named: Any) -> Any:
        if moment == "before":
            step()
        answer = await method(*arguments, **named)
        if moment == "after":
            step()
        return answer

    return call


@pytest.mark.parametrize(
    ("kind", "moment"),
    [
        (death_at_transaction, "before_commit"),
        (death_at_transaction, "after_commit"),
        (death_at_remote_call, "before"),
        (death_at_remote_call, "after"),
    ],
    ids=["before a commit", "after a commit", "before a remote call", "after a remote call"],
)
def test_wherever_a_worker_dies_the_next_one_goes_on(
    installation: Installation, tmp_path: Path, kind: Any, moment: str
) -> None:
    scratch = tmp_path / "scratch"
    target = installation.target(installation.local_host(), scratch)
    for number in itertools.count(1):
        run_id = installation.launch(target, repeats=2, file_size=100_000)
        step = Countdown(number)
        with kind(step, moment), suppress(KilledError):
            drive(run_id)
        with writing() as session:
            session.get_one(Run, run_id).owned_until = None
        installation.drive_to_the_end(run_id)
        assert_complete(installation, run_id)
        assert len(installation.attempts(run_id)) == 2
        assert_nothing_stays(tmp_path, scratch)
        if step.left > 0:
            assert number > 5
            return

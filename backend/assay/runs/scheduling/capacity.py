"""Capacity: how many runs each live worker may drive, and which worker gets the next one.

A worker announces its capacity with each heartbeat. A run occupies a slot of its worker while it is
active and its host is reachable. A run that was admitted is always driven, even beyond a worker's
capacity: its probe is already measuring and would stop at the watch deadline.
"""

import random
from collections.abc import Mapping
from datetime import timedelta

from sqlalchemy import ColumnElement, delete, func, select
from sqlalchemy.orm import Session

from assay.runs.lifecycle import ACTIVE
from assay.tables.clock import moment
from assay.tables.runs import Run, WorkerSeen
from assay.tables.snapshot import transaction

SILENCE = timedelta(seconds=12)
"""A worker whose last heartbeat is older than this gets no runs; they are sent every 5 s."""


def queue_of(worker: str) -> str:
    """Return the name of the queue that only `worker` consumes."""
    return f"worker.{worker}"


def announce(
    session: Session, worker: str, capacity: int, load: float = 0.0, problem: str | None = None
) -> None:
    """Record a worker's heartbeat with the number of runs that it may drive."""
    heard = {"capacity": capacity, "load": load, "problem": problem, "seen_at": moment()}
    session.merge(WorkerSeen(name=worker, **heard, beat_xid=transaction()))


def withdraw(session: Session, worker: str) -> None:
    """Remove a worker that shuts down: it gets no more runs."""
    session.execute(delete(WorkerSeen).where(WorkerSeen.name == worker))


class Slots:
    """The free slots of the live workers; negative if a worker drives more than its capacity."""

    def __init__(self, free: Mapping[str, int]) -> None:
        """Take the free slots by worker."""
        self._free = dict(free)

    def __bool__(self) -> bool:
        """Return whether any worker is alive."""
        return bool(self._free)

    @property
    def total(self) -> int:
        """How many runs may be admitted."""
        return sum(max(0, free) for free in self._free.values())

    def take(self) -> str:
        """Assign a run to the worker with the most free slots; raises ValueError without any."""
        worker = max(self._free, key=self._free.__getitem__)
        self._free[worker] -= 1
        return worker

    def take_over(self, last: str | None, *, stays: bool = False) -> str:
        """Assign an active run without a driver; raises IndexError if no worker is alive.

        Its last worker is avoided because it may be dead or not receive wake-ups. The choice among
        the others with a free slot is random. A run that `stays` keeps its worker if it is alive.
        """
        if stays and last is not None and last in self._free:
            return last
        others = [worker for worker in self._free if worker != last] or list(self._free)
        worker = random.choice([one for one in others if self._free[one] > 0] or others)  # noqa: S311
        self._free[worker] -= 1
        return worker


def slots(session: Session) -> Slots:
    """Count the free slots of the live workers."""
    driven = (
        select(Run.worker, func.count().label("runs"))
        .where(Run.state.in_(ACTIVE), Run.unreachable_since.is_(None))
        .group_by(Run.worker)
        .subquery()
    )
    free = WorkerSeen.capacity - func.coalesce(driven.c.runs, 0)
    rows = session.execute(
        select(WorkerSeen.name, free)
        .outerjoin(driven, driven.c.worker == WorkerSeen.name)
        .where(_is_alive(), WorkerSeen.capacity > 0)
    )
    return Slots(dict(map(tuple[str, int], rows)))


def _is_alive() -> ColumnElement[bool]:
    """Return SQL for whether a worker sent a heartbeat recently.

    A heartbeat far in the future dates from before the database's clock was set back.
    """
    return WorkerSeen.seen_at.between(moment(-SILENCE), moment(SILENCE))

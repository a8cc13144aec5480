"""Admission: which queued runs start now, and what each of the others waits for. Pure.

A run needs all its resources at once, and a free slot of a worker. Runs are considered in order of
`Wish.turn`; a run whose resources are all free is admitted. Later runs may use the resources that a
waiting run cannot use yet. Once it has waited for `PATIENCE`, its resources are reserved for it. So
no run starves as long as runs end: the number of runs before it is finite and cannot grow.

Runs launched by a schedule are placed `COURTESY` later than those launched by people.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

PATIENCE = timedelta(minutes=10)
COURTESY = timedelta(hours=2)


class Wish(NamedTuple):
    """A queued run: what it needs, and since when."""

    run_id: int
    needs: frozenset[str]
    since: datetime
    scheduled: bool = False

    @property
    def turn(self) -> tuple[datetime, int]:
        """Its sort key among all wishes."""
        return self.since + (COURTESY if self.scheduled else timedelta(0)), self.run_id


class Obstacle(NamedTuple):
    """What a run waits for: a resource, the run ahead of it, and whether that run holds it."""

    resource: str
    run_id: int
    held: bool


@dataclass(frozen=True)
class Admission:
    """The admitted runs in order, and why each other run waits."""

    admitted: list[int]
    obstacles: dict[int, Obstacle]
    without_worker: set[int]
    """Runs whose resources are free, but for which no worker has a slot."""


def admit(
    wishes: Iterable[Wish], held: Mapping[str, int], present: datetime, slots: int
) -> Admission:
    """Decide about all queued runs; at most `slots` of them are admitted.

    `held` gives the run that holds each reserved resource.
    """
    taken, promised = dict(held), dict[str, int]()
    met = dict[frozenset[str], Obstacle]()  # what stops a run stops later ones with the same needs
    found = Admission([], {}, set())
    for wish in sorted(wishes, key=lambda wish: wish.turn):
        if (obstacle := met.get(wish.needs)) is not None:
            found.obstacles[wish.run_id] = obstacle
        elif (obstacle := _obstacle(wish.needs, taken, promised)) is not None:
            found.obstacles[wish.run_id] = met[wish.needs] = obstacle
            if present - wish.turn[0] >= PATIENCE:
                for resource in wish.needs:
                    promised.setdefault(resource, wish.run_id)
        elif len(found.admitted) == slots:
            found.without_worker.add(wish.run_id)
        else:
            found.admitted.append(wish.run_id)
            taken.update(dict.fromkeys(wish.needs, wish.run_id))
    return found


def _obstacle(
    needs: frozenset[str], taken: Mapping[str, int], promised: Mapping[str, int]
) -> Obstacle | None:
    """Return a resource that another run holds, else one reserved for an earlier run.

    If there are several, it is the most familiar one.
    """
    for by, held in ((taken, True), (promised, False)):
        if met := [resource for resource in needs if resource in by]:
            resource = min(met, key=familiarity)
            return Obstacle(resource, by[resource], held)
    return None


def familiarity(resource: str) -> tuple[bool, bool, str]:
    """Return the sort key of a resource: hosts and arrays first, then machines, then devices."""
    return resource.startswith("device:"), resource.startswith("machine:"), resource

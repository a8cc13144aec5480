"""Admission: which of the waiting runs begin now, and what stands in the way of each other. Pure.

A run needs all its resources at once, and a free slot of a worker. Runs are asked in the order of
their turns; one whose resources are all free begins. While a run waits, later ones may use what it
could not use anyway; but once it has waited for `PATIENCE` after its turn, nothing that it needs is
given to a later one. So no run starves as long as runs end: those before it are finitely many, and
none can join them.

A run that a schedule launched lets those of people go first: its turn comes `COURTESY` later.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

PATIENCE = timedelta(minutes=10)
COURTESY = timedelta(hours=2)


class Wish(NamedTuple):
    """A waiting run: what it needs, and since when."""

    run_id: int
    needs: frozenset[str]
    since: datetime
    scheduled: bool = False

    @property
    def turn(self) -> tuple[datetime, int]:
        """Its place among all wishes."""
        return self.since + (COURTESY if self.scheduled else timedelta(0)), self.run_id


class Obstacle(NamedTuple):
    """What a run waits for: a resource, the run before it, and whether that one has it already."""

    resource: str
    run_id: int
    held: bool


@dataclass(frozen=True)
class Admission:
    """The runs that begin now, in order, and why each other one does not."""

    admitted: list[int]
    obstacles: dict[int, Obstacle]
    without_worker: set[int]
    """Runs whose resources are free, but for which no worker has a slot."""


def admit(
    wishes: Iterable[Wish], held: Mapping[str, int], present: datetime, slots: int
) -> Admission:
    """Decide about all queued runs: `slots` of them may begin at most.

    `held` names the run that has each taken resource.
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
    """The first resource that another run has, else the first that an older one waits for.

    Of several, the one that people know best is named.
    """
    for by, held in ((taken, True), (promised, False)):
        if met := [resource for resource in needs if resource in by]:
            resource = min(met, key=familiarity)
            return Obstacle(resource, by[resource], held)
    return None


def familiarity(resource: str) -> tuple[bool, bool, str]:
    """Hosts and arrays, which have names, before machines, and devices last."""
    return resource.startswith("device:"), resource.startswith("machine:"), resource

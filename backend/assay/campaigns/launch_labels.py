"""The labels and external references of the places of a launch, stored with its runs."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import insert, select
from sqlalchemy.orm import Session

from assay.arrays.models import Array
from assay.hosts.models import Host
from assay.labels.models import ArrayLabel, HostLabel, RunLabel, TargetLabel
from assay.labels.queries import labels_of
from assay.targets.models import Target

Spot = tuple[int, int | None]
"""The ids of a host and of a target, or None in the memory of the host."""


@dataclass(frozen=True)
class PlaceLabels:
    """The labels and references of a place that has any, by `host`, `target` and `array`."""

    labels: dict[str, Any]
    references: dict[str, Any]

    @property
    def pairs(self) -> set[tuple[str, str]]:
        """All labels of the place, as keys and values."""
        return {pair for labels in self.labels.values() for pair in labels.items()}


def current(session: Session, spots: Iterable[Spot]) -> dict[Spot, PlaceLabels]:
    """Return the current labels and references of places."""
    wanted = set(spots)
    host_ids = {host_id for host_id, _ in wanted}
    target_ids = {target_id for _, target_id in wanted if target_id is not None}
    hosts = select(Host.id, Host.reference).where(Host.id.in_(host_ids))
    references: dict[int, str | None] = dict(map(tuple[int, Any], session.execute(hosts)))
    targets = {
        row.id: row
        for row in session.execute(
            select(Target.id, Target.reference, Target.array_id, Array.reference.label("of_array"))
            .outerjoin(Array, Array.id == Target.array_id)
            .where(Target.id.in_(target_ids))
        )
    }
    arrays = {row.array_id for row in targets.values() if row.array_id is not None}
    of_hosts = labels_of(session, HostLabel, host_ids)
    of_targets = labels_of(session, TargetLabel, target_ids)
    of_arrays = labels_of(session, ArrayLabel, arrays)
    found: dict[Spot, PlaceLabels] = {}
    for host_id, target_id in wanted:
        labels: dict[str, Any] = {"host": of_hosts[host_id]}
        named = {"host": references[host_id]}
        if target_id is not None:
            target = targets[target_id]
            labels |= {"target": of_targets[target_id], "array": of_arrays[target.array_id or 0]}
            named |= {"target": target.reference, "array": target.of_array}
        found[host_id, target_id] = PlaceLabels(_present(labels), _present(named))
    return found


def _present(of: dict[str, Any]) -> dict[str, Any]:
    return {subject: value for subject, value in of.items() if value}


def store(session: Session, run_id: int, of_run: Sequence[PlaceLabels]) -> None:
    """Store each label of a run's places, by which lists find the run."""
    pairs = {pair for one in of_run for pair in one.pairs}
    if pairs:
        rows = [{"owner_id": run_id, "key": key, "value": value} for key, value in sorted(pairs)]
        session.execute(insert(RunLabel), rows)

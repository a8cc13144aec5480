"""A plan that names profile, targets and hosts: the same plan with their ids.

The labels and external references of the places are stored with the runs of a launch.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sqlalchemy import insert, select
from sqlalchemy.orm import Session

from assay.base.errors import Invalid
from assay.base.field_errors import FieldError
from assay.base.names import Known
from assay.inventory.hosts import queries as hosts
from assay.inventory.labels import labels_of
from assay.inventory.targets import queries as targets
from assay.runs.campaigns.schemas import CampaignPlan, TransferEnd
from assay.runs.profiles import queries as profiles
from assay.tables.arrays import Array
from assay.tables.hosts import Host
from assay.tables.labels import ArrayLabel, HostLabel, RunLabel, TargetLabel
from assay.tables.targets import Target

Names = Callable[[Session], Known]


@dataclass(frozen=True)
class NamedPlan:
    """A plan with ids only, and the fields and names from which they came, by field of the id."""

    plan: CampaignPlan
    given: dict[str, tuple[str, str]]

    def as_given(self, error: FieldError) -> FieldError:
        """Return an error with the field and the name that the client gave."""
        name, value = self.given.get(error.field, (error.field, error.value))
        return replace(error, field=name, value=value)


def with_ids(session: Session, plan: CampaignPlan) -> NamedPlan:
    """Return a plan with the ids of what it names; raises Invalid for all unknown names."""
    found = _Lookup(session)
    changes: dict[str, object] = {
        "sources": [found.end(f"sources.{n}", one) for n, one in enumerate(plan.sources)],
        "sinks": [found.end(f"sinks.{n}", one) for n, one in enumerate(plan.sinks)],
    }
    if plan.profile is not None:
        changes["profile_id"] = found.id(profiles.names, "profile", "profile_id", plan.profile)
    if plan.targets:
        changes["target_ids"] = [
            found.id(targets.names, f"targets.{n}", f"target_ids.{n}", name)
            for n, name in enumerate(plan.targets)
        ]
    if plan.read_back_target is not None:
        changes["read_back_target_id"] = found.id(
            targets.names, "read_back_target", "read_back_target_id", plan.read_back_target
        )
    if found.problems:
        raise Invalid(found.problems)
    names = dict.fromkeys(("profile", "targets", "read_back_target"))
    return NamedPlan(plan.model_copy(update={**changes, **names}), found.given)


@dataclass
class _Lookup:
    """Finds ids by name; each noun's names are read once."""

    session: Session
    problems: list[FieldError] = field(default_factory=list[FieldError])
    given: dict[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    _known: dict[Names, Known] = field(default_factory=dict[Names, Known])

    def id(self, names: Names, name_field: str, id_field: str, wanted: str) -> int:
        """Return the id of an object, or 0 after noting that there is none."""
        if names not in self._known:
            self._known[names] = names(self.session)
        self.given[id_field] = name_field, wanted
        try:
            return self._known[names].find(name_field, wanted)
        except Invalid as error:
            self.problems += error.errors
            return 0

    def end(self, where: str, end: TransferEnd) -> TransferEnd:
        """Return an end of a transfer with its id."""
        for noun, names in (("target", targets.names), ("host", hosts.names)):
            if wanted := getattr(end, noun):
                number = self.id(names, f"{where}.{noun}", f"{where}.{noun}_id", wanted)
                return TransferEnd.model_validate({f"{noun}_id": number}) if number else end
        return end


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


def current_labels(session: Session, spots: Iterable[Spot]) -> dict[Spot, PlaceLabels]:
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


def store_labels(session: Session, run_id: int, of_run: Sequence[PlaceLabels]) -> None:
    """Store each label of a run's places, by which lists find the run."""
    pairs = {pair for one in of_run for pair in one.pairs}
    if pairs:
        rows = [{"owner_id": run_id, "key": key, "value": value} for key, value in sorted(pairs)]
        session.execute(insert(RunLabel), rows)

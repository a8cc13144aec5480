"""A plan that names profile, targets and hosts: the same plan with their ids."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from sqlalchemy.orm import Session

from assay.campaigns.schemas import CampaignPlan, TransferEnd
from assay.hosts import queries as hosts
from assay.http.errors import Invalid
from assay.http.field_errors import FieldError
from assay.http.names import Known
from assay.profiles import queries as profiles
from assay.targets import queries as targets

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

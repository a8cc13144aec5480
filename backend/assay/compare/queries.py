"""Queries for comparisons."""

from collections.abc import Collection, Mapping, Sequence, Set
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from assay.analysis.edition import EDITION
from assay.campaigns.models import Campaign
from assay.compare.schemas import ComparedRun, Comparison, ConditionDifference
from assay.db.database import among
from assay.http.errors import Problem
from assay.kinds.kind import Kind
from assay.kinds.registry import KINDS
from assay.runs import queries
from assay.runs.conditions import labels
from assay.runs.stored_results import result


class MixedRules(Problem):
    """The runs were evaluated by different versions of the rules."""

    status, code, title = 409, "mixed_rules", "The runs were evaluated by different rules"

    def __init__(self, editions: Mapping[int, str]) -> None:
        """Name the version of each run, and how to evaluate them by the same version."""
        named = ", ".join(f"run {run_id} by version {rules}" for run_id, rules in editions.items())
        older = [str(run_id) for run_id, rules in editions.items() if rules != EDITION]
        commands = " and ".join(f"`assay rebuild {run_id}`" for run_id in older)
        super().__init__(
            f"The results follow different versions of the rules: {named}.",
            f"Run {commands} on the installation to judge by the present version.",
        )


def compare(session: Session, run_ids: Sequence[int]) -> Comparison:
    """Return the runs in the given order; raises NotFound."""
    found = [queries.one(session, run_id) for run_id in run_ids]
    names = campaign_names(session, {run.campaign_id for run in found})
    runs = [
        ComparedRun(
            **dict(run),
            campaign_name=names[run.campaign_id],
            result=result(session, queries.find(session, run.id)),
        )
        for run in found
    ]
    editions = {run.id: run.result.edition for run in runs}
    if len(set(editions.values())) > 1:
        raise MixedRules(editions)
    kinds = {run.kind for run in runs}
    comparing = comparing_kind(kinds)
    results = [run.result for run in runs]
    pairs = [] if comparing is None or comparing.compares_all else results[2:]
    return Comparison(
        runs=runs,
        differences=_differences(runs, kinds),
        outcome=comparing.compare(results) if comparing else None,
        others=[comparing.compare([results[0], one]) for one in pairs] if comparing else [],
    )


def campaign_names(session: Session, ids: Collection[int]) -> dict[int, str]:
    """Return the names of these campaigns by id."""
    named = select(Campaign.id, Campaign.name).where(among(session, Campaign.id, ids))
    return {row.id: row.name for row in session.execute(named)}


def comparing_kind(kinds: Set[str]) -> Kind | None:
    """Return the kind that compares results of these kinds; None if they have nothing in common."""
    if len(kinds) == 1:
        return KINDS[next(iter(kinds))]
    return next((KINDS[one] for one in sorted(kinds) if KINDS[one].compares >= kinds), None)


def _differences(runs: Sequence[ComparedRun], kinds: Set[str]) -> list[ConditionDifference]:
    """Return the conditions that differ; of parameters, those that all of the kinds have."""
    found: list[ConditionDifference] = []
    own = {name for kind in kinds for name in KINDS[kind].labels}
    for name, label in labels(kinds).items():
        if name in own and not all(name in KINDS[kind].labels for kind in kinds):
            continue
        values = [_condition(run, name) for run in runs]
        if any(value != values[0] for value in values[1:]):
            found.append(ConditionDifference(what=label, name=name, values=values))
    return found


def _condition(run: ComparedRun, name: str) -> Any:
    """Return a condition of a run; null if it is a parameter that the run does not use."""
    if name in KINDS[run.kind].unused(run.parameters.model_dump()):
        return None
    return run.conditions.get(name)

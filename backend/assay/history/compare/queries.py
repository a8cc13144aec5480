"""Queries for comparisons, and runs to compare with: those that match, and suggested ones."""

from collections.abc import Collection, Mapping, Sequence, Set
from typing import Any

from sqlalchemy import ColumnElement, Select, exists, func, or_, select
from sqlalchemy.orm import Session

from assay.analysis.edition import EDITION
from assay.base.errors import Problem
from assay.base.filters import has_word
from assay.history.compare.schemas import (
    ComparedRun,
    Comparison,
    ConditionDifference,
    Suggestions,
)
from assay.kinds.registry import KINDS, comparing_kind
from assay.runs import queries
from assay.runs.conditions import labels
from assay.runs.lifecycle import DONE
from assay.runs.participants import seats
from assay.runs.stored_results import result
from assay.tables.campaigns import Campaign
from assay.tables.database import among
from assay.tables.hosts import Host
from assay.tables.profiles import Profile
from assay.tables.runs import Participant, Run
from assay.tables.targets import Target


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
    runs = [
        ComparedRun(**dict(run), result=result(session, queries.find(session, run.id)))
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


MOST_WORDS = 8
MOST_ELSEWHERE = 11
"""With the run itself, as many as a comparison takes."""

_LOOKED_AT = 200


def matching(session: Session, text: str, beside: Collection[int]) -> Select[Run]:
    """Return the measured runs in whose campaign, test, host or path every word of `text` occurs.

    Those of `beside` are left out, and runs of kinds that do not compare with theirs.
    """
    found = select(Run).where(Run.trials_done > 0, queries.shown())
    if beside:
        kinds = set(session.scalars(select(Run.kind).where(among(session, Run.id, beside))))
        comparable = [name for name in KINDS if comparing_kind({*kinds, name})]
        found = found.where(Run.kind.in_(comparable), ~among(session, Run.id, beside))
    for word in text.split()[:MOST_WORDS]:
        found = found.where(_has(word))
    return found


def _has(word: str) -> ColumnElement[bool]:
    """Return SQL for whether a word occurs in what a person knows of a run."""
    of_run = Participant.run_id == Run.id
    return or_(
        has_word(Run.title, word),
        queries.annotated(word),
        exists().where(Campaign.id == Run.campaign_id, has_word(Campaign.name, word)),
        exists().where(of_run, Host.id == Participant.host_id, has_word(Host.name, word)),
        exists().where(of_run, Target.id == Participant.target_id, has_word(Target.path, word)),
    )


def suggestions(session: Session, run_id: int) -> Suggestions:
    """Return what a run is most often compared with; raises NotFound."""
    run = queries.find(session, run_id)
    previous = _previous(session, run)
    chosen = [*([previous] if previous else []), *_elsewhere(session, run)]
    shown = queries.summaries(session, chosen)
    first = 1 if previous else 0
    return Suggestions(previous=shown[0] if previous else None, elsewhere=shown[first:])


def _previous(session: Session, run: Run) -> Run | None:
    """Return the newest earlier run of the kind with the same seats, of the same test if any."""
    own = seats(session, [run.id])[run.id]
    role, host_id, target_id = own[0]
    there = select(Participant.run_id).where(
        Participant.role == role,
        Participant.host_id == host_id,
        Participant.target_id == target_id
        if target_id is not None
        else Participant.target_id.is_(None),
    )
    earlier = (
        select(Run)
        .where(Run.id < run.id, Run.kind == run.kind, Run.state == DONE, Run.id.in_(there))
        .where(queries.shown())
        .order_by(Run.id.desc())
        .limit(_LOOKED_AT)
    )
    for wanted in (earlier.where(Run.title == run.title), earlier):
        found = session.scalars(wanted).all()
        seated = seats(session, [one.id for one in found])
        if previous := next((one for one in found if seated[one.id] == own), None):
            return previous
    return None


def _elsewhere(session: Session, run: Run) -> list[Run]:
    """Return the newest runs of the same test of the same profile on each other host or hosts."""
    slug = (
        select(Profile.slug)
        .join(Campaign, Campaign.profile_id == Profile.id)
        .where(Campaign.id == run.campaign_id)
        .scalar_subquery()
    )
    host = Participant.host_id
    # few sets of hosts have the same key: then only the newest run of them is found
    key = (func.min(host), func.max(host), func.count(host.distinct()), func.sum(host.distinct()))
    same = (
        select(Run.id, *(column.label(f"key_{n}") for n, column in enumerate(key)))
        .join(Campaign, Campaign.id == Run.campaign_id)
        .join(Profile, Profile.id == Campaign.profile_id)
        .join(Participant, Participant.run_id == Run.id)
        .where(
            Profile.slug == slug,
            Run.kind == run.kind,
            Run.title == run.title,
            Run.state == DONE,
            Run.id != run.id,
            queries.shown(),
        )
        .group_by(Run.id)
        .subquery()
    )
    newest = func.max(same.c.id)
    ids = session.scalars(
        select(newest)
        .group_by(*(same.c[f"key_{n}"] for n in range(len(key))))
        .order_by(newest.desc())
        .limit(MOST_ELSEWHERE + 1)  # one of them may be at the hosts of the run
    ).all()
    seated = seats(session, [run.id, *ids])
    at = {one: frozenset(host_id for _, host_id, _ in those) for one, those in seated.items()}
    chosen = [one for one in ids if at[one] != at[run.id]][:MOST_ELSEWHERE]
    found = select(Run).where(among(session, Run.id, chosen)).order_by(Run.id.desc())
    return list(session.scalars(found)) if chosen else []

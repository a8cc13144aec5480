"""Runs to compare with: those that match a search, and those that suggest themselves."""

from collections.abc import Collection, Sequence

from sqlalchemy import ColumnElement, Select, exists, func, or_, select
from sqlalchemy.orm import Session

from assay.campaigns.models import Campaign
from assay.compare.queries import campaign_names, comparing_kind
from assay.compare.schemas import Candidate, Suggestions
from assay.db.database import among
from assay.hosts.models import Host
from assay.http.filters import has_word
from assay.kinds.registry import KINDS
from assay.profiles.models import Profile
from assay.runs import queries
from assay.runs.lifecycle import DONE
from assay.runs.models import Participant, Run
from assay.runs.participants import seats
from assay.targets.models import Target

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
        exists().where(Campaign.id == Run.campaign_id, has_word(Campaign.name, word)),
        exists().where(of_run, Host.id == Participant.host_id, has_word(Host.name, word)),
        exists().where(of_run, Target.id == Participant.target_id, has_word(Target.path, word)),
    )


def shapes(session: Session, runs: Sequence[Run]) -> list[Candidate]:
    """Return runs as API types, in the given order."""
    names = campaign_names(session, {run.campaign_id for run in runs})
    return [
        Candidate(**dict(one), campaign_name=names[one.campaign_id])
        for one in queries.summaries(session, runs)
    ]


def suggestions(session: Session, run_id: int) -> Suggestions:
    """Return what a run is most often compared with; raises NotFound."""
    run = queries.find(session, run_id)
    previous = _previous(session, run)
    chosen = [*([previous] if previous else []), *_elsewhere(session, run)]
    shown = shapes(session, chosen)
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

"""Queries of the search: one statement for each type of object.

A statement matches with LIKE, which both databases have; no index serves that. The tables of names
are small, and runs refer to them: a run matches a word by the ids of what the word names.
"""

from collections.abc import Callable, Sequence

from sqlalchemy import ColumnElement, Select, and_, case, false, func, literal, or_, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from assay.base.field_types import LARGEST_INTEGER
from assay.base.filters import Column, Mention, has_word
from assay.history.search.schemas import Found, SearchGroup, SearchHit
from assay.inventory.hosts import lifecycle
from assay.inventory.labels import ON_ARRAY, ON_CAMPAIGN, ON_HOST, ON_TARGET
from assay.runs.profiles.queries import newest
from assay.runs.queries import annotated
from assay.tables.arrays import Array
from assay.tables.campaigns import Campaign
from assay.tables.hosts import Host
from assay.tables.profiles import Profile
from assay.tables.runs import Participant, Run
from assay.tables.schedules import Schedule
from assay.tables.targets import Target

Statement = Select[int, str, str]


def search(session: Session, words: Sequence[str], limit: int) -> list[SearchGroup]:
    """Return at most `limit` objects of each type that match all words; none without words."""
    if not words:
        return []
    groups = (
        _group(session, found, statement(words), limit) for found, statement in _STATEMENTS.items()
    )
    return [group for group in groups if group.hits]


def _group(session: Session, found: Found, statement: Statement, limit: int) -> SearchGroup:
    rows = session.execute(statement.limit(limit + 1)).all()
    hits = [SearchHit(id=id_, name=name, detail=detail) for id_, name, detail in rows[:limit]]
    return SearchGroup(type=found, hits=hits, more=len(rows) > limit)


def _hosts(words: Sequence[str]) -> Statement:
    address = func.coalesce(Host.address, "this machine")
    found = select(Host.id, Host.name, address).where(Host.state != lifecycle.DELETING)
    return _matching(found, Host.id, Host.name, words, Host.name, address, elsewhere=ON_HOST)


def _arrays(words: Sequence[str]) -> Statement:
    described = _joined(Array.vendor, Array.model, Array.serial)
    found = select(Array.id, Array.name, described)
    searched = (Array.name, described)
    return _matching(found, Array.id, Array.name, words, *searched, elsewhere=ON_ARRAY)


def _targets(words: Sequence[str]) -> Statement:
    place = Host.name + ":" + Target.path
    found = (
        select(Target.id, Target.name, place)
        .join(Host, Host.id == Target.host_id)
        .where(Target.retired_at.is_(None))
    )
    searched = (Target.name, place)
    return _matching(found, Target.id, Target.name, words, *searched, elsewhere=ON_TARGET)


def _profiles(words: Sequence[str]) -> Statement:
    found = newest().with_only_columns(Profile.id, Profile.name, Profile.description)
    searched = (Profile.name, Profile.description, Profile.slug)
    return _matching(found, Profile.id, Profile.name, words, *searched)


def _campaigns(words: Sequence[str]) -> Statement:
    found = (
        select(Campaign.id, Campaign.name, Profile.name)
        .join(Profile, Profile.id == Campaign.profile_id)
        .where(Campaign.deleted_at.is_(None))
    )
    searched = (Campaign.name, Profile.name)
    return _matching(found, Campaign.id, Campaign.name, words, *searched, elsewhere=ON_CAMPAIGN)


def _runs(words: Sequence[str]) -> Statement:
    found = (
        select(Run.id, Run.title, Campaign.name)
        .join(Campaign, Campaign.id == Run.campaign_id)
        .where(Campaign.deleted_at.is_(None))
    )
    searched = (Run.title, Run.kind, Campaign.name)
    return _matching(found, Run.id, Run.title, words, *searched, elsewhere=_beside_a_run)


def _schedules(words: Sequence[str]) -> Statement:
    found = select(Schedule.id, Schedule.name, Schedule.cron + " " + Schedule.zone)
    return _matching(found, Schedule.id, Schedule.name, words, Schedule.name)


def _beside_a_run(word: str) -> ColumnElement[bool]:
    """Return SQL for whether `word` annotates a run, or names where it has a participant."""
    hosts = select(Host.id).where(or_(has_word(Host.name, word), has_word(Host.address, word)))
    targets = select(Target.id).where(or_(has_word(Target.name, word), has_word(Target.path, word)))
    at = or_(
        Participant.host_id.in_(hosts),
        Participant.target_id.in_(targets),
        has_word(Participant.array_name, word),
    )
    return or_(annotated(word), Run.id.in_(select(Participant.run_id).where(at)))


_STATEMENTS: dict[Found, Callable[[Sequence[str]], Statement]] = {
    "host": _hosts,
    "array": _arrays,
    "target": _targets,
    "profile": _profiles,
    "campaign": _campaigns,
    "run": _runs,
    "schedule": _schedules,
}


def _matching(
    found: Statement,
    identity: InstrumentedAttribute[int],
    name: InstrumentedAttribute[str],
    words: Sequence[str],
    *columns: Column,
    elsewhere: Mention | None = None,
) -> Statement:
    """Return the rows that match all words, in their order.

    A word matches a row by one of `columns`, by its id or by `elsewhere`.
    """
    matches = (
        or_(
            *(has_word(column, word) for column in columns),
            _has_id(identity, word),
            elsewhere(word) if elsewhere else false(),
        )
        for word in words
    )
    by_id = case((_has_id(identity, words[0]), 0), else_=1)
    begins = case((name.istartswith(words[0], autoescape=True), 0), else_=1)
    return found.where(and_(*matches)).order_by(by_id, begins, identity.desc())


def _has_id(identity: InstrumentedAttribute[int], word: str) -> ColumnElement[bool]:
    digits = word.removeprefix("#")
    known = digits.isascii() and digits.isdigit() and int(digits) <= LARGEST_INTEGER
    return identity == int(digits) if known else false()


def _joined(*columns: InstrumentedAttribute[str | None]) -> ColumnElement[str]:
    """Return SQL for the texts that are not null, with spaces between them."""
    parts = (func.coalesce(column + " ", "") for column in columns)
    joined: ColumnElement[str] = literal("")
    for part in parts:
        joined += part
    return func.trim(joined)

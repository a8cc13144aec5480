"""Queries for the history of an array."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session, joinedload, undefer

from assay.history.schemas import ArrayHistory, HistoryChange, HistoryPoint, MeasuredTest
from assay.runs import conditions
from assay.runs.lifecycle import DONE
from assay.runs.participants import of_runs
from assay.runs.places import places
from assay.runs.queries import shown
from assay.runs.stored_results import outcomes
from assay.runs.verdicts import queries as verdicts
from assay.tables.campaigns import Campaign
from assay.tables.hosts import Inventory
from assay.tables.profiles import Profile
from assay.tables.runs import Participant, Run

MOST_TESTS = 200

_IDENTITIES = frozenset({"host", "path"})
"""Conditions that name the place, so that they do not change at one."""

Conditions = Mapping[str, Any]


def history(
    session: Session, array_id: int, chosen: Sequence[ColumnElement[bool]], limit: int
) -> ArrayHistory:
    """Return the most measured test that matches `chosen`, and its newest `limit` runs."""
    measured = [
        Run.id.in_(select(Participant.run_id).where(Participant.array_id == array_id)),
        Run.state == DONE,
        shown(),
    ]
    tests = _tests(session, measured)
    test = next(iter(_tests(session, [*measured, *chosen]) if chosen else tests), None)
    if test is None:
        return ArrayHistory(tests=tests, test=None, runs=0, points=[], changes=[])
    newest = (
        select(Run)
        .join(Campaign, Campaign.id == Run.campaign_id)
        .join(Profile, Profile.id == Campaign.profile_id)
        .options(joinedload(Run.campaign))
        .where(
            *measured,
            Profile.slug == test.profile,
            Run.kind == test.kind,
            Run.title == test.title,
        )
        .order_by(Run.started_at.desc(), Run.id.desc())
        .limit(limit)
    )
    runs = session.scalars(newest).all()[::-1]
    participants = of_runs(session, [run.id for run in runs])
    return ArrayHistory(
        tests=tests,
        test=test,
        runs=test.runs,
        points=_points(session, runs, participants),
        changes=_changes(session, runs, participants),
    )


def _tests(session: Session, where: Sequence[ColumnElement[bool]]) -> list[MeasuredTest]:
    """Return the tests of runs, the most measured first; of the profile's names the newest."""
    rows = session.execute(
        select(
            Profile.slug, func.max(Profile.id), Run.kind, Run.title, func.count().label("number")
        )
        .join(Campaign, Campaign.id == Run.campaign_id)
        .join(Profile, Profile.id == Campaign.profile_id)
        .where(*where)
        .group_by(Profile.slug, Run.kind, Run.title)
        .order_by(func.count().desc(), func.max(Run.id).desc())
        .limit(MOST_TESTS)
    ).all()
    named = select(Profile.id, Profile.name).where(Profile.id.in_([row[1] for row in rows]))
    names = dict(map(tuple[int, str], session.execute(named)))
    return [
        MeasuredTest(profile=slug, profile_name=names[newest], kind=kind, title=title, runs=runs)
        for slug, newest, kind, title, runs in rows
    ]


def _points(
    session: Session, runs: Sequence[Run], participants: Mapping[int, Sequence[Participant]]
) -> list[HistoryPoint]:
    answers, judged = outcomes(session, runs), verdicts.summaries(session, runs)
    found: list[HistoryPoint] = []
    for run in runs:
        answer = answers[run.id]
        if answer.best_bytes_per_s is None:
            continue
        verdict = judged.get(run.id)
        found.append(
            HistoryPoint(
                run_id=run.id,
                campaign_id=run.campaign_id,
                campaign_name=run.campaign.name,
                at=run.started_at or run.created_at,
                places=places(participants[run.id]),
                bytes_per_s=answer.best_bytes_per_s,
                levels=answer.headline_levels,
                verdict=verdict and verdict.outcome,
            )
        )
    return found


def _changes(
    session: Session, runs: Sequence[Run], participants: Mapping[int, Sequence[Participant]]
) -> list[HistoryChange]:
    """Return what changed between consecutive runs at the same places, oldest first.

    The same change at several places is one, unless a place changes so again.
    """
    of_each = _conditions(session, runs, participants)
    at_place: defaultdict[tuple[str, ...], list[Run]] = defaultdict(list)
    for run in runs:
        at_place[tuple(places(participants[run.id]))].append(run)
    pairs = [
        (place, before, after)
        for place, those in at_place.items()
        for before, after in pairwise(those)
    ]
    labels = conditions.labels({run.kind for run in runs})
    found: list[HistoryChange] = []
    for place, before, after in sorted(pairs, key=lambda pair: runs.index(pair[2])):
        was, now = of_each[before.id], of_each[after.id]
        for name, label in labels.items():
            # what is unknown did not change
            if name in _IDENTITIES or None in (was.get(name), now.get(name)):
                continue
            if was[name] != now[name]:
                _add(found, place, after, (name, label, was[name], now[name]))
    return found


def _add(
    found: list[HistoryChange],
    place: tuple[str, ...],
    run: Run,
    change: tuple[str, str, Any, Any],
) -> None:
    name, label, before, after = change
    for one in found:
        same = (one.name, one.before, one.after) == (name, before, after)
        if same and not set(place) & set(one.places):
            one.places.extend(place)
            return
    at = run.started_at or run.created_at
    found.append(
        HistoryChange(
            run_id=run.id,
            at=at,
            places=list(place),
            name=name,
            what=label,
            before=before,
            after=after,
        )
    )


def _conditions(
    session: Session, runs: Sequence[Run], participants: Mapping[int, Sequence[Participant]]
) -> dict[int, Conditions]:
    """Return the conditions of each run, from its participants and their inventories."""
    of_run = [one for run in runs for one in participants[run.id]]
    ids = {one.inventory_id for one in of_run if one.inventory_id is not None}
    inventories = {
        one.id: one.body | {"probe": one.probe}
        for one in session.scalars(select(Inventory).where(Inventory.id.in_(ids)))
    }
    session.scalars(  # what lists defer, in one statement
        select(Participant)
        .options(undefer(Participant.array_identity))
        .where(Participant.id.in_([one.id for one in of_run]))
    ).all()
    return {
        run.id: conditions.conditions(
            run,
            participants[run.id],
            [inventories.get(one.inventory_id or 0, {}) for one in participants[run.id]],
        )
        for run in runs
    }

"""Queries for participants of runs, and the uncertainty of their clocks."""

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from hashlib import sha256

from sqlalchemy import select
from sqlalchemy.orm import Session, defer, joinedload

from assay.tables.database import among
from assay.tables.runs import Participant
from assay.tables.targets import Target

Seat = tuple[str, int, int | None]
"""A participant's role, host and target; without a target it is the host's memory."""


def seats(session: Session, run_ids: Sequence[int]) -> defaultdict[int, list[Seat]]:
    """Return each run's seats in an order that does not depend on their positions.

    Runs with the same seats measured at the same places.
    """
    found: defaultdict[int, list[Seat]] = defaultdict(list)
    columns = Participant.run_id, Participant.role, Participant.host_id, Participant.target_id
    for run_id, role, host_id, target_id in session.execute(
        select(*columns).where(among(session, Participant.run_id, run_ids))
    ):
        found[run_id].append((role, host_id, target_id))
    for each in found.values():
        each.sort(key=str)
    return found


def subject(profile_slug: str, kind: str, title: str, taken: Iterable[Seat]) -> str:
    """Return a key of what a run measures: a test of a profile, in any version, at its seats."""
    told = [profile_slug, kind, title, sorted(taken, key=str)]
    return sha256(json.dumps(told).encode()).hexdigest()


def of_runs(session: Session, run_ids: Sequence[int]) -> defaultdict[int, list[Participant]]:
    """Return each run's participants with host and target, in their order."""
    found: defaultdict[int, list[Participant]] = defaultdict(list)
    for participant in session.scalars(
        select(Participant)
        .options(  # documents that lists do not show take longer to parse than to read
            defer(Participant.array_identity),
            joinedload(Participant.host),
            joinedload(Participant.target).defer(Target.facts),
        )
        .where(among(session, Participant.run_id, run_ids))
        .order_by(Participant.run_id, Participant.position)
    ):
        found[participant.run_id].append(participant)
    return found


def clock_uncertainty_ns(participant: Participant) -> int | None:
    """Return how far a participant's start may be from the agreed one; None without one.

    It is the largest uncertainty of its readings.
    """
    readings = (participant.clock or {}).values()
    return max((one["uncertainty_ns"] for one in readings), default=None)

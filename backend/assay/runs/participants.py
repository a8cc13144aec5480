"""Participants of runs: reading them, and what is known of their clocks."""

from collections import defaultdict
from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session, defer, joinedload

from assay.db.database import among
from assay.runs.models import Participant
from assay.runs.schemas import RunSummary
from assay.targets.models import Target

DRIFT = 100e-6
"""By how much two clocks may drift apart: 50 ppm each, as quartz oscillators are specified."""


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
    """Return by how much an agreed start may be off at a participant; None where none was agreed.

    The worst of its readings.
    """
    readings = (participant.clock or {}).values()
    return max((one["uncertainty_ns"] for one in readings), default=None)


def where(run: RunSummary) -> str:
    """Return the hosts and directories of a run's participants."""
    return " + ".join(
        f"{one.host.name} {one.target.path}" if one.target else one.host.name
        for one in run.participants
    )

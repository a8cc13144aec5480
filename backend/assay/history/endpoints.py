"""Endpoints for the history of arrays, and for targets that were registered again."""

from typing import Annotated

from fastapi import APIRouter, Query

from assay.accounts.authentication import HostManager, Viewer
from assay.arrays.filters import OfArray
from assay.arrays.models import Array
from assay.campaigns.by_profile import has_profile
from assay.history import matches, queries
from assay.history.schemas import ArrayHistory, DecidedMatch, MatchDecision, Matches
from assay.hosts.filters import OfHost
from assay.http.errors import NotFound
from assay.http.field_types import Id, Storable
from assay.http.filters import LONGEST_NAME
from assay.http.routes import Route
from assay.http.transactions import Reading, Writing
from assay.kinds.registry import KindName
from assay.runs.filters import ProfileName
from assay.runs.models import Run

router = APIRouter(tags=["history"], route_class=Route)


@router.get("/arrays/{array_id}/history", summary="Show a figure of an array over time")
def show_history(
    array_id: Id,
    _who: Viewer,
    session: Reading,
    *,
    profile: ProfileName = None,
    kind: Annotated[KindName | None, Query(description="The test's kind")] = None,
    title: Annotated[
        Annotated[str, Storable] | None,
        Query(max_length=LONGEST_NAME, description="The test's title"),
    ] = None,
    limit: Annotated[int, Query(ge=2, le=500, description="How many runs, the newest")] = 100,
) -> ArrayHistory:
    """Headline rates of one test, by default the most measured one, and what changed meanwhile.

    Conditions are compared with those of the previous run of the test at the same place.
    """
    if session.get(Array, array_id) is None:
        raise NotFound("array", array_id)
    chosen = [] if profile is None else [has_profile(session, profile)]
    if kind is not None:
        chosen.append(Run.kind == kind)
    if title is not None:
        chosen.append(Run.title == title)
    return queries.history(session, array_id, chosen, limit)


@router.get("/matches", summary="List targets that may have been registered again")
def list_matches(
    _who: Viewer, session: Reading, *, host_id: OfHost = None, array_id: OfArray = None
) -> Matches:
    """Pairs of a target and a deleted one with runs that may be the same storage.

    They have the same file system UUID or devices, or the same machine and path. Clones have the
    same ids, too, so each match needs a decision.
    """
    return Matches(items=matches.proposed(session, host_id=host_id, array_id=array_id))


@router.put("/targets/{target_id}/matches/{earlier_id}", summary="Decide on a match")
def decide_match(
    target_id: Id, earlier_id: Id, body: MatchDecision, who: HostManager, session: Writing
) -> DecidedMatch:
    """If both are the same storage, the runs of the earlier target become the target's.

    Otherwise the match is no longer proposed.
    """
    runs = matches.decide(session, target_id, earlier_id, same=body.same, who=who)
    return DecidedMatch(target_id=target_id, earlier_id=earlier_id, same=body.same, runs=runs)

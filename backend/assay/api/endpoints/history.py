"""Endpoints for the history of arrays, and for what was registered again."""

from typing import Annotated

from fastapi import APIRouter, Query

from assay.api.accounts.authentication import may
from assay.api.http.routes import Route
from assay.base.errors import NotFound
from assay.base.field_types import Id, Storable
from assay.base.filters import LONGEST_NAME
from assay.base.identity import Identity
from assay.history import decisions, queries
from assay.history.matches import matches
from assay.history.schemas import ArrayHistory, DecidedMatch, MatchDecision, Matches
from assay.inventory.arrays.queries import OfArray
from assay.inventory.hosts.filters import OfHost
from assay.kinds.registry import KindName
from assay.runs.filters import ProfileName, has_profile
from assay.tables.arrays import Array
from assay.tables.runs import Run
from assay.tables.transactions import Reading, Writing

router = APIRouter(tags=["history"], route_class=Route)


@router.get("/arrays/{array_id}/history", summary="Show a figure of an array over time")
def show_history(
    array_id: Id,
    _who: Annotated[Identity, may("array.read")],
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


@router.get("/matches", summary="List what may have been registered again")
def list_matches(
    _who: Annotated[Identity, may("host.read")],
    session: Reading,
    *,
    host_id: OfHost = None,
    array_id: OfArray = None,
) -> Matches:
    """Pairs of a host, target or array and a deleted one with runs that may be the same.

    Targets have the same file system UUID or devices, or the same machine and path; hosts the same
    machine id; arrays the same serial number. Clones have the same ids, too, so each match needs a
    decision.
    """
    return matches(session, host_id=host_id, array_id=array_id)


@router.put("/targets/{target_id}/matches/{earlier_id}", summary="Decide on a match of a target")
def decide_match(
    target_id: Id,
    earlier_id: Id,
    body: MatchDecision,
    who: Annotated[Identity, may("target.match")],
    session: Writing,
) -> DecidedMatch:
    """If both are the same storage, the runs of the deleted target become the target's.

    Otherwise the match is no longer proposed.
    """
    return decisions.decide(session, "target", target_id, earlier_id, same=body.same, who=who)


@router.delete(
    "/targets/{target_id}/matches/{earlier_id}",
    status_code=204,
    summary="Undo the decision on a match of a target",
)
def undo_match(
    target_id: Id, earlier_id: Id, who: Annotated[Identity, may("target.match")], session: Writing
) -> None:
    """The runs that changed hands belong to the deleted target again; later ones stay."""
    decisions.undo(session, "target", target_id, earlier_id, who)


@router.put("/hosts/{host_id}/matches/{earlier_host_id}", summary="Decide on a match of a host")
def decide_host_match(
    host_id: Id,
    earlier_host_id: Id,
    body: MatchDecision,
    who: Annotated[Identity, may("host.match")],
    session: Writing,
) -> DecidedMatch:
    """If both are the same machine, the runs of the deleted host become the host's.

    Otherwise the match is no longer proposed.
    """
    return decisions.decide(session, "host", host_id, earlier_host_id, same=body.same, who=who)


@router.delete(
    "/hosts/{host_id}/matches/{earlier_host_id}",
    status_code=204,
    summary="Undo the decision on a match of a host",
)
def undo_host_match(
    host_id: Id, earlier_host_id: Id, who: Annotated[Identity, may("host.match")], session: Writing
) -> None:
    """The runs that changed hands belong to the deleted host again; later ones stay."""
    decisions.undo(session, "host", host_id, earlier_host_id, who)


@router.put(
    "/arrays/{array_id}/matches/{earlier_array_id}", summary="Decide on a match of an array"
)
def decide_array_match(
    array_id: Id,
    earlier_array_id: Id,
    body: MatchDecision,
    who: Annotated[Identity, may("array.match")],
    session: Writing,
) -> DecidedMatch:
    """If both are the same array, the runs of the deleted array become the array's.

    Otherwise the match is no longer proposed.
    """
    return decisions.decide(session, "array", array_id, earlier_array_id, same=body.same, who=who)


@router.delete(
    "/arrays/{array_id}/matches/{earlier_array_id}",
    status_code=204,
    summary="Undo the decision on a match of an array",
)
def undo_array_match(
    array_id: Id,
    earlier_array_id: Id,
    who: Annotated[Identity, may("array.match")],
    session: Writing,
) -> None:
    """The runs that changed hands belong to the deleted array again; later ones stay."""
    decisions.undo(session, "array", array_id, earlier_array_id, who)

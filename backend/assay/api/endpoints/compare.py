"""Endpoints of comparisons."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query
from fastapi.responses import JSONResponse

from assay.api.accounts.authentication import may
from assay.api.http.paging import Listing, Page, listing
from assay.api.http.routes import Route
from assay.base.errors import Invalid
from assay.base.field_errors import FieldError
from assay.base.field_types import LARGEST_INTEGER
from assay.base.filters import Words
from assay.base.identity import Identity
from assay.history.compare import queries
from assay.history.compare.schemas import Comparison, Suggestions
from assay.runs.queries import summaries
from assay.runs.schemas import RunSummary
from assay.tables.runs import Run
from assay.tables.transactions import Reading

MOST_RUNS = 12

router = APIRouter(prefix="/compare", tags=["compare"], route_class=Route)

CandidateList = Annotated[
    Listing[RunSummary],
    Depends(listing(RunSummary, {"id": Run.id, "ended_at": Run.ended_at}, by="-id")),
]


@router.get("", summary="Compare runs")
def compare_runs(
    _who: Annotated[Identity, may("run.read")],
    session: Reading,
    runs: Annotated[str, Query(description="Ids of two or more runs, such as `1,2`")],
) -> Comparison:
    """Differences in conditions; each result is also compared with the first."""
    return queries.compare(session, run_ids("runs", runs, least=2))


@router.get("/candidates", response_model=Page[RunSummary], summary="Find runs to compare with")
def find_candidates(
    _who: Annotated[Identity, may("run.read")],
    session: Reading,
    part: CandidateList,
    *,
    q: Words = None,
    beside: Annotated[
        str | None, Query(description="Ids of runs that are compared already, such as `1,2`")
    ] = None,
) -> Page[RunSummary] | JSONResponse:
    """Measured runs that compare with those of `beside`, newest first.

    `q` searches campaigns, tests, hosts and paths.
    """
    chosen = run_ids("beside", beside, least=1) if beside else []
    wanted = queries.matching(session, q or "", chosen)
    return part.page(session, wanted, summaries)


@router.get("/suggestions", summary="Suggest runs to compare with")
def suggest_runs(
    _who: Annotated[Identity, may("run.read")],
    session: Reading,
    run_id: Annotated[int, Query(ge=1, le=LARGEST_INTEGER, description="The run to compare")],
) -> Suggestions:
    """The previous run at the same place, and the same test on other hosts."""
    return queries.suggestions(session, run_id)


def run_ids(name: str, text: str, least: int) -> list[int]:
    """Return at least that many different ids of runs from a query parameter; raises Invalid."""
    parts = [part.strip() for part in text.split(",")]
    good = all(part.isascii() and part.isdigit() and len(part) < 20 for part in parts)
    ids = [int(part) for part in parts] if good else []
    if not least <= len(ids) <= MOST_RUNS or len(set(ids)) < len(ids) or max(ids) > LARGEST_INTEGER:
        message = f"must be {least} to {MOST_RUNS} different ids of runs, with commas between them"
        raise Invalid([FieldError(name, message, "Write it such as 1,2.", text[:200])])
    return ids

"""Endpoint of comparisons."""

from typing import Annotated

from fastapi import APIRouter, Query

from assay.accounts.authentication import Viewer
from assay.compare import queries
from assay.compare.schemas import Comparison
from assay.http.errors import Invalid
from assay.http.field_errors import FieldError
from assay.http.field_types import LARGEST_INTEGER
from assay.http.routes import Route
from assay.http.transactions import Reading

MOST_RUNS = 12

router = APIRouter(prefix="/compare", tags=["compare"], route_class=Route)


@router.get("", summary="Compare runs")
def compare_runs(
    _who: Viewer,
    session: Reading,
    runs: Annotated[str, Query(description="Ids of two or more runs, such as `1,2`")],
) -> Comparison:
    """Differences in conditions; the first two results are also compared cell by cell."""
    return queries.compare(session, _ids(runs))


def _ids(text: str) -> list[int]:
    parts = [part.strip() for part in text.split(",")]
    good = all(part.isascii() and part.isdigit() and len(part) < 20 for part in parts)
    ids = [int(part) for part in parts] if good else []
    if not 2 <= len(ids) <= MOST_RUNS or len(set(ids)) < len(ids) or max(ids) > LARGEST_INTEGER:
        message = f"must be 2 to {MOST_RUNS} different ids of runs, with commas between them"
        raise Invalid([FieldError("runs", message, "Write it such as 1,2.", text[:200])])
    return ids

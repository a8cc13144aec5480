"""Endpoint of the search."""

from typing import Annotated

from fastapi import APIRouter, Query

from assay.api.accounts.authentication import may
from assay.api.http.routes import Route
from assay.base.errors import Invalid
from assay.base.field_errors import FieldError
from assay.base.field_types import Storable
from assay.base.identity import Identity
from assay.history.search import queries
from assay.history.search.schemas import SearchResult
from assay.tables.transactions import Reading

LONGEST_TEXT = 200
MOST_WORDS = 10

router = APIRouter(tags=["search"], route_class=Route)


@router.get(
    "/search", summary="Search hosts, arrays, targets, profiles, campaigns, runs, schedules"
)
def search(
    _who: Annotated[Identity, may("appliance.read")],
    session: Reading,
    q: Annotated[
        Annotated[str, Storable],
        Query(
            max_length=LONGEST_TEXT,
            description="Words, all of which must match; a number, also as `#42`, matches an id",
        ),
    ],
    limit: Annotated[int, Query(ge=1, le=50, description="Maximum matches of each type")] = 5,
) -> SearchResult:
    """Matches names, addresses, paths, serial numbers, profiles, test kinds and ids.

    Names that begin with the first word come first, then the newest.
    """
    words = q.split()
    if len(words) > MOST_WORDS:
        message = f"has {len(words)} words, but at most {MOST_WORDS} are allowed"
        raise Invalid([FieldError("q", message, "Search with fewer words.", q)])
    return SearchResult(groups=queries.search(session, words, limit))

"""Is it well? Open to everybody, so that a probe needs no login."""

from fastapi import APIRouter

from assay.health import queries
from assay.health.schemas import Health

router = APIRouter(tags=["health"])


@router.get("/health", summary="Whether Assay's parts answer")
def health() -> Health:
    """Asks database, disk and queue now; names the workers heard in the last 30 s.

    Writes nothing: that the database refuses to store is known from the last write of others.
    """
    return queries.health()

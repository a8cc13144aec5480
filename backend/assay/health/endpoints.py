"""Health endpoint; it needs no login, so that monitoring can use it."""

from fastapi import APIRouter

from assay.health import queries
from assay.health.schemas import Health
from assay.http.routes import Route

router = APIRouter(tags=["health"], route_class=Route)


@router.get("/health", summary="Show the health of the installation")
def health() -> Health:
    """Checks database, disk and queue, and lists workers with a heartbeat in the last 30 s.

    Writes nothing: a database that rejects writes is known from the last write of another request.
    """
    return queries.health()

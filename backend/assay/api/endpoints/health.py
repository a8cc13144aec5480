"""Health endpoint; it needs no login, so that monitoring can use it."""

from anyio import CapacityLimiter, to_thread
from fastapi import APIRouter

from assay.api.http.routes import Route
from assay.history.health import queries
from assay.history.health.schemas import Health

router = APIRouter(tags=["health"], route_class=Route)


_threads = CapacityLimiter(2)
"""Of its own: it says something also while other requests occupy all threads."""


@router.get("/health", summary="Show the health of the installation")
async def health() -> Health:
    """Checks database, disk and queue, and lists workers with a heartbeat in the last 30 s.

    Writes nothing: a database that rejects writes is known from the last write of another request.
    """
    return await to_thread.run_sync(queries.health, limiter=_threads)

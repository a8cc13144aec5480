"""The FastAPI application: routers under `/api/v1`, error handling and the built front end."""

import contextlib
import gc
from collections.abc import AsyncGenerator
from pathlib import Path
from threading import Thread

from fastapi import APIRouter, Depends, FastAPI
from fastapi.middleware.gzip import GZipMiddleware
from fastapi.routing import APIRoute

from assay import __version__
from assay.analysis import noise
from assay.api.accounts import login
from assay.api.accounts.shared_logins import SharedLogins
from assay.api.campaign_stream import Ends, Feeds, States
from assay.api.endpoints import (
    accounts,
    arrays,
    authorities,
    campaigns,
    compare,
    credentials,
    declarations,
    exports,
    health,
    history,
    hosts,
    monitoring,
    notes,
    overview,
    profiles,
    reports,
    retention,
    runs,
    samples,
    schedules,
    search,
    sharing,
    targets,
    tokens,
    tools,
    verdicts,
    views,
    webhooks,
)
from assay.api.endpoints.monitoring import on_own_port
from assay.api.http import browser, responses, waiting
from assay.api.http.body_limit import BodyLimit
from assay.api.http.openapi import DescribedAPI
from assay.api.http.page_cache import COMPRESSED_FROM, LEVEL, PageCache
from assay.api.http.path_names import NAMED, named
from assay.api.http.query_names import only_known
from assay.api.idempotency.execution import once
from assay.api.monitoring.collector import RequestMeter, registry
from assay.api.sharing import links as shared_pages
from assay.base import errors, logs
from assay.base.deadline import Deadline
from assay.base.messaging.changes import Broadcaster
from assay.base.messaging.watching import Watches
from assay.base.settings import REPOSITORY
from assay.base.singletons import singleton
from assay.base.turns import Turns
from assay.history.health.queries import WORKER_TIMEOUT

PREFIX = "/api/v1"
FRONT_END = REPOSITORY / "frontend" / "dist"

ROUTERS: tuple[APIRouter, ...] = (
    health.router,
    overview.router,
    login.router,
    accounts.router,
    credentials.router,
    hosts.router,
    arrays.router,
    targets.router,
    history.router,
    profiles.router,
    tools.router,
    campaigns.router,
    exports.router,  # before those whose paths with an id would take `export` for one
    runs.router,
    samples.router,
    verdicts.router,
    compare.router,
    search.router,
    notes.router,
    authorities.router,
    tokens.router,
    views.router,
    webhooks.router,
    schedules.router,
    reports.router,
    sharing.router,
    retention.router,
    declarations.router,
)

DESCRIPTION = """\
REST API for everything that Assay's web interface can do.

Authenticate with `Authorization: Bearer assay_…`. Times are UTC; sizes are in bytes, durations in
nanoseconds unless the field name has another unit, and rates in bytes per second. Errors are
`application/problem+json`: `detail` is the reason, `remedy` what to do about it, and `errors` lists
each invalid field with its value and how to fix it. Unknown fields and query parameters are
rejected. Lists are paged: pass `next_cursor` as `cursor`. `sort` orders them, and `fields` selects
the fields of their items. A POST that creates something and is repeated with the same
`Idempotency-Key` is executed once; a change with an object's `etag` as `If-Match` does not
overwrite another one. `docs/api.md` has the rules.
"""


GC_THRESHOLDS = 2000, 10, 30
"""A full collection of a thousand waiting requests takes 0.1 s, in which no other is answered: with
Python's default, several of them accompany each crowd."""


@singleton
def _freeze() -> None:
    """Exempt modules and mappings from full garbage collections, and make these rare.

    Once per process: when a later start of the application does it again, whatever garbage the
    earlier one has left is never freed.
    """
    gc.freeze()
    gc.set_threshold(*GC_THRESHOLDS)


@contextlib.asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncGenerator[None]:
    broadcaster: Broadcaster = app.state.broadcaster
    app.state.worker_due = Deadline(WORKER_TIMEOUT.total_seconds())
    Thread(target=noise.incomplete_beta, name="warm-up", daemon=True).start()
    _freeze()
    waiting.allow_files()
    with on_own_port(app.state.metrics):
        async with broadcaster.running():
            yield


def _operation_id(route: APIRoute) -> str:
    return route.name


def create_app(front_end: Path = FRONT_END) -> FastAPI:
    """Create the application; it serves the pages in `front_end` if they are built."""
    app = DescribedAPI(
        title="Assay",
        version=__version__,
        summary="Storage qualification.",
        description=DESCRIPTION,
        lifespan=_lifespan,
        generate_unique_id_function=_operation_id,
        openapi_url=f"{PREFIX}/openapi.json",
        docs_url=None,  # FastAPI's page loads scripts from a CDN
        redoc_url=None,
        responses={
            "default": {
                "model": errors.ProblemDocument,
                "description": "Problem",
            }
        },
    )
    logs.configure("api")
    app.state.broadcaster = Broadcaster()
    app.state.turns, app.state.logins = Turns(), SharedLogins()
    app.state.watches, states = Watches(app.state.broadcaster), States()
    app.state.ends = Ends(app.state.watches, states)
    app.state.feeds = Feeds(app.state.broadcaster, states, app.state.turns)
    app.state.metrics = registry()
    app.state.once = once
    app.state.pages = PageCache()
    app.state.named, app.state.named_parameters = named, NAMED.keys()
    responses.install(app)
    app.add_middleware(BodyLimit)
    for router in ROUTERS:
        app.include_router(router, prefix=PREFIX, dependencies=[Depends(only_known)])
    app.add_middleware(GZipMiddleware, minimum_size=COMPRESSED_FROM, compresslevel=LEVEL)
    app.add_middleware(waiting.WaitingRequests, turns=app.state.turns, registry=app.state.metrics)
    app.include_router(monitoring.router)
    app.include_router(shared_pages.router)
    app.add_middleware(RequestMeter, registry=app.state.metrics)
    browser.install(app, front_end, PREFIX)
    return app


app = create_app()

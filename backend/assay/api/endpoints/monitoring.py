"""`/metrics` for Prometheus: with a token, or on a port of its own without a login."""

import contextlib
from collections.abc import Generator
from typing import Annotated

from fastapi import APIRouter, Request
from fastapi.responses import Response
from prometheus_client import CollectorRegistry, generate_latest, start_http_server
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4

from assay.api.accounts.authentication import may
from assay.api.http.routes import Route
from assay.base.identity import Identity
from assay.base.settings import settings

router = APIRouter(route_class=Route)


@router.get("/metrics", include_in_schema=False)
def show_metrics(request: Request, _who: Annotated[Identity, may("appliance.read")]) -> Response:
    """Return all metrics in Prometheus' text format."""
    return Response(generate_latest(request.app.state.metrics), media_type=CONTENT_TYPE_PLAIN_0_0_4)


@contextlib.contextmanager
def on_own_port(metrics: CollectorRegistry) -> Generator[None]:
    """Serve the metrics at `ASSAY_METRICS_PORT`, if set; raises RuntimeError if it is taken."""
    configured = settings()
    if configured.metrics_port is None:
        yield
        return
    try:
        server, thread = start_http_server(
            configured.metrics_port, configured.metrics_host, registry=metrics
        )
    except OSError as error:
        where = f"{configured.metrics_host}:{configured.metrics_port}"
        raise RuntimeError(
            f"ASSAY_METRICS_PORT: cannot listen on {where}: {error}. Choose another port."
        ) from error
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()

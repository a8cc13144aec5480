"""Metrics of the installation, read from its state at each scrape.

Response times of the API are measured by endpoint; each request has an id.
"""

import re
import secrets
import time
from collections.abc import Iterable, Iterator
from datetime import timedelta
from http import HTTPStatus

from fastapi.routing import APIRoute
from prometheus_client import (
    CollectorRegistry,
    GCCollector,
    Histogram,
    PlatformCollector,
    ProcessCollector,
)
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from sqlalchemy import Select, func, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from assay import __version__
from assay.base.logs import REQUEST_ID, request_id
from assay.history.health.queries import health, recently_seen
from assay.runs.lifecycle import ACTIVE, QUEUED
from assay.runs.queries import shown
from assay.runs.verdicts.outcomes import with_outcome
from assay.tables.campaigns import Campaign
from assay.tables.clock import moment, now
from assay.tables.database import reading
from assay.tables.hosts import Host
from assay.tables.runs import Run, WorkerSeen

OUTCOMES = ("pass", "fail", "inconclusive", "waived")
JUDGED_WITHIN = timedelta(days=7)
"""Age of the campaigns whose verdicts are counted, from their launch on."""


Counts = Iterable[tuple[tuple[str, ...], float]]
"""Values by their labels' values."""


class InstallationCollector(Collector):
    """Counts what is stored, and the state of each part; every scrape reads the database once."""

    def collect(self) -> Iterable[Metric]:
        """Yield all metrics; without a database, only whether each part responds."""
        yield from _parts()
        try:
            with reading() as session:
                yield from list(_stored(session))
        except SQLAlchemyError:
            return  # assay_database_up says so


def registry() -> CollectorRegistry:
    """Return the metrics of the installation and of this process."""
    made = CollectorRegistry()
    for collector in (ProcessCollector, PlatformCollector, GCCollector):
        collector(registry=made)
    made.register(InstallationCollector())
    return made


def _gauge(name: str, text: str, counts: Counts, *labels: str) -> Metric:
    family = GaugeMetricFamily(f"assay_{name}", text, labels=labels)
    for values, count in counts:
        family.add_metric(list(values), count)
    return family


def _single(name: str, text: str, value: float) -> Metric:
    return _gauge(name, text, [((), value)])


def _parts() -> Iterator[Metric]:
    found = health()
    yield _gauge("build_info", "Version of Assay; always 1.", [((__version__,), 1)], "version")
    responds = "Whether the database responds and accepts writes."
    yield _single("database_up", responds, found.database.ok)
    yield _single("queue_up", "Whether the queue responds.", found.queue.ok)
    disk = [((found.disk.path,), found.disk.free_bytes)]
    yield _gauge("disk_free_bytes", "Free space of the appliance's own disk.", disk, "path")


def _counted(session: Session, chosen: Select[str, int] | Select[str | None, int]) -> Counts:
    return [(tuple(values), count) for *values, count in session.execute(chosen)]


def _stored(session: Session) -> Iterator[Metric]:
    by_state = (
        select(Run.kind, Run.state, func.count()).where(shown()).group_by(Run.kind, Run.state)
    )
    runs = [((kind, state), count) for kind, state, count in session.execute(by_state)]
    yield _gauge("runs", "Stored runs.", runs, "kind", "state")
    unreachable = select(func.count()).where(
        Run.state.in_(ACTIVE), Run.unreachable_since.is_not(None)
    )
    yield _single(
        "runs_unreachable",
        "Active runs of which a host does not respond.",
        session.scalar(unreachable) or 0,
    )
    oldest = session.scalar(select(func.min(Run.state_since)).where(Run.state == QUEUED))
    waited = (now(session) - oldest).total_seconds() if oldest else 0
    yield _single("queued_seconds", "Waiting time of the run that waits longest.", max(0, waited))
    hosts = _counted(session, select(Host.state, func.count()).group_by(Host.state))
    yield _gauge("hosts", "Registered hosts.", hosts, "state")
    yield from _verdicts(session)
    yield from _workers(session)


def _verdicts(session: Session) -> Iterator[Metric]:
    lately = select(Campaign.id).where(
        Campaign.created_at > moment(-JUDGED_WITHIN), Campaign.deleted_at.is_(None)
    )

    def count(outcome: str) -> int:
        chosen = with_outcome(outcome, lately).subquery()  # pyright: ignore[reportArgumentType]
        return session.scalar(select(func.count()).select_from(chosen)) or 0

    counts = [((outcome,), count(outcome)) for outcome in OUTCOMES]
    text = "Judged campaigns that were launched in the last seven days."
    yield _gauge("campaigns_judged", text, counts, "verdict")


def _workers(session: Session) -> Iterator[Metric]:
    driven = _counted(
        session,
        select(Run.worker, func.count())
        .where(Run.state.in_(ACTIVE), Run.worker.is_not(None))
        .group_by(Run.worker),
    )
    seen = session.scalars(select(WorkerSeen).where(recently_seen())).all()
    yield _single("workers", "Workers with a heartbeat in the last 30 s.", len(seen))
    capacity = [((one.name,), one.capacity) for one in seen]
    yield _gauge("worker_capacity_runs", "Runs that a worker drives at once.", capacity, "worker")
    yield _gauge("worker_runs", "Active runs of a worker.", driven, "worker")


ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
OTHER = "other"
"""Label of pages, their files, scrapes and unknown paths."""
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class RequestMeter:
    """Measures the time from a request to the first byte of its response: a stream never ends."""

    def __init__(self, app: ASGIApp, registry: CollectorRegistry) -> None:
        """Wrap `app`."""
        self.app = app
        self.seconds = Histogram(
            "assay_http_response_seconds",
            "Time to the first byte of the response.",
            ("method", "route", "status"),
            buckets=BUCKETS,
            registry=registry,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward the request; the response carries the id that its log lines have."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        began = time.perf_counter()
        given = Headers(scope=scope).get(REQUEST_ID, "")
        request_id.set(given if ID.fullmatch(given) else secrets.token_hex(8))

        async def send_measured(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)[REQUEST_ID] = request_id.get() or ""
                self._measured(scope, message["status"], began)
            await send(message)

        try:
            await self.app(scope, receive, send_measured)
        except Exception:  # what handles it is around this
            self._measured(scope, HTTPStatus.INTERNAL_SERVER_ERROR, began)
            raise

    def _measured(self, scope: Scope, status: int, began: float) -> None:
        route = scope.get("route")
        path = route.path if isinstance(route, APIRoute) and route.include_in_schema else OTHER
        labels = (scope["method"], path, str(int(status)))
        self.seconds.labels(*labels).observe(time.perf_counter() - began)

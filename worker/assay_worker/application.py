"""The Celery application: a message is a wake-up, and the database determines the work.

A task claims its run or check, hands it to the process's loop and ends, so a few threads serve any
number of runs. The reconciler finds work whose message was lost or whose worker was killed.
"""

import gc
import logging
import resource
from typing import Any

import asyncssh
from assay.base import logs
from assay.base.messaging.queue import broker_url
from assay.base.settings import settings
from assay.runs.scheduling.capacity import queue_of
from assay.runs.scheduling.wakeups import DISPATCH, DRIVE_RUN
from celery import Celery, signals  # pyright: ignore[reportMissingTypeStubs]
from kombu.entity import Exchange, Queue
from sqlalchemy.exc import SQLAlchemyError

from assay_worker import heartbeat
from assay_worker.checks import answering
from assay_worker.checks.answering import RUN_CHECK
from assay_worker.driver import dispatching, run
from assay_worker.heaps import share_heaps
from assay_worker.ownership_renewal import worker_name

CLAIMING_THREADS = 4

COLLECT_AFTER = 10_000
"""New objects after which garbage is collected. A transaction of many runs creates more than
Python's default of 700 and frees them without the collector, which would only traverse them."""

log = logging.getLogger(__name__)


def _queue(name: str) -> Queue:
    """Declare a queue exactly as senders do, by its name alone."""
    return Queue(name, Exchange(name), routing_key=name)


application: Any = Celery("assay", broker=broker_url())  # Celery comes without types
application.conf.update(
    broker_connection_retry_on_startup=True,
    broker_connection_max_retries=None,
    broker_transport_options={"health_check_interval": 10},
    task_ignore_result=True,
    worker_prefetch_multiplier=1,
    task_queues=[_queue("celery"), _queue(queue_of(worker_name()))],
    worker_concurrency=CLAIMING_THREADS,
    worker_hijack_root_logger=False,
    worker_send_task_events=False,
)


@application.task(name=DRIVE_RUN, ignore_result=True)
def drive_run(run_id: int) -> None:
    """Become the driver of a run."""
    run.begin(run_id)


@application.task(name=DISPATCH, ignore_result=True)
def admit_runs() -> None:
    """Perform a round of the dispatcher."""
    dispatching.dispatch()


@application.task(name=RUN_CHECK, ignore_result=True)
def answer_check(check_id: int) -> None:
    """Answer a check of a host or directory."""
    answering.begin(check_id)


def _log_as_json(**_: Any) -> None:
    logs.configure("worker")


def _prepare(**_: Any) -> None:
    share_heaps()
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))  # each connection needs one


def _begin(**_: Any) -> None:
    asyncssh.set_log_level("WARNING")  # it logs every channel and command otherwise
    heartbeat.beat()
    gc.freeze()  # a full collection need not look through modules and mappings again
    gc.set_threshold(COLLECT_AFTER)


def _refuse(**_: Any) -> None:
    run.stopping.set()


def _leave(**_: Any) -> None:
    try:
        heartbeat.end()
    except SQLAlchemyError as error:
        log.warning("capacity not withdrawn; it expires: %s", error)
    run.leave()


_signals: Any = signals
if settings().log_format == "json":  # with a receiver, Celery configures no logging
    _signals.setup_logging.connect(_log_as_json)
else:
    logs.configure("worker")
_signals.worker_init.connect(_prepare)
_signals.worker_ready.connect(_begin)
_signals.worker_shutting_down.connect(_refuse)
_signals.worker_shutdown.connect(_leave)

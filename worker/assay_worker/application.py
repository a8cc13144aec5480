"""The Celery application: tasks are doorbells, and the database says what is to be done.

Tasks are acknowledged late, so one whose worker was killed comes again; slices are far shorter
than the visibility timeout, so one whose worker lives does not. The reconciler is quicker than
both.
"""

from typing import Any

import asyncssh
from assay.messaging.queue import broker_url
from assay.scheduling.wakeups import DRIVE_RUN
from assay.settings import settings
from celery import Celery, signals  # pyright: ignore[reportMissingTypeStubs]

from assay_worker.checks.answering import RUN_CHECK, run_check
from assay_worker.driver.follow import stopping
from assay_worker.driver.slots import Slots
from assay_worker.heaps import share_heaps
from assay_worker.heartbeat import beat

VISIBILITY_MARGIN_S = 120

CHECK_THREADS = 4
"""Threads beyond those for slices, so that a check never waits for a run."""

slots = Slots(settings().worker_threads)

application: Any = Celery("assay", broker=broker_url())  # Celery comes without types
application.conf.update(
    broker_connection_retry_on_startup=True,
    broker_connection_max_retries=None,
    broker_transport_options={
        "visibility_timeout": settings().slice_seconds + VISIBILITY_MARGIN_S,
        "health_check_interval": 10,
    },
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    task_ignore_result=True,
    worker_prefetch_multiplier=1,
    worker_concurrency=settings().worker_threads + CHECK_THREADS,
    worker_hijack_root_logger=False,
    worker_send_task_events=False,
)


@application.task(name=DRIVE_RUN, ignore_result=True, acks_late=True)
def drive_run(run_id: int) -> None:
    """Drive a run for one slice, now or when a slot is free."""
    slots.drive(run_id)


@application.task(name=RUN_CHECK, ignore_result=True, acks_late=True)
def answer_check(check_id: int) -> None:
    """Answer a question about a host."""
    run_check(check_id)


def _prepare(**_: Any) -> None:
    share_heaps()


def _begin(**_: Any) -> None:
    asyncssh.set_log_level("WARNING")  # it tells every channel and command otherwise
    beat()


def _end(**_: Any) -> None:
    stopping.set()


_signals: Any = signals
_signals.worker_init.connect(_prepare)
_signals.worker_ready.connect(_begin)
_signals.worker_shutting_down.connect(_end)

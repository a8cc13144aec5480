"""The scheduler's process: dispatcher and reconciler, separate from the worker's pool.

It recovers from killed processes: runs without a driver, queued runs whose host is free, checks
without an owner. Normally it has nothing to do, because a launch and the end of a run dispatch at
once. Two schedulers are harmless.
"""

import gc
import logging
import signal
import threading
from datetime import timedelta

from assay.base import logs
from assay.base.messaging.changes import announce
from assay.base.messaging.queue import enqueue
from assay.base.settings import settings
from assay.inventory.hosts.checks import unclaimed
from assay.runs.lifecycle import without_driver
from assay.runs.scheduling import capacity
from assay.runs.scheduling.wakeups import WAKE_AGAIN, is_due, wake
from assay.tables.clock import counted_from, now
from assay.tables.database import writing
from assay.tables.hosts import Check, Host
from assay.tables.ownership import take
from assay.tables.runs import Run
from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError

from assay_worker import heartbeat, upkeep
from assay_worker.checks.answering import RUN_CHECK, conclude
from assay_worker.driver.dispatching import dispatch
from assay_worker.ownership_renewal import new_owner
from assay_worker.webhooks import delivering

MAX_WOKEN = 500
"""Maximum number per round: each run costs a message."""

UNANSWERED = timedelta(minutes=5)
NOBODY_ANSWERED = {
    "code": "no_worker",
    "title": "No worker answered",
    "detail": "No worker answered the check within five minutes.",
    "remedy": "Start a worker (its log shows why it stopped), then check again.",
}

log = logging.getLogger(__name__)


def reconcile() -> int:
    """Assign active runs without a driver to live workers, once due; returns how many."""
    with writing() as session:
        if not (slots := capacity.slots(session)):
            return 0
        runs = session.scalars(
            select(Run)
            .where(without_driver(), is_due())
            .order_by(Run.id)
            .limit(MAX_WOKEN)
            .with_for_update(skip_locked=True)
        ).all()
        for run in runs:
            # only the previous worker can detect that the host was paused
            stays = run.unreachable_since is not None
            run.worker = slots.take_over(run.worker, stays=stays)
        session.flush()
        wake(session, {run.id: run.worker for run in runs if run.worker})
    return len(runs)


def reconcile_checks() -> None:
    """Send checks again whose worker or message was lost; end those that are too old."""
    too_old: list[Check] = []
    with writing() as session:
        for check in session.scalars(select(Check).where(unclaimed())):
            check.created_at = counted_from(session, check.created_at)
            age = now(session) - check.created_at
            if age > UNANSWERED:
                too_old.append(check)
            elif check.state == "running" or age > WAKE_AGAIN:
                enqueue(RUN_CHECK, check.id, after=session)
    for check in too_old:
        _give_up(check.id, check.host_id)


def _give_up(check_id: int, host_id: int) -> None:
    """End a check as its owner, so that no worker answers it later."""
    with writing() as session:
        session.get(Host, host_id, with_for_update=True)  # locked before the check, as by a worker
        if take(session, Check, check_id, new_owner(), unclaimed()):
            conclude(session, session.get_one(Check, check_id), None, NOBODY_ANSWERED)
            announce(f"check:{check_id}", f"host:{host_id}", after=session)


def run(stop: threading.Event) -> None:
    """Perform rounds until `stop` is set; if the database does not respond, skip a round."""
    upkeep.start(stop)
    delivering.start(stop)
    gc.freeze()  # a full collection in a round need not look through modules and mappings again
    while not stop.is_set():
        try:
            dispatch()
            if woken := reconcile():
                log.info("runs without a driver, woken: %d", woken)
            reconcile_checks()
            heartbeat.touch()
        except SQLAlchemyError as error:
            log.warning("round failed: %s", error)
        stop.wait(settings().reconcile_seconds)


def main() -> None:
    """Run until SIGTERM or SIGINT."""
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s %(message)s")
    logs.configure("scheduler", logging.INFO)
    stop = threading.Event()

    def leave(_number: int, _frame: object) -> None:
        stop.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, leave)
    run(stop)


if __name__ == "__main__":
    main()

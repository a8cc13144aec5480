"""Delivery of stored messages: claim what is due, send it, record what came of it.

Runs in the scheduler's process. Messages are sent concurrently on the process's loop, few to each
receiver, so that one that hangs delays no others. Several schedulers share the work.
"""

import logging
import threading
import time
from collections import Counter

from assay.db.database import reading
from assay.db.ownership import StaleGenerationError
from assay.webhooks.deliveries import OutgoingMessage, claim, due, record

from assay_worker import background, loop
from assay_worker.loop import in_thread
from assay_worker.ownership_renewal import new_owner, renewed
from assay_worker.webhooks.sending import send

POLL_S = 1.0
"""Longest time until a new message is sent."""

MOST_AT_ONCE = 32
MOST_PER_WEBHOOK = 4

log = logging.getLogger(__name__)


class WebhookSender:
    """The messages that this process is sending."""

    def __init__(self) -> None:
        """Start without any."""
        self._sending: Counter[int] = Counter()
        self._lock = threading.Lock()
        self._changed = threading.Event()

    def round(self) -> int:
        """Begin to send what is due, as far as there is room; return the number of messages."""
        self._changed.clear()
        begun = 0
        with reading() as session:
            found = due(session, MOST_AT_ONCE, MOST_PER_WEBHOOK)
        for delivery_id, webhook_id in found:
            if not self._has_room(webhook_id):
                continue
            since = time.monotonic()
            if (message := claim(delivery_id, new_owner())) is not None:
                self._begin(message, since)
                begun += 1
        return begun

    def wait(self) -> None:
        """Wait until a message has been sent, or for `POLL_S`."""
        self._changed.wait(POLL_S)

    def _has_room(self, webhook_id: int) -> bool:
        with self._lock:
            room = self._sending.total() < MOST_AT_ONCE
            return room and self._sending[webhook_id] < MOST_PER_WEBHOOK

    def _begin(self, message: OutgoingMessage, since: float) -> None:
        with self._lock:
            self._sending[message.webhook_id] += 1
        loop.begin(deliver(message, since)).add_done_callback(lambda _: self._end(message))

    def _end(self, message: OutgoingMessage) -> None:
        with self._lock:
            self._sending[message.webhook_id] -= 1
        self._changed.set()


async def deliver(message: OutgoingMessage, since: float) -> None:
    """Send a message that was claimed at `since` on the monotonic clock, and record the attempt.

    If that fails, the ownership expires, and the message is sent again.
    """
    own = message.ownership
    try:
        with renewed(own, since):
            result = await send(message)
            await in_thread(record, message, result)
    except StaleGenerationError as error:
        log.info("delivery %s: deleted, or sent by another process: %s", own.id, error)
    except Exception:
        log.exception("delivery %s: not recorded, will be sent again", own.id)


def start(stop: threading.Event) -> threading.Thread:
    """Deliver messages in a thread until `stop` is set."""
    sender = WebhookSender()

    def pause() -> bool:
        sender.wait()
        return stop.is_set()

    return background.repeat("delivering webhooks", lambda: _round(sender), pause)


def _round(sender: WebhookSender) -> None:
    if begun := sender.round():
        log.debug("webhook messages begun: %d", begun)

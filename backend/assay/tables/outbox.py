"""The outbox: an event is stored for each webhook in the transaction that causes it.

So an event is neither lost by a crash, nor sent for a change that was rolled back. The scheduler's
process sends what is stored (`assay_worker.webhooks`).

A message that was not delivered is sent again, after longer and longer times.
"""

import json
import random
import secrets
from collections.abc import Callable, Iterable
from datetime import timedelta

from pydantic import BaseModel
from sqlalchemy import select
from sqlalchemy.orm import Session

from assay.base.webhook_events import EventData, WebhookEvent
from assay.tables.clock import now
from assay.tables.webhooks import Webhook, WebhookDelivery

PAUSES = (
    timedelta(seconds=5),
    timedelta(minutes=1),
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=5),
    timedelta(hours=10),
)
"""The pause after each failed attempt but the last: eight attempts in about 18 hours."""

MOST_TRIES = len(PAUSES) + 1

JITTER = 0.2
"""A pause is longer or shorter by up to this part, so that retries of many messages spread."""

LONGEST_PAUSE = PAUSES[-1] * (1 + JITTER)

DISABLED_AFTER = timedelta(days=3)
"""A webhook is disabled when a message is given up and nothing was delivered for this long."""


def pause(tries_left: int, least: timedelta | None = None) -> timedelta:
    """Return the pause before the next attempt of a message that has `tries_left` of them.

    It is `least` if the receiver asked for a longer one, but never more than `LONGEST_PAUSE`.
    """
    jitter = random.uniform(1 - JITTER, 1 + JITTER)  # noqa: S311 (not a secret)
    planned = PAUSES[MOST_TRIES - tries_left - 1] * jitter
    return planned if least is None else min(max(planned, least), LONGEST_PAUSE)


class _Message(BaseModel):
    """The body of a request, as defined by Standard Webhooks."""

    type: str
    timestamp: str
    data: EventData


def put(session: Session, event: WebhookEvent, build: Callable[[], EventData]) -> None:
    """Store an event for all enabled webhooks that receive it; `build` is called if there are any.

    Locks their rows against deletion until the commit: last in the order of locks.
    """
    enabled = select(Webhook).where(Webhook.enabled).order_by(Webhook.id)
    hooks = session.scalars(enabled.with_for_update(read=True, key_share=True)).all()
    if receivers := [hook.id for hook in hooks if event in hook.events]:
        store(session, event, build(), receivers)


def store(
    session: Session,
    event: str,
    data: EventData,
    webhook_ids: Iterable[int],
    tries: int = MOST_TRIES,
) -> list[WebhookDelivery]:
    """Store a message with the same id and body for each of these webhooks, due at once."""
    message = _Message(type=event, timestamp=now(session).isoformat(), data=data)
    body = json.dumps(message.model_dump(mode="json"), ensure_ascii=False, separators=(",", ":"))
    message_id = f"msg_{secrets.token_hex(16)}"
    stored = [
        WebhookDelivery(
            webhook_id=webhook_id, message_id=message_id, event=event, body=body, tries_left=tries
        )
        for webhook_id in webhook_ids
    ]
    session.add_all(stored)
    session.flush()
    return stored

"""The outbox: an event is stored for each webhook in the transaction that causes it.

So an event is neither lost by a crash, nor sent for a change that was rolled back. The scheduler's
process sends what is stored (`assay_worker.webhooks`).
"""

import json
import secrets
from collections.abc import Callable, Iterable

from pydantic import BaseModel
from sqlalchemy import select
from sqlalchemy.orm import Session

from assay.db.clock import now
from assay.webhooks.events import EventData, WebhookEvent
from assay.webhooks.models import Webhook, WebhookDelivery
from assay.webhooks.schedule import MOST_TRIES


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

"""Queries for webhooks and their deliveries."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from assay.api.webhooks.schemas import (
    LastDelivery,
    WebhookAttemptOut,
    WebhookDeliveryDetail,
    WebhookDeliveryOut,
    WebhookOut,
)
from assay.base.errors import NotFound
from assay.tables.clock import moment
from assay.tables.database import among
from assay.tables.webhooks import Webhook, WebhookAttempt, WebhookDelivery, WebhookSecret


def find(session: Session, webhook_id: int, *, lock: bool = False) -> Webhook:
    """Return a webhook, or raise NotFound; `lock` lets events that are being stored finish."""
    how = {"key_share": True} if lock else None
    webhook = session.get(Webhook, webhook_id, with_for_update=how)
    if webhook is None:
        raise NotFound("webhook", webhook_id)
    return webhook


def one(session: Session, webhook: Webhook) -> WebhookOut:
    """Return a webhook as an API type."""
    return shapes(session, [webhook])[0]


def shapes(session: Session, webhooks: Sequence[Webhook]) -> list[WebhookOut]:
    """Return webhooks as API types."""
    ids = [webhook.id for webhook in webhooks]
    expiring = session.execute(
        select(WebhookSecret.webhook_id, func.max(WebhookSecret.expires_at))
        .where(among(session, WebhookSecret.webhook_id, ids), WebhookSecret.expires_at > moment())
        .group_by(WebhookSecret.webhook_id)
    )
    valid_until: dict[int, datetime | None] = {row[0]: row[1] for row in expiring}
    newest = (
        select(func.max(WebhookDelivery.id))
        .where(among(session, WebhookDelivery.webhook_id, ids))
        .group_by(WebhookDelivery.webhook_id)
    )
    last = {
        row.webhook_id: LastDelivery(id=row.id, event=row.event, state=row.state)
        for row in session.scalars(select(WebhookDelivery).where(WebhookDelivery.id.in_(newest)))
    }
    return [
        WebhookOut(
            id=webhook.id,
            name=webhook.name,
            url=webhook.url,
            events=webhook.events,
            private_addresses=webhook.private_addresses,
            enabled=webhook.enabled,
            disabled_reason=webhook.disabled_reason,
            failing_since=webhook.failing_since,
            previous_secret_valid_until=valid_until.get(webhook.id),
            last_delivery=last.get(webhook.id),
            created_by=webhook.created_by,
            created_at=webhook.created_at,
            etag=webhook.etag,
        )
        for webhook in webhooks
    ]


def find_delivery(
    session: Session, webhook_id: int, delivery_id: int, *, lock: bool = False
) -> WebhookDelivery:
    """Return a delivery of this webhook, or raise NotFound."""
    row = session.get(WebhookDelivery, delivery_id, with_for_update=lock or None)
    if row is None or row.webhook_id != webhook_id:
        raise NotFound("delivery", delivery_id)
    return row


def delivery_shapes(session: Session, rows: Sequence[WebhookDelivery]) -> list[WebhookDeliveryOut]:
    """Return deliveries as API types, each with its last attempt."""
    attempts = _attempts(session, rows)
    return [_shape(row, attempts[row.id]) for row in rows]


def delivery(session: Session, row: WebhookDelivery) -> WebhookDeliveryDetail:
    """Return a delivery as an API type, with its body and all attempts."""
    attempts = _attempts(session, [row])[row.id]
    shape = _shape(row, attempts).model_dump()
    return WebhookDeliveryDetail.model_validate(
        {**shape, "body": row.body, "every_attempt": attempts}
    )


def _shape(row: WebhookDelivery, attempts: Sequence[WebhookAttemptOut]) -> WebhookDeliveryOut:
    return WebhookDeliveryOut(
        id=row.id,
        webhook_id=row.webhook_id,
        message_id=row.message_id,
        event=row.event,
        state=row.state,
        attempts=len(attempts),
        last_attempt=attempts[-1] if attempts else None,
        next_attempt_at=row.next_attempt_at,
        created_at=row.created_at,
        ended_at=row.ended_at,
    )


def _attempts(
    session: Session, rows: Sequence[WebhookDelivery]
) -> defaultdict[int, list[WebhookAttemptOut]]:
    found: defaultdict[int, list[WebhookAttemptOut]] = defaultdict(list)
    chosen = select(WebhookAttempt).where(
        among(session, WebhookAttempt.delivery_id, [row.id for row in rows])
    )
    for attempt in session.scalars(chosen.order_by(WebhookAttempt.id)):
        found[attempt.delivery_id].append(WebhookAttemptOut.model_validate(attempt))
    return found

"""Deliveries as the sending process sees them: which are due, claim one, record an attempt.

Several processes may send: a delivery is claimed with an ownership, as runs and checks are. If a
process dies between sending and recording, its ownership expires and the message is sent again
with the same id: at least once.
"""

from dataclasses import dataclass
from datetime import timedelta
from http import HTTPStatus

from sqlalchemy import ColumnElement, and_, delete, exists, func, or_, select, update
from sqlalchemy.orm import Session

from assay.access.audit import record as audit
from assay.base.identity import Identity
from assay.base.states import DeliveryState
from assay.base.webhook_events import TEST_EVENT
from assay.tables.clock import counted_from, moment, now
from assay.tables.database import reading, writing
from assay.tables.outbox import DISABLED_AFTER, LONGEST_PAUSE, pause
from assay.tables.ownership import Ownership, StaleGenerationError, held, take, without_owner
from assay.tables.webhooks import (
    Webhook,
    WebhookAttempt,
    WebhookDelivery,
    WebhookSecret,
)

KEPT = timedelta(days=30)
"""How long an ended delivery is kept with its attempts."""

MOST_SWEPT = 500
"""Deliveries deleted in one transaction."""

SENDER = Identity("scheduler", "operator", "local")


@dataclass(frozen=True)
class OutgoingMessage:
    """What one attempt sends, and where."""

    ownership: Ownership[WebhookDelivery]
    webhook_id: int
    message_id: str
    url: str
    private_addresses: bool
    body: str
    sealed_secrets: tuple[bytes, ...]


@dataclass(frozen=True)
class AttemptResult:
    """What came of one attempt; it succeeded if the status is 2xx and there is no error.

    `retry_after` is how long the receiver asks to wait.
    """

    duration_ns: int
    address: str | None = None
    status: int | None = None
    answer: str | None = None
    error: str | None = None
    retry_after: timedelta | None = None

    @property
    def succeeded(self) -> bool:
        """Whether the receiver accepted the message."""
        return self.error is None


def due(session: Session, most: int, per_webhook: int) -> list[tuple[int, int]]:
    """Return the ids of at most `most` deliveries to send now, each with that of its webhook.

    The oldest `per_webhook` of each webhook count, so that one with many messages delays no others.
    """
    rank = func.row_number().over(
        partition_by=WebhookDelivery.webhook_id,
        order_by=(WebhookDelivery.next_attempt_at, WebhookDelivery.id),
    )
    ranked = (
        select(WebhookDelivery.id, WebhookDelivery.webhook_id, rank.label("rank"))
        .where(_is_due(), without_owner(WebhookDelivery))
        .subquery()
    )
    chosen = select(ranked.c.id, ranked.c.webhook_id).where(ranked.c.rank <= per_webhook)
    rows = session.execute(chosen.order_by(ranked.c.rank, ranked.c.id).limit(most))
    return list(map(tuple[int, int], rows))


def claim(delivery_id: int, owner: str) -> OutgoingMessage | None:
    """Become the sender of a delivery; return None if it has one, or is no longer due."""
    free = and_(_is_due(), without_owner(WebhookDelivery))
    with writing() as session:
        ownership = take(session, WebhookDelivery, delivery_id, owner, free)
        if ownership is None:
            return None
        row = session.get_one(WebhookDelivery, delivery_id)
        webhook = session.get_one(Webhook, row.webhook_id)
        sealed = session.scalars(
            select(WebhookSecret.sealed)
            .where(
                WebhookSecret.webhook_id == webhook.id,
                or_(WebhookSecret.expires_at.is_(None), WebhookSecret.expires_at > moment()),
            )
            .order_by(WebhookSecret.id.desc())
        )
        return OutgoingMessage(
            ownership,
            webhook.id,
            row.message_id,
            webhook.url,
            webhook.private_addresses,
            row.body,
            tuple(sealed),
        )


def record(message: OutgoingMessage, result: AttemptResult) -> None:
    """Store an attempt, and when the message is sent again if it failed.

    Raises StaleGenerationError if another process has claimed the delivery, or it was deleted.
    """
    own = message.ownership
    with writing() as session:
        # the webhook first, as in its deletion
        webhook = session.get(Webhook, message.webhook_id, with_for_update={"key_share": True})
        if webhook is None:
            raise StaleGenerationError(f"webhook {message.webhook_id}", own.generation, None)
        row = held(session, own)
        session.add(
            WebhookAttempt(
                delivery_id=row.id,
                number=own.generation,
                duration_ns=result.duration_ns,
                address=result.address,
                status=result.status,
                error=result.error and result.error[:1000],
                answer=result.answer,
            )
        )
        row.owner = row.owned_until = None
        row.tries_left = max(0, row.tries_left - 1)
        if result.succeeded:
            _end(session, row, "delivered")
            webhook.failing_since = None
        else:
            _fail(session, webhook, row, result)


def _fail(session: Session, webhook: Webhook, row: WebhookDelivery, result: AttemptResult) -> None:
    if row.event != TEST_EVENT:
        webhook.failing_since = counted_from(session, webhook.failing_since)
    if result.status == HTTPStatus.GONE:
        _end(session, row, "failed")
        disable(session, webhook, "The receiver answered 410 Gone.")
    elif row.state != "pending":  # the webhook was disabled while it was sent
        return
    elif row.tries_left:
        row.next_attempt_at = now(session) + pause(row.tries_left, result.retry_after)
    else:
        _end(session, row, "failed")
        since = webhook.failing_since
        if since is not None and now(session) - since >= DISABLED_AFTER:
            disable(
                session,
                webhook,
                f"No message was delivered since {since:%Y-%m-%d %H:%M} UTC. "
                f"Last error: {result.error}",
            )


def _end(session: Session, row: WebhookDelivery, state: DeliveryState) -> None:
    row.state, row.next_attempt_at, row.ended_at = state, None, now(session)


def disable(session: Session, webhook: Webhook, reason: str | None) -> None:
    """Disable a webhook and give up its pending messages; `reason` is None if a user asked for it.

    The caller has locked the webhook's row.
    """
    if not webhook.enabled:
        return
    webhook.enabled, webhook.disabled_reason = False, reason and reason[:500]
    session.flush()
    session.execute(
        update(WebhookDelivery)
        .where(WebhookDelivery.webhook_id == webhook.id, WebhookDelivery.state == "pending")
        .values(state="failed", next_attempt_at=None, ended_at=moment())
        .execution_options(synchronize_session="fetch")
    )
    if reason is not None:
        name = f"webhook {webhook.id} {webhook.name}"
        audit(session, SENDER, "webhook.disabled", name, reason=webhook.disabled_reason)


def sweep() -> bool:
    """Delete deliveries that ended long ago; return whether there were any."""
    expired = WebhookDelivery.ended_at <= moment(-KEPT)
    with reading() as session:
        if not session.scalar(select(exists().where(expired))):
            return False
    with writing() as session:
        oldest = select(WebhookDelivery.id).where(expired).limit(MOST_SWEPT)
        session.execute(delete(WebhookDelivery).where(WebhookDelivery.id.in_(oldest)))
    return True


def _is_due() -> ColumnElement[bool]:
    """Return SQL for whether a message is to be sent now.

    A time later than any pause was written before the database's clock was set back.
    """
    at = WebhookDelivery.next_attempt_at
    return and_(at.is_not(None), or_(at <= moment(), at > moment(LONGEST_PAUSE)))

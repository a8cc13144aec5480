"""Tables of webhooks, their secrets, and the messages to them with each attempt."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, LargeBinary, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from assay.base.etags import etag
from assay.base.states import DeliveryState
from assay.tables.clock import moment
from assay.tables.database import Base
from assay.tables.ownership import Owned

EDITABLE = ("name", "url", "events", "private_addresses", "enabled")


class Webhook(Base):
    """An address that receives events.

    `failing_since` is the first failed attempt since the last successful one. `disabled_reason` is
    set if Assay disabled it, and null if a user did.
    """

    __tablename__ = "webhooks"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(100), unique=True)
    url: Mapped[str] = mapped_column(String(2000))
    events: Mapped[list[Any]]
    private_addresses: Mapped[bool] = mapped_column(default=False)
    enabled: Mapped[bool] = mapped_column(default=True)
    disabled_reason: Mapped[str | None] = mapped_column(String(500))
    failing_since: Mapped[datetime | None]
    created_by: Mapped[str] = mapped_column(String(120))
    created_at: Mapped[datetime] = mapped_column(default=moment())

    @property
    def etag(self) -> str:
        """The entity tag of what a user edits."""
        return etag(self, EDITABLE)


class WebhookSecret(Base):
    """A secret that signs messages, encrypted; a replaced one signs until `expires_at`."""

    __tablename__ = "webhook_secrets"

    id: Mapped[int] = mapped_column(primary_key=True)
    webhook_id: Mapped[int] = mapped_column(
        ForeignKey("webhooks.id", ondelete="CASCADE"), index=True
    )
    sealed: Mapped[bytes] = mapped_column(LargeBinary)
    created_at: Mapped[datetime] = mapped_column(default=moment())
    expires_at: Mapped[datetime | None]


class WebhookDelivery(Owned):
    """A message to one webhook: the outbox. The process that sends it owns it meanwhile.

    It is written in the transaction of its event. `message_id` is that of the event, the same for
    all webhooks and attempts. `state` is pending, delivered or failed; while it is pending,
    `next_attempt_at` is set. `generation` counts the attempts, also those that were not recorded.
    """

    __tablename__ = "webhook_deliveries"
    __table_args__ = (UniqueConstraint("webhook_id", "message_id"),)

    webhook_id: Mapped[int] = mapped_column(ForeignKey("webhooks.id", ondelete="CASCADE"))
    message_id: Mapped[str] = mapped_column(String(40))
    event: Mapped[str] = mapped_column(String(60))
    body: Mapped[str] = mapped_column(Text)
    state: Mapped[DeliveryState] = mapped_column(String(20), default="pending")
    tries_left: Mapped[int]
    next_attempt_at: Mapped[datetime | None] = mapped_column(default=moment(), index=True)
    created_at: Mapped[datetime] = mapped_column(default=moment())
    ended_at: Mapped[datetime | None] = mapped_column(index=True)


class WebhookAttempt(Base):
    """One request to a webhook: its response, or why there was none."""

    __tablename__ = "webhook_attempts"

    id: Mapped[int] = mapped_column(primary_key=True)
    delivery_id: Mapped[int] = mapped_column(
        ForeignKey("webhook_deliveries.id", ondelete="CASCADE"), index=True
    )
    number: Mapped[int]
    ended_at: Mapped[datetime] = mapped_column(default=moment())
    duration_ns: Mapped[int]
    address: Mapped[str | None] = mapped_column(String(64))
    status: Mapped[int | None]
    error: Mapped[str | None] = mapped_column(String(1000))
    answer: Mapped[str | None] = mapped_column(Text)

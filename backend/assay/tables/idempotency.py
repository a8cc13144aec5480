"""Table of idempotency keys and the responses to the first requests with them."""

from datetime import datetime
from typing import Any

from sqlalchemy import LargeBinary, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from assay.tables.clock import moment
from assay.tables.database import Base


class IdempotencyKey(Base):
    """A key of a principal for a path, with the response once there is one.

    Until then, `claim` identifies the request that executes it, and `claimed_until` is when another
    request may assume that its process has died. `fingerprint` is a keyed hash of query and body,
    which may have a password. `body` is null if the response has a secret.
    """

    __tablename__ = "idempotency_keys"
    __table_args__ = (UniqueConstraint("principal", "path", "key"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    principal: Mapped[str] = mapped_column(String(40))
    path: Mapped[str] = mapped_column(String(200))
    key: Mapped[str] = mapped_column(String(255))
    fingerprint: Mapped[str] = mapped_column(String(64))
    claim: Mapped[str] = mapped_column(String(32))
    claimed_until: Mapped[datetime]
    status: Mapped[int | None]
    headers: Mapped[dict[str, Any]] = mapped_column(default=dict)
    body: Mapped[bytes | None] = mapped_column(LargeBinary)
    created_at: Mapped[datetime] = mapped_column(default=moment())
    expires_at: Mapped[datetime] = mapped_column(index=True)

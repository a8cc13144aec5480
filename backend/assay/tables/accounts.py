"""Tables of users, browser sessions, API tokens and the audit log."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column, relationship

from assay.base.etags import etag
from assay.tables.clock import moment
from assay.tables.database import Base


class User(Base):
    """A person who logs in; `role` is viewer, operator or admin."""

    __tablename__ = "users"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(100), unique=True)
    password_hash: Mapped[str] = mapped_column(String(200))
    role: Mapped[str] = mapped_column(String(20))
    disabled: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[datetime] = mapped_column(default=moment())

    @property
    def etag(self) -> str:
        """The entity tag of what an administrator edits; a new password changes it, too."""
        return etag(self, ("role", "disabled", "password_hash"))


class BrowserSession(Base):
    """A browser session: the hash of its cookie and its CSRF token."""

    __tablename__ = "sessions"

    id: Mapped[int] = mapped_column(primary_key=True)
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    csrf: Mapped[str] = mapped_column(String(64))
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    created_at: Mapped[datetime] = mapped_column(default=moment())
    expires_at: Mapped[datetime]

    user: Mapped[User] = relationship(lazy="joined", innerjoin=True)


class ApiToken(Base):
    """An API token, stored as a hash; tokens of the command line have no user.

    It may do what its `role` allows, or only the `scopes` of it, if it has any. It launches only on
    targets with all `target_labels`, in a day (UTC) campaigns that write `bytes_per_day`, and
    `campaigns_at_once`; null is no limit. `use_xid` is the transaction that recorded its last use
    (`assay.tables.snapshot`).
    """

    __tablename__ = "tokens"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(100))
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    role: Mapped[str] = mapped_column(String(20))
    user_id: Mapped[int | None] = mapped_column(
        ForeignKey("users.id", ondelete="CASCADE"), index=True
    )
    created_by: Mapped[str] = mapped_column(String(100))
    created_at: Mapped[datetime] = mapped_column(default=moment())
    expires_at: Mapped[datetime | None]
    last_used_at: Mapped[datetime | None]
    use_xid: Mapped[int | None]
    scopes: Mapped[list[Any] | None]
    target_labels: Mapped[dict[str, Any]] = mapped_column(default=dict)
    bytes_per_day: Mapped[int | None]
    campaigns_at_once: Mapped[int | None]

    user: Mapped[User | None] = relationship(lazy="joined")


class AuditEntry(Base):
    """One change: actor, action, object, time and address."""

    __tablename__ = "audit_log"

    id: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[datetime] = mapped_column(default=moment(), index=True)
    actor: Mapped[str] = mapped_column(String(120))
    action: Mapped[str] = mapped_column(String(60))
    object: Mapped[str] = mapped_column(String(200))
    detail: Mapped[dict[str, Any]] = mapped_column(default=dict)
    address: Mapped[str] = mapped_column(String(64))


class Installation(Base):
    """Named values of this installation, such as the hash of the setup code."""

    __tablename__ = "installation"

    name: Mapped[str] = mapped_column(String(60), primary_key=True)
    value: Mapped[str] = mapped_column(String(500))

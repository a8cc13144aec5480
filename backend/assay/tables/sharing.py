"""Table of share links."""

from datetime import datetime

from sqlalchemy import ForeignKey, String, false
from sqlalchemy.orm import Mapped, mapped_column

from assay.tables.clock import moment
from assay.tables.database import Base


class ShareLink(Base):
    """A link that shows the report of a campaign without a login, until `expires_at`.

    The token in it is stored as a hash. A revoked link stays in the list, with its accesses.
    """

    __tablename__ = "shares"

    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[int] = mapped_column(
        ForeignKey("campaigns.id", ondelete="CASCADE"), index=True
    )
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    name: Mapped[str | None] = mapped_column(String(100))
    show_identifiers: Mapped[bool] = mapped_column(default=False, server_default=false())
    created_by: Mapped[str] = mapped_column(String(120))
    created_at: Mapped[datetime] = mapped_column(default=moment())
    expires_at: Mapped[datetime]
    revoked_at: Mapped[datetime | None]
    accesses: Mapped[int] = mapped_column(default=0)
    last_access_at: Mapped[datetime | None]

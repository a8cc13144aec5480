"""Table of campaigns: a profile launched on chosen targets."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column

from assay.database import Base, now

PERSON, SCHEDULE = "person", "schedule"
"""Who launched a campaign: somebody who waits for it, by hand or by a pipeline; or a schedule."""


class Campaign(Base):
    """What a person launches and cancels; its state is derived from its runs.

    `revision` grows with every change a live page should see; it is the id of its
    server-sent events.
    """

    __tablename__ = "campaigns"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(200))
    profile_id: Mapped[int] = mapped_column(ForeignKey("profiles.id"), index=True)
    profile_snapshot: Mapped[dict[str, Any]]
    parameters: Mapped[dict[str, Any]] = mapped_column(default=dict)
    created_by: Mapped[str] = mapped_column(String(120))
    origin: Mapped[str] = mapped_column(String(20), default=PERSON, server_default=PERSON)
    created_at: Mapped[datetime] = mapped_column(default=now, index=True)
    cancel_requested_at: Mapped[datetime | None]
    cancelled_by: Mapped[str | None] = mapped_column(String(120))
    revision: Mapped[int] = mapped_column(default=1)

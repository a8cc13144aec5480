"""Table of campaigns: a profile launched on chosen targets."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Select, String, select
from sqlalchemy.orm import Mapped, mapped_column

from assay.base.states import Origin
from assay.tables.clock import moment
from assay.tables.database import Base

PERSON, TOKEN, SCHEDULE = "person", "token", "schedule"
"""What launched a campaign: a person in a browser, a pipeline with an API token, or a schedule."""


class Campaign(Base):
    """The unit that is launched and canceled; state and revision are derived from its runs.

    `criteria` are those of the profile and of the launch; `stops` is whether one of them stops the
    campaign when a run fails it. `edits` counts changes of the campaign itself, such as its name.
    One with `deleted_at` is hidden, and removed later (`assay.runs.campaigns.deletion`).
    `schedule_id` is the schedule that launched it, by itself or by hand. What had failed by
    `seen_at` needs no attention (`assay.runs.campaigns.attention`).
    """

    __tablename__ = "campaigns"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(200))
    profile_id: Mapped[int] = mapped_column(ForeignKey("profiles.id"), index=True)
    profile_snapshot: Mapped[dict[str, Any]]
    parameters: Mapped[dict[str, Any]] = mapped_column(default=dict)
    criteria: Mapped[list[Any]] = mapped_column(default=list)
    stops: Mapped[bool] = mapped_column(default=False)
    created_by: Mapped[str] = mapped_column(String(120))
    origin: Mapped[Origin] = mapped_column(String(20), default=PERSON, server_default=PERSON)
    created_at: Mapped[datetime] = mapped_column(default=moment(), index=True)
    cancel_requested_at: Mapped[datetime | None]
    cancelled_by: Mapped[str | None] = mapped_column(String(120))
    reference: Mapped[str | None] = mapped_column(String(200))
    edits: Mapped[int] = mapped_column(default=0)
    deleted_at: Mapped[datetime | None] = mapped_column(index=True)
    schedule_id: Mapped[int | None] = mapped_column(
        ForeignKey("schedules.id", ondelete="SET NULL"), index=True
    )
    seen_at: Mapped[datetime | None]
    seen_by: Mapped[str | None] = mapped_column(String(120))


def deleted() -> Select[int]:
    """Select the ids of deleted campaigns."""
    return select(Campaign.id).where(Campaign.deleted_at.is_not(None))

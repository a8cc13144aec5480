"""Tables of schedules and of what became of their fire times."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from assay.base.states import FiringOutcome
from assay.tables.clock import moment
from assay.tables.database import Base

LAUNCHED, REFUSED, MISSED, SKIPPED = "launched", "refused", "missed", "skipped"
"""What became of a fire time: a campaign; a plan that cannot be launched; a fire time that Assay
did not fire in time; one that came while the previous campaign had not ended."""


class Schedule(Base):
    """A plan of a campaign, and when it is launched.

    `plan` is the request as it was posted. `next_at` is the next fire time, null while paused;
    it was computed at `planned_at`.
    """

    __tablename__ = "schedules"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(200), unique=True)
    cron: Mapped[str] = mapped_column(String(100))
    zone: Mapped[str] = mapped_column(String(100))
    weekly_blackouts: Mapped[list[Any]] = mapped_column(default=list)
    dated_blackouts: Mapped[list[Any]] = mapped_column(default=list)
    grace_s: Mapped[int]
    plan: Mapped[dict[str, Any]]
    next_at: Mapped[datetime | None] = mapped_column(index=True)
    planned_at: Mapped[datetime] = mapped_column(default=moment())
    paused_at: Mapped[datetime | None]
    created_by: Mapped[str] = mapped_column(String(120))
    created_at: Mapped[datetime] = mapped_column(default=moment())


class Firing(Base):
    """What became of a fire time, or of `times` consecutive ones from `due_at` to `last_due_at`.

    One that was run by hand has its own time. `detail` is why no campaign was launched.
    """

    __tablename__ = "schedule_firings"
    __table_args__ = (UniqueConstraint("schedule_id", "due_at"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    schedule_id: Mapped[int] = mapped_column(ForeignKey("schedules.id", ondelete="CASCADE"))
    due_at: Mapped[datetime]
    last_due_at: Mapped[datetime]
    times: Mapped[int] = mapped_column(default=1)
    at: Mapped[datetime] = mapped_column(default=moment())
    by_hand: Mapped[bool] = mapped_column(default=False)
    outcome: Mapped[FiringOutcome] = mapped_column(String(20))
    campaign_id: Mapped[int | None] = mapped_column(
        ForeignKey("campaigns.id", ondelete="SET NULL"), index=True
    )
    code: Mapped[str | None] = mapped_column(String(60))
    detail: Mapped[str | None] = mapped_column(String(2000))

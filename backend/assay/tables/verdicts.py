"""Tables of verdicts and waivers."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, ForeignKeyConstraint, Index, String, text
from sqlalchemy.orm import Mapped, mapped_column

from assay.tables.clock import moment
from assay.tables.database import Base


class Verdict(Base):
    """One criterion of a campaign judged on one of its runs; immutable once stored.

    `number` is the criterion's index in the campaign. `rules` and `build` name the stored result
    that was judged, `criteria_rules` the version of the rules that judged it. `detail` has the
    other fields of `assay.runs.verdicts.judging.Row`.
    """

    __tablename__ = "verdicts"
    __table_args__ = (
        ForeignKeyConstraint(
            ["run_id", "rules", "build"],
            ["results.run_id", "results.rules", "results.build"],
            ondelete="CASCADE",
        ),
        Index(  # of all runs at once
            "ix_verdicts_failed",
            "run_id",
            sqlite_where=text("outcome = 'fail'"),
            postgresql_where=text("outcome = 'fail'"),
        ),
    )

    run_id: Mapped[int] = mapped_column(primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    rules: Mapped[str] = mapped_column(String(20))
    build: Mapped[int]
    criteria_rules: Mapped[str] = mapped_column(String(20))
    criterion: Mapped[str] = mapped_column(String(200))
    outcome: Mapped[str] = mapped_column(String(20))
    detail: Mapped[dict[str, Any]]
    judged_at: Mapped[datetime] = mapped_column(default=moment())


class Waiver(Base):
    """The decision to accept a criterion that a run did not pass, until `expires_at`."""

    __tablename__ = "waivers"
    __table_args__ = (
        ForeignKeyConstraint(
            ["run_id", "number"], ["verdicts.run_id", "verdicts.number"], ondelete="CASCADE"
        ),
        Index("ix_waivers_run_id_number", "run_id", "number"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    run_id: Mapped[int]
    number: Mapped[int]
    actor: Mapped[str] = mapped_column(String(120))
    reason: Mapped[str] = mapped_column(String(2000))
    created_at: Mapped[datetime] = mapped_column(default=moment())
    expires_at: Mapped[datetime]


class CampaignWaiver(Base):
    """The decision to accept a criterion by which no run of a campaign was judged."""

    __tablename__ = "campaign_waivers"
    __table_args__ = (Index("ix_campaign_waivers_campaign_id_number", "campaign_id", "number"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaigns.id", ondelete="CASCADE"))
    number: Mapped[int]
    actor: Mapped[str] = mapped_column(String(120))
    reason: Mapped[str] = mapped_column(String(2000))
    created_at: Mapped[datetime] = mapped_column(default=moment())
    expires_at: Mapped[datetime]

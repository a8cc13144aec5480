"""Table of what campaigns count against the quotas of their tokens."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column

from assay.tables.clock import moment
from assay.tables.database import Base


class TokenCharge(Base):
    """What a campaign counts against the quotas of the token that launched it.

    Until the campaign has ended, that is what its plan writes; then what it wrote. `prepared` has
    the bytes that each run writes before its trials, in the order of their numbers. A charge
    outlives its campaign, so that deleting one frees no quota.
    """

    __tablename__ = "token_charges"
    __table_args__ = (Index("ix_token_charges_token_id_at", "token_id", "at"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    token_id: Mapped[int] = mapped_column(ForeignKey("tokens.id", ondelete="CASCADE"))
    campaign_id: Mapped[int | None] = mapped_column(
        ForeignKey("campaigns.id", ondelete="SET NULL"), index=True
    )
    at: Mapped[datetime] = mapped_column(default=moment())
    planned_bytes: Mapped[int]
    prepared: Mapped[list[Any]]
    written_bytes: Mapped[int | None]

"""The table of the retention rules, which has one row once they were set."""

from datetime import datetime
from typing import Any

from sqlalchemy import String
from sqlalchemy.orm import Mapped, mapped_column

from assay.tables.clock import moment
from assay.tables.database import Base

ONLY = 1
"""The id of the row."""


class Retention(Base):
    """The rules, and when they were last applied to all that is stored.

    `rules` is a document of `RetentionRules`. Until `requested_at` is before `applied_at`, an
    administrator waits for their application.
    """

    __tablename__ = "retention"

    id: Mapped[int] = mapped_column(primary_key=True)
    rules: Mapped[dict[str, Any]]
    changed_at: Mapped[datetime] = mapped_column(default=moment())
    changed_by: Mapped[str] = mapped_column(String(120))
    requested_at: Mapped[datetime | None]
    applied_at: Mapped[datetime | None]

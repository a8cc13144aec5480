"""Tables of notes: Markdown on a campaign, run or array."""

from datetime import datetime
from typing import ClassVar

from sqlalchemy import ForeignKey, String, Text
from sqlalchemy.orm import Mapped, declared_attr, mapped_column

from assay.tables.clock import moment
from assay.tables.database import Base


class Notes(Base):
    """The notes on an object of one table, deleted with it; no row if there are none."""

    __abstract__ = True
    of: ClassVar[str]
    """The table of the objects."""

    @declared_attr
    @classmethod
    def owner_id(cls) -> Mapped[int]:
        """The object."""
        owner = ForeignKey(f"{cls.of}.id", ondelete="CASCADE")
        return mapped_column(owner, primary_key=True, autoincrement=False, sort_order=-1)

    text: Mapped[str] = mapped_column(Text)
    changed_at: Mapped[datetime] = mapped_column(default=moment())
    changed_by: Mapped[str] = mapped_column(String(120))


class CampaignNotes(Notes):
    """The notes on a campaign."""

    __tablename__ = "campaign_notes"
    of = "campaigns"


class RunNotes(Notes):
    """The notes on a run."""

    __tablename__ = "run_notes"
    of = "runs"


class ArrayNotes(Notes):
    """The notes on an array."""

    __tablename__ = "array_notes"
    of = "arrays"

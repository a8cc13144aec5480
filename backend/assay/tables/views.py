"""Table of saved views."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from assay.base.etags import etag
from assay.tables.clock import moment
from assay.tables.database import Base

EDITABLE = ("name", "search")


class SavedView(Base):
    """The filters and the order of a list under a name; `search` has the parameters of the page."""

    __tablename__ = "saved_views"
    __table_args__ = (UniqueConstraint("user_id", "list", "name"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    list: Mapped[str] = mapped_column(String(20))
    name: Mapped[str] = mapped_column(String(100))
    search: Mapped[dict[str, Any]]
    created_at: Mapped[datetime] = mapped_column(default=moment())

    @property
    def etag(self) -> str:
        """The entity tag of what its user edits."""
        return etag(self, EDITABLE)

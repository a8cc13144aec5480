"""Table of profiles: named, versioned lists of tests."""

from datetime import datetime
from typing import Any

from sqlalchemy import String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from assay.base.etags import etag
from assay.tables.clock import moment
from assay.tables.database import Base


class Profile(Base):
    """One version of a profile; a changed profile is a new row under the same slug."""

    __tablename__ = "profiles"
    __table_args__ = (UniqueConstraint("slug", "version"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    slug: Mapped[str] = mapped_column(String(120))
    version: Mapped[int] = mapped_column(default=1)
    name: Mapped[str] = mapped_column(String(200))
    description: Mapped[str] = mapped_column(String(2000), default="")
    builtin: Mapped[bool] = mapped_column(default=False)
    body: Mapped[dict[str, Any]]
    managed_by: Mapped[str | None] = mapped_column(String(100))
    created_by: Mapped[str] = mapped_column(String(120))
    created_at: Mapped[datetime] = mapped_column(default=moment())
    retired_at: Mapped[datetime | None]

    @property
    def etag(self) -> str:
        """The entity tag of this version, which never changes."""
        return etag(self, ("slug", "version"))

"""Table of tools: the commands that an administrator allows on hosts."""

from datetime import datetime
from typing import Any

from sqlalchemy import String
from sqlalchemy.orm import Mapped, mapped_column

from assay.base.etags import etag
from assay.tables.clock import moment
from assay.tables.database import Base


class Tool(Base):
    """A tool; runs keep the definition that they were launched with."""

    __tablename__ = "tools"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(40), unique=True)
    builtin: Mapped[bool] = mapped_column(default=False)
    definition: Mapped[dict[str, Any]]
    changed_by: Mapped[str] = mapped_column(String(120))
    changed_at: Mapped[datetime] = mapped_column(default=moment())

    @property
    def etag(self) -> str:
        """The entity tag of what an administrator edits."""
        return etag(self, ("definition",))

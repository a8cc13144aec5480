"""Tables of arrays, the storage systems under test, and of deleted ones that have results."""

from datetime import datetime

from sqlalchemy import String, false
from sqlalchemy.orm import Mapped, mapped_column

from assay.tables.clock import moment
from assay.tables.database import Base

IDENTITY = ("vendor", "model", "serial", "firmware", "raid")


class Array(Base):
    """A storage system. `cache_bytes` is declared by its owner.

    A `shared` array serves one run at a time, because concurrent runs would disturb each other.
    """

    __tablename__ = "arrays"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(200), unique=True)
    vendor: Mapped[str | None] = mapped_column(String(200))
    model: Mapped[str | None] = mapped_column(String(200))
    serial: Mapped[str | None] = mapped_column(String(200))
    firmware: Mapped[str | None] = mapped_column(String(200))
    raid: Mapped[str | None] = mapped_column(String(200))
    cache_bytes: Mapped[int | None]
    shared: Mapped[bool] = mapped_column(default=False, server_default=false())
    reference: Mapped[str | None] = mapped_column(String(200))
    managed_by: Mapped[str | None] = mapped_column(String(100))
    created_at: Mapped[datetime] = mapped_column(default=moment())

    @property
    def identity(self) -> dict[str, str | None]:
        """Fields that a run copies in addition to the name and the declared cache."""
        return {name: getattr(self, name) for name in IDENTITY}


class DeletedArray(Base):
    """What identified a deleted array, in case it is registered again; it has the array's id."""

    __tablename__ = "deleted_arrays"

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    name: Mapped[str] = mapped_column(String(200))
    vendor: Mapped[str | None] = mapped_column(String(200))
    serial: Mapped[str | None] = mapped_column(String(200))
    created_at: Mapped[datetime]
    deleted_at: Mapped[datetime] = mapped_column(default=moment())

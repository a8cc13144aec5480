"""Table of targets: directories in which tests may write."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from assay.tables.arrays import Array
from assay.tables.clock import moment
from assay.tables.database import Base
from assay.tables.hosts import Host


class Target(Base):
    """A directory on a host.

    `fs_type`, `fs_source` and `fs_uuid` identify the file system at registration; a run does not
    start on a different one. `facts` is the probe's complete response.
    """

    __tablename__ = "targets"
    __table_args__ = (UniqueConstraint("host_id", "path"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    host_id: Mapped[int] = mapped_column(ForeignKey("hosts.id"), index=True)
    array_id: Mapped[int | None] = mapped_column(ForeignKey("arrays.id"), index=True)
    name: Mapped[str] = mapped_column(String(200))
    path: Mapped[str] = mapped_column(String(4096))
    fs_type: Mapped[str] = mapped_column(String(60))
    fs_source: Mapped[str] = mapped_column(String(1000))
    fs_uuid: Mapped[str | None] = mapped_column(String(100))
    reserve_bytes: Mapped[int | None]
    root_consent: Mapped[bool] = mapped_column(default=False)
    facts: Mapped[dict[str, Any]]
    reference: Mapped[str | None] = mapped_column(String(200))
    managed_by: Mapped[str | None] = mapped_column(String(100))
    created_at: Mapped[datetime] = mapped_column(default=moment())
    checked_at: Mapped[datetime] = mapped_column(default=moment())
    retired_at: Mapped[datetime | None]

    host: Mapped[Host] = relationship(lazy="raise")
    array: Mapped[Array | None] = relationship(lazy="raise")

    @property
    def identity(self) -> dict[str, str | None]:
        """The fields that identify the registered file system."""
        return {"type": self.fs_type, "source": self.fs_source, "uuid": self.fs_uuid}

    @property
    def devices(self) -> tuple[str, ...]:
        """The physical disks below the directory, through partitions, mappings and RAID.

        Empty if the host does not show them, as of a network file system.
        """
        disks: list[dict[str, Any]] = self.facts.get("disks") or []
        return tuple(disk["name"] for disk in disks)

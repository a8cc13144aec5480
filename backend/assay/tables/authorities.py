"""Table of host authorities: keys that sign the keys of hosts."""

from datetime import datetime
from typing import Any

from sqlalchemy import String
from sqlalchemy.orm import Mapped, mapped_column

from assay.tables.clock import moment
from assay.tables.database import Base


class HostAuthority(Base):
    """A trusted authority. A host whose address matches `patterns` is trusted by its certificate.

    `revoked_keys` are public keys of hosts, as lines, that are not accepted in spite of one.
    """

    __tablename__ = "host_authorities"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(100), unique=True)
    public_key: Mapped[str] = mapped_column(String(4000))
    fingerprint: Mapped[str] = mapped_column(String(100))
    patterns: Mapped[list[Any]]
    revoked_keys: Mapped[list[Any]] = mapped_column(default=list)
    created_at: Mapped[datetime] = mapped_column(default=moment())

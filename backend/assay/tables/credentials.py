"""Table of credentials, encrypted with a key that is not in the database."""

from datetime import datetime

from sqlalchemy import LargeBinary, String
from sqlalchemy.orm import Mapped, mapped_column

from assay.tables.clock import moment
from assay.tables.database import Base


class Credential(Base):
    """An SSH key or password; `kind` is private_key, generated or password."""

    __tablename__ = "credentials"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(100), unique=True)
    kind: Mapped[str] = mapped_column(String(20))
    sealed: Mapped[bytes] = mapped_column(LargeBinary)
    public_key: Mapped[str | None] = mapped_column(String(4000))
    fingerprint: Mapped[str | None] = mapped_column(String(100))
    certificate: Mapped[str | None] = mapped_column(String(16_000))
    created_at: Mapped[datetime] = mapped_column(default=moment())

"""The tables of sample blocks, with their roll-ups, of mark blocks, and of link blocks."""

from sqlalchemy import ForeignKey, LargeBinary
from sqlalchemy.orm import Mapped, mapped_column

from assay.tables.database import Base

BLOCK_SAMPLES = 1000
"""Number of samples in a full block: one bucket of the widest roll-up."""


class SampleBlock(Base):
    """Samples `first` to `first + count - 1` of an attempt, and their roll-ups.

    Written once, when it is full or the attempt ends. `samples` and each level of `rollups` are
    packed columns (`assay.runs.samples.codec`) in the layout of version `format`, with the names of
    their columns. `begin_ns` and `end_ns` count from the start of the trial's clock.
    """

    __tablename__ = "sample_blocks"

    run_id: Mapped[int] = mapped_column(ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True)
    attempt_id: Mapped[int] = mapped_column(primary_key=True)
    first: Mapped[int] = mapped_column(primary_key=True)
    count: Mapped[int]
    begin_ns: Mapped[int]
    end_ns: Mapped[int]
    format: Mapped[int]
    samples: Mapped[bytes] = mapped_column(LargeBinary)
    rollups: Mapped[bytes] = mapped_column(LargeBinary)


class MarkBlock(Base):
    """Marks `first` to `first + count - 1` of an attempt, packed like samples.

    Written once, with the sample block whose end they precede or when the attempt ends.
    """

    __tablename__ = "mark_blocks"

    run_id: Mapped[int] = mapped_column(ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True)
    attempt_id: Mapped[int] = mapped_column(primary_key=True)
    first: Mapped[int] = mapped_column(primary_key=True)
    count: Mapped[int]
    format: Mapped[int]
    marks: Mapped[bytes] = mapped_column(LargeBinary)


class LinkBlock(Base):
    """What the streams and stages of a transfer did in part of an attempt, packed like samples.

    A row per `link` event (`assay.kinds.transfer.links`), the first one at `first_ns` of the trial.
    Written once, with the sample block whose end they precede or when the attempt ends.
    """

    __tablename__ = "link_blocks"

    run_id: Mapped[int] = mapped_column(ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True)
    attempt_id: Mapped[int] = mapped_column(primary_key=True)
    first_ns: Mapped[int] = mapped_column(primary_key=True)
    count: Mapped[int]
    format: Mapped[int]
    links: Mapped[bytes] = mapped_column(LargeBinary)

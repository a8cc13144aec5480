"""Table of decisions on whether what was registered again is the same as what was deleted."""

from datetime import datetime
from typing import Any

from sqlalchemy import String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from assay.base.states import MatchOf
from assay.tables.clock import moment
from assay.tables.database import Base


class HistoryDecision(Base):
    """Whether a host, target or array is the same as a deleted one; `of` says which of them.

    `subject_id` is the registered one, `earlier_id` the deleted one. Ids are never used twice, so
    they name the same objects as long as the decision exists. If both are the `same`, `runs` belong
    to the registered one because of it: `FormerPlace` has what each of their participants was of.
    `took_array_id` is the array that the target took over, `read_back_run_ids` are the runs whose
    files were read back at the earlier target.
    """

    __tablename__ = "history_decisions"
    __table_args__ = (UniqueConstraint("of", "subject_id", "earlier_id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    of: Mapped[MatchOf] = mapped_column(String(10))
    subject_id: Mapped[int]
    earlier_id: Mapped[int]
    same: Mapped[bool]
    runs: Mapped[int] = mapped_column(default=0)
    took_array_id: Mapped[int | None]
    read_back_run_ids: Mapped[list[Any]] = mapped_column(default=list)
    decided_by: Mapped[str] = mapped_column(String(120))
    decided_at: Mapped[datetime] = mapped_column(default=moment())

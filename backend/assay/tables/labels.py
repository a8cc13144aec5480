"""Tables of labels: a key and a value of a host, target, array, campaign or run."""

from typing import ClassVar

from sqlalchemy import ForeignKey, Index, String
from sqlalchemy.orm import Mapped, declared_attr, mapped_column

from assay.base.labels import LONGEST_KEY, LONGEST_VALUE
from assay.tables.database import Base


class Label(Base):
    """A label of an object of one table, deleted with it; lists find objects by key and value."""

    __abstract__ = True
    of: ClassVar[str]
    """The table of the objects."""

    @declared_attr.directive
    @classmethod
    def __table_args__(cls) -> tuple[Index]:
        """Index the keys and values."""
        return (Index(f"ix_{cls.__tablename__}_key_value", "key", "value"),)

    @declared_attr
    @classmethod
    def owner_id(cls) -> Mapped[int]:
        """The object; the first column of the key, because labels are read by object."""
        owner = ForeignKey(f"{cls.of}.id", ondelete="CASCADE")
        return mapped_column(owner, primary_key=True, sort_order=-1)

    key: Mapped[str] = mapped_column(String(LONGEST_KEY), primary_key=True)
    value: Mapped[str] = mapped_column(String(LONGEST_VALUE))


class HostLabel(Label):
    """A label of a host."""

    __tablename__ = "host_labels"
    of = "hosts"


class TargetLabel(Label):
    """A label of a target."""

    __tablename__ = "target_labels"
    of = "targets"


class ArrayLabel(Label):
    """A label of an array."""

    __tablename__ = "array_labels"
    of = "arrays"


class CampaignLabel(Label):
    """A label of a campaign."""

    __tablename__ = "campaign_labels"
    of = "campaigns"


class RunLabel(Label):
    """A label that a host, target or array of a run had at the launch.

    They may have different values of a key.
    """

    __tablename__ = "run_labels"
    of = "runs"

    value: Mapped[str] = mapped_column(String(LONGEST_VALUE), primary_key=True)

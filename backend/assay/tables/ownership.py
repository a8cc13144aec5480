"""Ownership: which worker drives a run, or performs a check.

A worker takes it with one compare-and-set that increments the row's generation. It expires unless
it is renewed. Every later write names its generation, so a worker that was presumed dead and comes
back cannot write any more. The probe also rejects lower generations of a run.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Generic, TypeVar

from sqlalchemy import ColumnElement, String, or_, select, update
from sqlalchemy.orm import Mapped, Session, mapped_column

from assay.base.settings import settings
from assay.tables.clock import moment
from assay.tables.database import Base, among


class Owned(Base):
    """A row that a worker owns while it works on it; `generation` counts its owners."""

    __abstract__ = True

    id: Mapped[int] = mapped_column(primary_key=True)
    owner: Mapped[str | None] = mapped_column(String(120))
    generation: Mapped[int] = mapped_column(default=0)
    owned_until: Mapped[datetime | None]


OwnedRow = TypeVar("OwnedRow", bound=Owned)


@dataclass(frozen=True)
class Ownership(Generic[OwnedRow]):
    """The right to work on a row, until a worker takes a higher generation."""

    of: type[OwnedRow]
    id: int
    generation: int
    owner: str


class StaleGenerationError(Exception):
    """A worker that lost its ownership tried to write."""

    def __init__(self, what: str, generation: int, current: int | None) -> None:
        """Name the row, such as "run 7"; `current` is None if it was deleted."""
        has = "was deleted" if current is None else f"has generation {current}"
        super().__init__(f"{what} {has}; a write of generation {generation} is rejected")


def without_owner(of: type[Owned]) -> ColumnElement[bool]:
    """Return SQL for whether a row has no owner.

    An end far in the future was written before the database's clock was set back, and counts as
    passed: a live owner renews it, and a dead one must not hold the row for an hour.
    """
    longest = timedelta(seconds=2 * settings().ownership_seconds)
    return or_(
        of.owned_until.is_(None), of.owned_until < moment(), of.owned_until > moment(longest)
    )


def take(
    session: Session,
    of: type[OwnedRow],
    row_id: int,
    owner: str,
    free: ColumnElement[bool],
    **changes: Any,
) -> Ownership[OwnedRow] | None:
    """Take a row if it is `free`, and apply `changes` to it; returns None if it is not free."""
    generation = session.execute(
        update(of)
        .where(of.id == row_id, free)
        .values(owner=owner, generation=of.generation + 1, owned_until=_end(), **changes)
        .returning(of.generation)
        .execution_options(synchronize_session=False)
    ).scalar_one_or_none()
    return None if generation is None else Ownership(of, row_id, generation, owner)


def renew(
    session: Session, of: type[OwnedRow], ownerships: Sequence[Ownership[OwnedRow]]
) -> set[Ownership[OwnedRow]]:
    """Extend ownerships; returns those that were neither taken by another worker nor released."""
    claimed = [one.id for one in ownerships]
    owned = session.execute(
        select(of.id, of.generation)
        .where(among(session, of.id, claimed), of.owner.is_not(None))
        .order_by(of.id)  # every worker locks in this order
        .with_for_update()
    ).all()
    generations = dict(map(tuple[int, int], owned))
    ours = {one for one in ownerships if generations.get(one.id) == one.generation}
    session.execute(
        update(of)
        .where(among(session, of.id, [one.id for one in ours]))
        .values(owned_until=_end())
        .execution_options(synchronize_session=False)
    )
    return ours


def release(session: Session, ownership: Ownership[Any]) -> None:
    """Release an ownership, so that the next owner need not wait until it expires."""
    of = ownership.of
    session.execute(
        update(of)
        .where(of.id == ownership.id, of.generation == ownership.generation)
        .values(owner=None, owned_until=None)
        .execution_options(synchronize_session=False)
    )


def held(session: Session, ownership: Ownership[OwnedRow]) -> OwnedRow:
    """Return the row, locked until the commit; raises StaleGenerationError."""
    of = ownership.of
    row = session.scalars(
        select(of)
        .where(of.id == ownership.id)
        .with_for_update()
        .execution_options(populate_existing=True)
    ).one_or_none()
    if row is None or row.generation != ownership.generation:
        what = f"{of.__name__.lower()} {ownership.id}"
        raise StaleGenerationError(what, ownership.generation, row and row.generation)
    return row


def _end() -> ColumnElement[datetime]:
    return moment(timedelta(seconds=settings().ownership_seconds))

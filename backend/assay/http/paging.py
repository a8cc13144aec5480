"""Cursor pagination: a page has some items and the cursor of the next page."""

import base64
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Generic, TypeVar

from fastapi import Depends, Query
from pydantic import BaseModel
from sqlalchemy import Select
from sqlalchemy.orm import InstrumentedAttribute, Session

from assay.http.errors import Invalid
from assay.http.field_errors import FieldError
from assay.http.field_types import LARGEST_INTEGER

LIMIT_DEFAULT = 50
LIMIT_MAX = 200

Item = TypeVar("Item")
Row = TypeVar("Row")


class Page(BaseModel, Generic[Item]):
    """Some of the items; `next_cursor` is null on the last page."""

    items: list[Item]
    next_cursor: str | None = None


@dataclass(frozen=True)
class Slice:
    """The requested part of a list: `limit` rows after the id `after`, if any."""

    after: int | None
    limit: int

    def rows(
        self,
        session: Session,
        select: Select[Row],
        key: InstrumentedAttribute[int],
        *,
        newest_first: bool = True,
    ) -> tuple[list[Row], str | None]:
        """Return the rows of this slice of `select`, in the order of `key`, and the next cursor."""
        if self.after is not None:
            select = select.where(key < self.after if newest_first else key > self.after)
        ordered = select.order_by(key.desc() if newest_first else key.asc())
        found = list(session.scalars(ordered.limit(self.limit + 1)).unique())
        if len(found) <= self.limit:
            return found, None
        last: Any = found[self.limit - 1]
        return found[: self.limit], encode(getattr(last, key.key))


def encode(after: int) -> str:
    """Return an opaque cursor."""
    return base64.urlsafe_b64encode(f"after:{after}".encode()).decode().rstrip("=")


def decode(cursor: str) -> int:
    """Return the id in a cursor; raises Invalid."""
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        word, after = base64.b64decode(padded, altchars=b"-_", validate=True).decode().split(":")
        if word != "after" or not after.isdecimal() or int(after) > LARGEST_INTEGER:
            raise ValueError(cursor)
        return int(after)
    except ValueError as error:
        raise Invalid(
            [FieldError("cursor", "is not a cursor of this list", "Remove it.", cursor)]
        ) from error


def _slice(
    cursor: Annotated[str | None, Query(description="`next_cursor` of the previous page")] = None,
    limit: Annotated[
        int, Query(ge=1, le=LIMIT_MAX, description="Maximum number of items")
    ] = LIMIT_DEFAULT,
) -> Slice:
    return Slice(None if cursor is None else decode(cursor), limit)


PageQuery = Annotated[Slice, Depends(_slice)]
"""The `cursor` and `limit` of a request."""


def page(rows: tuple[Sequence[Row], str | None], shape: Callable[[Row], Item]) -> Page[Item]:
    """Return a page of `rows`, each converted by `shape`."""
    found, cursor = rows
    return Page(items=[shape(row) for row in found], next_cursor=cursor)

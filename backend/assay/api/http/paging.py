"""Lists: their order, pages and fields; the same for each list.

A cursor has the order, and the value and id of the page's last row: rows that are added or removed
in the meantime neither repeat nor hide others.
"""

import base64
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Generic, TypeVar

from fastapi import Query
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from sqlalchemy import ColumnElement, Select, SQLColumnExpression, String, and_, func, or_
from sqlalchemy.orm import Session

from assay.base.errors import Invalid
from assay.base.field_errors import FieldError
from assay.base.field_types import LARGEST_INTEGER

LIMIT_DEFAULT = 50
LIMIT_MAX = 200
LONGEST_FIELDS = 1000

Item = TypeVar("Item", bound=BaseModel)
Row = TypeVar("Row")

SortKey = SQLColumnExpression[Any]
"""A column or an expression."""


class Page(BaseModel, Generic[Item]):
    """Some of the items; `next_cursor` is null on the last page."""

    items: list[Item]
    next_cursor: str | None = None


@dataclass(frozen=True)
class Order:
    """The order of a list: by `key`, then by `id`, both ascending or descending; nulls last.

    `name` is the order as the request names it, such as `-created_at`.
    """

    name: str
    key: SortKey
    id: SortKey

    @property
    def descending(self) -> bool:
        """Whether the largest value comes first."""
        return self.name.startswith("-")

    def clauses(self) -> list[ColumnElement[Any]]:
        """Return the clauses of ORDER BY."""
        by_id = self.id.desc() if self.descending else self.id.asc()
        if self.key is self.id:
            return [by_id]
        by_key = self.key.desc() if self.descending else self.key.asc()
        return [by_key.nulls_last() if self._nullable else by_key, by_id]

    def after(self, value: object, last_id: int) -> ColumnElement[bool]:
        """Return SQL for whether a row follows the one with this value and id."""
        id_follows = self.id < last_id if self.descending else self.id > last_id
        if self.key is self.id:
            return id_follows
        if value is None:
            return and_(self.key.is_(None), id_follows)
        key_follows = self.key < value if self.descending else self.key > value
        follows = or_(key_follows, and_(self.key == value, id_follows))
        if self._nullable:
            return or_(follows, self.key.is_(None))
        # the redundant bound lets the database begin in the middle of an index
        return and_(self.key <= value if self.descending else self.key >= value, follows)

    @property
    def type(self) -> type:
        """The type of the values in Python."""
        key: Any = self.key
        return key.type.python_type

    @property
    def _nullable(self) -> bool:
        """Whether the key may be null; an expression may."""
        return getattr(self.key, "nullable", True)


@dataclass(frozen=True)
class Cursor:
    """The last row of a page: its value in the order of this name, and its id."""

    order: str
    value: Any
    id: int

    def encoded(self) -> str:
        """Return an opaque text."""
        value = self.value.isoformat() if isinstance(self.value, datetime) else self.value
        document = json.dumps([self.order, value, self.id], separators=(",", ":"))
        return base64.urlsafe_b64encode(document.encode()).decode().rstrip("=")

    @classmethod
    def of(cls, text: str, order: Order) -> "Cursor":
        """Return the cursor in a request; raises Invalid."""
        try:
            padded = text + "=" * (-len(text) % 4)
            document: Any = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
            name, value, last_id = document
            if name != order.name or not _is_integer(last_id):
                raise ValueError(text)
            return cls(name, _typed(value, order.type), last_id)
        except (ValueError, TypeError, RecursionError) as error:
            message = f"is not a cursor of this list in the order {order.name}"
            remedy = "Remove it, or repeat the request that returned it with this cursor."
            raise Invalid([FieldError("cursor", message, remedy, text)]) from error


def _is_integer(value: object) -> bool:
    return type(value) is int and abs(value) <= LARGEST_INTEGER


def _typed(value: object, wanted: type) -> object:
    """Return a value of a cursor as a value of the column; raises ValueError."""
    if value is None:
        return None
    if wanted is datetime and isinstance(value, str):
        at = datetime.fromisoformat(value)
        if at.tzinfo is None:
            raise ValueError(value)
        return at
    if wanted is int and _is_integer(value):
        return value
    if wanted is str and isinstance(value, str) and "\x00" not in value:
        value.encode()  # raises UnicodeEncodeError for unpaired surrogates
        return value
    raise ValueError(value)


@dataclass(frozen=True)
class Listing(Generic[Item]):
    """The requested part of a list: its order, the cursor, the size and the fields of each item."""

    order: Order
    cursor: Cursor | None
    limit: int
    fields: frozenset[str] | None

    def page(
        self,
        session: Session,
        chosen: Select[Row],
        shapes: Callable[[Session, Sequence[Row]], Sequence[Item]],
    ) -> Page[Item] | JSONResponse:
        """Return a page of the chosen rows, converted by `shapes`."""
        rows, cursor = self.rows(session, chosen)
        items = list(shapes(session, rows))
        if self.fields is None:
            return Page(items=items, next_cursor=cursor)
        parts = [item.model_dump(mode="json", include=set(self.fields)) for item in items]
        return JSONResponse({"items": parts, "next_cursor": cursor})

    def rows(self, session: Session, chosen: Select[Row]) -> tuple[list[Row], str | None]:
        """Return the rows of this part, and the cursor of the next."""
        if self.cursor is not None:
            chosen = chosen.where(self.order.after(self.cursor.value, self.cursor.id))
        ordered = chosen.add_columns(self.order.key, self.order.id).order_by(*self.order.clauses())
        found = session.execute(ordered.limit(self.limit + 1)).unique().all()
        rows: list[Row] = [one[0] for one in found[: self.limit]]
        if len(found) <= self.limit:
            return rows, None
        _, value, last_id = found[self.limit - 1]
        return rows, Cursor(self.order.name, value, last_id).encoded()


def caseless(column: SQLColumnExpression[Any]) -> ColumnElement[str]:
    """Return the key of an order by a text in either case."""
    return func.lower(column, type_=String)


def each(shape: Callable[[Row], Item]) -> Callable[[Session, Sequence[Row]], list[Item]]:
    """Return a conversion of rows that needs no other rows."""
    return lambda _session, rows: [shape(row) for row in rows]


def listing(
    item: type[Item], sorts: Mapping[str, SortKey], *, by: str
) -> Callable[..., Listing[Item]]:
    """Return the dependency that reads `sort`, `cursor`, `limit` and `fields` of a request.

    `sorts` has the key of each order by its name, that of `id` included; `by` is the order without
    `sort`.
    """
    names = [sign + name for name in sorts for sign in ("", "-")]

    def read(
        sort: Annotated[
            str,
            Query(
                description="Order; `-` reverses it. Rows of the same value follow by id",
                json_schema_extra={"enum": names},
            ),
        ] = by,
        cursor: Annotated[
            str | None, Query(description="`next_cursor` of the previous page")
        ] = None,
        limit: Annotated[
            int, Query(ge=1, le=LIMIT_MAX, description="Maximum number of items")
        ] = LIMIT_DEFAULT,
        fields: Annotated[
            str | None,
            Query(
                max_length=LONGEST_FIELDS,
                description="Only these fields of each item, with commas between them: `id,name`",
            ),
        ] = None,
    ) -> Listing[Item]:
        if sort not in names:
            remedy = f"Choose one of {', '.join(sorts)}, with - before it for the reverse."
            raise Invalid([FieldError("sort", f"must be one of {', '.join(sorts)}", remedy, sort)])
        order = Order(sort, sorts[sort.removeprefix("-")], sorts["id"])
        return Listing(
            order,
            None if cursor is None else Cursor.of(cursor, order),
            limit,
            None if fields is None else _chosen(fields, item),
        )

    return read


def _chosen(text: str, item: type[BaseModel]) -> frozenset[str]:
    """Return the names in `fields`; raises Invalid for one that the items do not have."""
    chosen = frozenset(part.strip() for part in text.split(","))
    if unknown := sorted(chosen - set(item.model_fields)):
        known = ", ".join(item.model_fields)
        message = f"has {unknown[0] or 'an empty name'!r}, which is not a field of this list"
        raise Invalid([FieldError("fields", message, f"Choose among {known}.", text)])
    return chosen

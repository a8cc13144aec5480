"""Name units in documents

Revision 0008, after 0007; 2026-11-22 05:30:00.

Fields of the probe's answers and results carry their unit in their names. Raw chunks keep the
lines that the probe wrote. Campaigns that a token launched no longer count as a person's; their
`created_by` tells them.

Before this runs on somebody's data:
- Is it quick? It reads and writes each inventory, target, participant and attempt once, 500 rows
  at a time: about a minute for a million attempts.
"""

from collections.abc import Callable, Mapping
from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

DOCUMENT = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
BITS_PER_MEGABIT = 10**6
PART = 500

NAMES = {
    "alignment": "alignment_bytes",
    "dev_app": "dev_app_bytes",
    "dev_durable": "dev_durable_bytes",
    "first_read": "first_read_bytes",
    "lat_max": "lat_max_ns",
    "lat_min": "lat_min_ns",
    "lat_sum": "lat_sum_ns",
    "mem_limit": "mem_limit_bytes",
    "mem_total": "mem_total_bytes",
    "started": "started_ns",
    "working_set": "working_set_bytes",
}
COLUMNS = (
    ("inventories", "body"),
    ("targets", "facts"),
    ("participants", "hello"),
    ("attempts", "result"),
)


def upgrade() -> None:
    op.execute(
        "UPDATE campaigns SET origin = 'token' WHERE origin = 'person' "
        "AND (created_by LIKE 'token %' OR created_by LIKE '%, token %')"
    )
    _rewrite(lambda document: _named(document, NAMES) | _cards(document, _in_bits))


def downgrade() -> None:
    op.execute("UPDATE campaigns SET origin = 'person' WHERE origin = 'token'")
    names = {new: old for old, new in NAMES.items()}
    _rewrite(lambda document: _named(document, names) | _cards(document, _in_megabits))


def _named(document: dict[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    return {names.get(name, name): value for name, value in document.items()}


def _cards(
    document: dict[str, Any], renamed: Callable[[dict[str, Any]], dict[str, Any]]
) -> dict[str, Any]:
    return (
        {"nics": [renamed(dict(card)) for card in document["nics"]]} if "nics" in document else {}
    )


def _in_bits(card: dict[str, Any]) -> dict[str, Any]:
    if "speed_mbps" in card:
        speed = card.pop("speed_mbps")
        card["speed_bits_per_s"] = speed and speed * BITS_PER_MEGABIT
    return card


def _in_megabits(card: dict[str, Any]) -> dict[str, Any]:
    if "speed_bits_per_s" in card:
        speed = card.pop("speed_bits_per_s")
        card["speed_mbps"] = speed and speed // BITS_PER_MEGABIT
    return card


def _rewrite(change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    connection = op.get_bind()
    for table_name, column_name in COLUMNS:
        table = sa.table(
            table_name, sa.column("id", sa.BigInteger()), sa.column(column_name, DOCUMENT)
        )
        column, last = table.c[column_name], 0
        read = sa.select(table.c.id, column).order_by(table.c.id).limit(PART)
        while rows := connection.execute(read.where(table.c.id > last)).all():
            last = rows[-1][0]
            changed = [{"row": row_id, "new": change(old)} for row_id, old in rows if old]
            if changed:
                connection.execute(
                    sa.update(table)
                    .where(table.c.id == sa.bindparam("row"))
                    .values({column_name: sa.bindparam("new", type_=DOCUMENT)}),
                    changed,
                )

"""Tell steal time from busy time

Revision 0007, after 0006; 2026-11-22 05:40:00.

Before this runs on somebody's data:
- Is it quick? The first step adds columns; the second writes each sample and roll-up once.
- Steal time of earlier samples is 0: it was not recorded, and the busiest CPU's time includes it.
- Earlier host counters count as read at the end of each interval, as they were shown until now.
"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TABLES = ("samples", "rollups")


def upgrade() -> None:
    for table in TABLES:
        for name in ("host_dt_ns", "cpu_steal_ns"):
            op.add_column(table, sa.Column(name, BIG, nullable=False, server_default="0"))
        op.execute(f"UPDATE {table} SET host_dt_ns = dt_ns")  # noqa: S608 (names of our own)
        with op.batch_alter_table(table) as batch:
            for name in ("host_dt_ns", "cpu_steal_ns"):
                batch.alter_column(name, server_default=None)


def downgrade() -> None:
    for table in TABLES:
        op.drop_column(table, "cpu_steal_ns")
        op.drop_column(table, "host_dt_ns")

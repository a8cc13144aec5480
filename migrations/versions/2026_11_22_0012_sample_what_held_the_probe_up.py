"""Sample what held the probe up

Revision 0012, after 0011; 2026-11-22 06:00:00.

Before this runs on somebody's data:
- Is it quick? A column with a constant default rewrites no table, on either database.
- Samples of before have no lateness: theirs is 0, and their run delay is unknown.
"""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    for table in ("samples", "rollups"):
        op.add_column(table, sa.Column("late_ns", BIG, nullable=False, server_default="0"))
        op.add_column(table, sa.Column("run_delay_ns", BIG, nullable=True))


def downgrade() -> None:
    for table in ("samples", "rollups"):
        op.drop_column(table, "run_delay_ns")
        op.drop_column(table, "late_ns")

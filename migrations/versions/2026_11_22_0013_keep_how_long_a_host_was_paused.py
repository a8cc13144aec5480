"""Keep how long a host was paused

Revision 0013, after 0012; 2026-11-22 10:00:00.

Before this runs on somebody's data:
- Is it quick? A column with a constant default rewrites no table, on either database.
- Attempts of before were not compared with a worker's clock: theirs is 0.
"""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.add_column("attempts", sa.Column("host_paused_ns", BIG, nullable=False, server_default="0"))


def downgrade() -> None:
    op.drop_column("attempts", "host_paused_ns")

"""Declare that an array is shared

Revision 0004, after 0003; 2026-11-21 14:50:00.

Before this runs on somebody's data:
- Is it quick? A column with a constant default rewrites no table, on either database.
"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    shared = sa.Column("shared", sa.Boolean(), nullable=False, server_default=sa.false())
    op.add_column("arrays", shared)


def downgrade() -> None:
    op.drop_column("arrays", "shared")

"""Tell scheduled campaigns from those of people

Revision 0003, after 0002; 2026-11-21 14:40:00.

Before this runs on somebody's data:
- Is it quick? A column with a constant default rewrites no table, on either database.
"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "campaigns",
        sa.Column("origin", sa.String(length=20), nullable=False, server_default="person"),
    )


def downgrade() -> None:
    op.drop_column("campaigns", "origin")

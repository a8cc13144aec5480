"""Freeze the array's identity

Revision 0009, after 0008; 2026-11-22 06:30:00.

Before this runs on somebody's data:
- Is it quick? Two columns that may be null rewrite no table, on either database.
- Results of before have no identity: what the array is today does not show what it was then.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

DOCUMENT = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")


def upgrade() -> None:
    op.add_column("arrays", sa.Column("serial", sa.String(length=200), nullable=True))
    op.add_column("participants", sa.Column("array_identity", DOCUMENT, nullable=True))


def downgrade() -> None:
    op.drop_column("participants", "array_identity")
    op.drop_column("arrays", "serial")

"""Let workers own checks

Revision 0006, after 0005; 2026-11-21 23:30:00.

Before this runs on somebody's data:
- Is it quick? A column with a constant default rewrites no table, on either database.
- A check that is open meanwhile is nobody's afterwards, and is begun again.
"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.add_column("checks", sa.Column("owner", sa.String(length=120), nullable=True))
    op.add_column("checks", sa.Column("generation", BIG, nullable=False, server_default="0"))
    op.add_column("checks", sa.Column("owned_until", TIME, nullable=True))


def downgrade() -> None:
    op.drop_column("checks", "owned_until")
    op.drop_column("checks", "generation")
    op.drop_column("checks", "owner")

"""Give each run a revision

Revision 0011, after 0010; 2026-11-22 06:05:00.

Before this runs on somebody's data:
- Is it quick? A column with a constant default rewrites no table; one run of each campaign is
  updated.
- A campaign's revision becomes the sum of its runs'; it must not fall, because open pages ignore
  what is older than what they show.
"""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.add_column("workers", sa.Column("problem", sa.String(length=1000), nullable=True))
    op.add_column("runs", sa.Column("revision", BIG, nullable=False, server_default="1"))
    op.execute(
        "UPDATE runs SET revision = (SELECT c.revision FROM campaigns c"
        " WHERE c.id = runs.campaign_id) WHERE number = 1"
    )
    op.drop_column("campaigns", "revision")


def downgrade() -> None:
    op.add_column("campaigns", sa.Column("revision", BIG, nullable=False, server_default="1"))
    op.execute(
        "UPDATE campaigns SET revision = (SELECT sum(r.revision) FROM runs r"
        " WHERE r.campaign_id = campaigns.id)"
        " WHERE EXISTS (SELECT 1 FROM runs r WHERE r.campaign_id = campaigns.id)"
    )
    op.drop_column("runs", "revision")
    op.drop_column("workers", "problem")

"""Keep the array with each result

Revision 0005, after 0004; 2026-11-21 16:55:00.

Before this runs on somebody's data:
- Is it quick? There are as many participants as runs, and the columns are nullable.
- Results of before show the array that their target has now, as they did until now.
"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.add_column("participants", sa.Column("array_name", sa.String(length=200), nullable=True))
    op.add_column("participants", sa.Column("array_cache_bytes", BIG, nullable=True))
    op.execute(
        "UPDATE participants SET array_name = arrays.name, array_cache_bytes = arrays.cache_bytes"
        " FROM targets JOIN arrays ON arrays.id = targets.array_id"
        " WHERE targets.id = participants.target_id"
    )


def downgrade() -> None:
    op.drop_column("participants", "array_cache_bytes")
    op.drop_column("participants", "array_name")

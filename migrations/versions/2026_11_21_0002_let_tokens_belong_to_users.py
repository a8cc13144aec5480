"""Let tokens belong to users

Revision 0002, after 0001; 2026-11-21 14:20:00.

Before this runs on somebody's data:
- Is it quick? There are few tokens.
- A token whose maker has no user of that name stays nobody's, as those of the command line are.
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    with op.batch_alter_table("tokens", table_kwargs={"sqlite_autoincrement": True}) as tokens:
        tokens.add_column(sa.Column("user_id", BIG, nullable=True))
        tokens.create_foreign_key(
            "fk_tokens_user_id_users", "users", ["user_id"], ["id"], ondelete="CASCADE"
        )
        tokens.create_index("ix_tokens_user_id", ["user_id"])
    op.execute(
        "UPDATE tokens SET user_id = (SELECT id FROM users WHERE users.name = tokens.created_by)"
    )


def downgrade() -> None:
    with op.batch_alter_table("tokens", table_kwargs={"sqlite_autoincrement": True}) as tokens:
        tokens.drop_index("ix_tokens_user_id")
        tokens.drop_constraint("fk_tokens_user_id_users", type_="foreignkey")
        tokens.drop_column("user_id")

"""${message}

Revision ${up_revision}, after ${down_revision | comma,n}; ${create_date}.

Before this runs on somebody's data:
- Is it quick? A lock on a large table stops every worker; lock_timeout ends a wait after 5 s.
- New columns: nullable first, then filled in batches, then made NOT NULL in a later migration.
- Indexes on large tables: `postgresql_concurrently=True`, in a migration of its own.
- Never rename or drop what the version before still reads; drop it one version later.
- Does it work on SQLite (batch_alter_table) and on PostgreSQL? The tests run both.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql
${imports if imports else ""}
revision = ${repr(up_revision)}
down_revision = ${repr(down_revision)}
branch_labels = ${repr(branch_labels)}
depends_on = ${repr(depends_on)}

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
DOCUMENT = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    ${upgrades if upgrades else "pass"}


def downgrade() -> None:
    ${downgrades if downgrades else "pass"}

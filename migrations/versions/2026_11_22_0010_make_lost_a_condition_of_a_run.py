"""Make lost a condition of a run

Revision 0010, after 0009; 2026-11-22 05:50:00.

Before this runs on somebody's data:
- Is it quick? It changes the rows of runs that are waiting or lost, and those are few.
- A lost run that had begun is running again; its next slice finds out whether it is finishing.
"""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    runs = sa.table("runs", sa.column("id"), sa.column("state"))
    participants = sa.table("participants", sa.column("run_id"), sa.column("run_dir"))
    begun = sa.exists().where(
        participants.c.run_id == runs.c.id, participants.c.run_dir.is_not(None)
    )
    waiting, lost = (runs.c.state == state for state in ("waiting", "lost"))
    op.execute(sa.update(runs).where(waiting).values(state="queued"))
    op.execute(sa.update(runs).where(lost, begun).values(state="running"))
    op.execute(sa.update(runs).where(lost).values(state="preparing"))


def downgrade() -> None:
    runs = sa.table("runs", sa.column("state"))
    op.execute(sa.update(runs).where(runs.c.state == "queued").values(state="waiting"))

"""Create the schema

Revision 0001; the first. Until a version is released, changes of models edit this file.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
DOCUMENT = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
TIME = sa.DateTime(timezone=True)

IDS_ONCE = {"sqlite_autoincrement": True}
"""SQLite would reuse the id of a deleted last row, and a pipeline's target would change."""


def upgrade() -> None:  # noqa: PLR0915 (a statement for each table)
    op.create_table(
        "arrays",
        sa.Column("id", BIG, nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("vendor", sa.String(length=200), nullable=True),
        sa.Column("model", sa.String(length=200), nullable=True),
        sa.Column("serial", sa.String(length=200), nullable=True),
        sa.Column("firmware", sa.String(length=200), nullable=True),
        sa.Column("raid", sa.String(length=200), nullable=True),
        sa.Column("cache_bytes", BIG, nullable=True),
        sa.Column("shared", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("reference", sa.String(length=200), nullable=True),
        sa.Column("managed_by", sa.String(length=100), nullable=True),
        sa.Column("created_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_arrays"),
        sa.UniqueConstraint("name", name="uq_arrays_name"),
        **IDS_ONCE,
    )
    op.create_table(
        "deleted_arrays",
        sa.Column("id", BIG, autoincrement=False, nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("vendor", sa.String(length=200), nullable=True),
        sa.Column("serial", sa.String(length=200), nullable=True),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("deleted_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_deleted_arrays"),
    )
    op.create_table(
        "history_decisions",
        sa.Column("id", BIG, nullable=False),
        sa.Column("of", sa.String(length=10), nullable=False),
        sa.Column("subject_id", BIG, nullable=False),
        sa.Column("earlier_id", BIG, nullable=False),
        sa.Column("same", sa.Boolean(), nullable=False),
        sa.Column("runs", BIG, nullable=False),
        sa.Column("took_array_id", BIG, nullable=True),
        sa.Column("read_back_run_ids", DOCUMENT, nullable=False),
        sa.Column("decided_by", sa.String(length=120), nullable=False),
        sa.Column("decided_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_history_decisions"),
        sa.UniqueConstraint("of", "subject_id", "earlier_id", name="uq_history_decisions_of"),
        **IDS_ONCE,
    )
    op.create_table(
        "audit_log",
        sa.Column("id", BIG, nullable=False),
        sa.Column("at", TIME, nullable=False),
        sa.Column("actor", sa.String(length=120), nullable=False),
        sa.Column("action", sa.String(length=60), nullable=False),
        sa.Column("object", sa.String(length=200), nullable=False),
        sa.Column("detail", DOCUMENT, nullable=False),
        sa.Column("address", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_audit_log"),
    )
    op.create_index("ix_audit_log_at", "audit_log", ["at"])
    op.create_table(
        "credentials",
        sa.Column("id", BIG, nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.Column("public_key", sa.String(length=4000), nullable=True),
        sa.Column("fingerprint", sa.String(length=100), nullable=True),
        sa.Column("certificate", sa.String(length=16000), nullable=True),
        sa.Column("created_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_credentials"),
        sa.UniqueConstraint("name", name="uq_credentials_name"),
        **IDS_ONCE,
    )
    op.create_table(
        "host_authorities",
        sa.Column("id", BIG, nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("public_key", sa.String(length=4000), nullable=False),
        sa.Column("fingerprint", sa.String(length=100), nullable=False),
        sa.Column("patterns", DOCUMENT, nullable=False),
        sa.Column("revoked_keys", DOCUMENT, nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_host_authorities"),
        sa.UniqueConstraint("name", name="uq_host_authorities_name"),
        **IDS_ONCE,
    )
    op.create_table(
        "idempotency_keys",
        sa.Column("id", BIG, nullable=False),
        sa.Column("principal", sa.String(length=40), nullable=False),
        sa.Column("path", sa.String(length=200), nullable=False),
        sa.Column("key", sa.String(length=255), nullable=False),
        sa.Column("fingerprint", sa.String(length=64), nullable=False),
        sa.Column("claim", sa.String(length=32), nullable=False),
        sa.Column("claimed_until", TIME, nullable=False),
        sa.Column("status", BIG, nullable=True),
        sa.Column("headers", DOCUMENT, nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=True),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("expires_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_idempotency_keys"),
        sa.UniqueConstraint("principal", "path", "key", name="uq_idempotency_keys_principal"),
    )
    op.create_index("ix_idempotency_keys_expires_at", "idempotency_keys", ["expires_at"])
    op.create_table(
        "installation",
        sa.Column("name", sa.String(length=60), nullable=False),
        sa.Column("value", sa.String(length=500), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_installation"),
    )
    op.create_table(
        "retention",
        sa.Column("id", BIG, nullable=False),
        sa.Column("rules", DOCUMENT, nullable=False),
        sa.Column("changed_at", TIME, nullable=False),
        sa.Column("changed_by", sa.String(length=120), nullable=False),
        sa.Column("requested_at", TIME, nullable=True),
        sa.Column("applied_at", TIME, nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_retention"),
        **IDS_ONCE,
    )
    op.create_table(
        "profiles",
        sa.Column("id", BIG, nullable=False),
        sa.Column("slug", sa.String(length=120), nullable=False),
        sa.Column("version", BIG, nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("description", sa.String(length=2000), nullable=False),
        sa.Column("builtin", sa.Boolean(), nullable=False),
        sa.Column("body", DOCUMENT, nullable=False),
        sa.Column("managed_by", sa.String(length=100), nullable=True),
        sa.Column("created_by", sa.String(length=120), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("retired_at", TIME, nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_profiles"),
        sa.UniqueConstraint("slug", "version", name="uq_profiles_slug"),
    )
    op.create_table(
        "tools",
        sa.Column("id", BIG, nullable=False),
        sa.Column("name", sa.String(length=40), nullable=False),
        sa.Column("builtin", sa.Boolean(), nullable=False),
        sa.Column("definition", DOCUMENT, nullable=False),
        sa.Column("changed_by", sa.String(length=120), nullable=False),
        sa.Column("changed_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_tools"),
        sa.UniqueConstraint("name", name="uq_tools_name"),
    )
    op.create_table(
        "users",
        sa.Column("id", BIG, nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("password_hash", sa.String(length=200), nullable=False),
        sa.Column("role", sa.String(length=20), nullable=False),
        sa.Column("disabled", sa.Boolean(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_users"),
        sa.UniqueConstraint("name", name="uq_users_name"),
        **IDS_ONCE,
    )
    op.create_table(
        "workers",
        sa.Column("name", sa.String(length=120), nullable=False),
        sa.Column("seen_at", TIME, nullable=False),
        sa.Column("capacity", BIG, nullable=False),
        sa.Column("load", sa.Float(), nullable=False),
        sa.Column("problem", sa.String(length=1000), nullable=True),
        sa.Column("beat_xid", BIG, nullable=True),
        sa.PrimaryKeyConstraint("name", name="pk_workers"),
    )
    op.create_table(
        "schedules",
        sa.Column("id", BIG, nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("cron", sa.String(length=100), nullable=False),
        sa.Column("zone", sa.String(length=100), nullable=False),
        sa.Column("weekly_blackouts", DOCUMENT, nullable=False),
        sa.Column("dated_blackouts", DOCUMENT, nullable=False),
        sa.Column("grace_s", BIG, nullable=False),
        sa.Column("plan", DOCUMENT, nullable=False),
        sa.Column("next_at", TIME, nullable=True),
        sa.Column("planned_at", TIME, nullable=False),
        sa.Column("paused_at", TIME, nullable=True),
        sa.Column("created_by", sa.String(length=120), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_schedules"),
        sa.UniqueConstraint("name", name="uq_schedules_name"),
        **IDS_ONCE,
    )
    op.create_index("ix_schedules_next_at", "schedules", ["next_at"])
    op.create_table(
        "campaigns",
        sa.Column("id", BIG, nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("profile_id", BIG, nullable=False),
        sa.Column("profile_snapshot", DOCUMENT, nullable=False),
        sa.Column("parameters", DOCUMENT, nullable=False),
        sa.Column("criteria", DOCUMENT, nullable=False),
        sa.Column("stops", sa.Boolean(), nullable=False),
        sa.Column("created_by", sa.String(length=120), nullable=False),
        sa.Column("origin", sa.String(length=20), server_default="person", nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("cancel_requested_at", TIME, nullable=True),
        sa.Column("cancelled_by", sa.String(length=120), nullable=True),
        sa.Column("reference", sa.String(length=200), nullable=True),
        sa.Column("edits", BIG, nullable=False),
        sa.Column("deleted_at", TIME, nullable=True),
        sa.Column("schedule_id", BIG, nullable=True),
        sa.Column("seen_at", TIME, nullable=True),
        sa.Column("seen_by", sa.String(length=120), nullable=True),
        sa.ForeignKeyConstraint(
            ["profile_id"], ["profiles.id"], name="fk_campaigns_profile_id_profiles"
        ),
        sa.ForeignKeyConstraint(
            ["schedule_id"],
            ["schedules.id"],
            name="fk_campaigns_schedule_id_schedules",
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_campaigns"),
        **IDS_ONCE,
    )
    op.create_index("ix_campaigns_created_at", "campaigns", ["created_at"])
    op.create_index("ix_campaigns_deleted_at", "campaigns", ["deleted_at"])
    op.create_index("ix_campaigns_profile_id", "campaigns", ["profile_id"])
    op.create_index("ix_campaigns_schedule_id", "campaigns", ["schedule_id"])
    op.create_table(
        "schedule_firings",
        sa.Column("id", BIG, nullable=False),
        sa.Column("schedule_id", BIG, nullable=False),
        sa.Column("due_at", TIME, nullable=False),
        sa.Column("last_due_at", TIME, nullable=False),
        sa.Column("times", BIG, nullable=False),
        sa.Column("at", TIME, nullable=False),
        sa.Column("by_hand", sa.Boolean(), nullable=False),
        sa.Column("outcome", sa.String(length=20), nullable=False),
        sa.Column("campaign_id", BIG, nullable=True),
        sa.Column("code", sa.String(length=60), nullable=True),
        sa.Column("detail", sa.String(length=2000), nullable=True),
        sa.ForeignKeyConstraint(
            ["schedule_id"],
            ["schedules.id"],
            name="fk_schedule_firings_schedule_id_schedules",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["campaign_id"],
            ["campaigns.id"],
            name="fk_schedule_firings_campaign_id_campaigns",
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_schedule_firings"),
        sa.UniqueConstraint("schedule_id", "due_at", name="uq_schedule_firings_schedule_id"),
        **IDS_ONCE,
    )
    op.create_index("ix_schedule_firings_campaign_id", "schedule_firings", ["campaign_id"])
    op.create_table(
        "hosts",
        sa.Column("id", BIG, nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("connection", sa.String(length=10), nullable=False),
        sa.Column("address", sa.String(length=255), nullable=True),
        sa.Column("port", BIG, nullable=False),
        sa.Column("user", sa.String(length=256), nullable=True),
        sa.Column("credential_id", BIG, nullable=True),
        sa.Column("jump_host_id", BIG, nullable=True),
        sa.Column("probe_dir", sa.String(length=4096), nullable=True),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("state_reason", sa.String(length=1000), nullable=True),
        sa.Column("state_code", sa.String(length=60), nullable=True),
        sa.Column("approved_key", sa.String(length=4000), nullable=True),
        sa.Column("offered_key", sa.String(length=4000), nullable=True),
        sa.Column("expected_keys", DOCUMENT, nullable=False),
        sa.Column("machine_id", sa.String(length=64), nullable=True),
        sa.Column("boot_id", sa.String(length=64), nullable=True),
        sa.Column("reference", sa.String(length=200), nullable=True),
        sa.Column("managed_by", sa.String(length=100), nullable=True),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("last_checked_at", TIME, nullable=True),
        sa.Column("last_seen_at", TIME, nullable=True),
        sa.Column("unreachable_at", TIME, nullable=True),
        sa.Column("retired_at", TIME, nullable=True),
        sa.ForeignKeyConstraint(
            ["credential_id"], ["credentials.id"], name="fk_hosts_credential_id_credentials"
        ),
        sa.ForeignKeyConstraint(["jump_host_id"], ["hosts.id"], name="fk_hosts_jump_host_id_hosts"),
        sa.PrimaryKeyConstraint("id", name="pk_hosts"),
        sa.UniqueConstraint("name", name="uq_hosts_name"),
        **IDS_ONCE,
    )
    op.create_index("ix_hosts_credential_id", "hosts", ["credential_id"])
    op.create_index("ix_hosts_jump_host_id", "hosts", ["jump_host_id"])
    op.create_index("ix_hosts_machine_id", "hosts", ["machine_id"])
    op.create_table(
        "sessions",
        sa.Column("id", BIG, nullable=False),
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("csrf", sa.String(length=64), nullable=False),
        sa.Column("user_id", BIG, nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("expires_at", TIME, nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name="fk_sessions_user_id_users", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_sessions"),
        sa.UniqueConstraint("token_hash", name="uq_sessions_token_hash"),
    )
    op.create_index("ix_sessions_user_id", "sessions", ["user_id"])
    op.create_table(
        "saved_views",
        sa.Column("id", BIG, nullable=False),
        sa.Column("user_id", BIG, nullable=False),
        sa.Column("list", sa.String(length=20), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("search", DOCUMENT, nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name="fk_saved_views_user_id_users", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_saved_views"),
        sa.UniqueConstraint("user_id", "list", "name", name="uq_saved_views_user_id"),
    )
    op.create_table(
        "tokens",
        sa.Column("id", BIG, nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("role", sa.String(length=20), nullable=False),
        sa.Column("user_id", BIG, nullable=True),
        sa.Column("created_by", sa.String(length=100), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("expires_at", TIME, nullable=True),
        sa.Column("last_used_at", TIME, nullable=True),
        sa.Column("use_xid", BIG, nullable=True),
        sa.Column("scopes", DOCUMENT, nullable=True),
        sa.Column("target_labels", DOCUMENT, nullable=False),
        sa.Column("bytes_per_day", BIG, nullable=True),
        sa.Column("campaigns_at_once", BIG, nullable=True),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name="fk_tokens_user_id_users", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_tokens"),
        sa.UniqueConstraint("token_hash", name="uq_tokens_token_hash"),
        **IDS_ONCE,
    )
    op.create_index("ix_tokens_user_id", "tokens", ["user_id"])
    op.create_table(
        "token_charges",
        sa.Column("id", BIG, nullable=False),
        sa.Column("token_id", BIG, nullable=False),
        sa.Column("campaign_id", BIG, nullable=True),
        sa.Column("at", TIME, nullable=False),
        sa.Column("planned_bytes", BIG, nullable=False),
        sa.Column("prepared", DOCUMENT, nullable=False),
        sa.Column("written_bytes", BIG, nullable=True),
        sa.ForeignKeyConstraint(
            ["campaign_id"],
            ["campaigns.id"],
            name="fk_token_charges_campaign_id_campaigns",
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["token_id"], ["tokens.id"], name="fk_token_charges_token_id_tokens", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_token_charges"),
    )
    op.create_index("ix_token_charges_campaign_id", "token_charges", ["campaign_id"])
    op.create_index("ix_token_charges_token_id_at", "token_charges", ["token_id", "at"])
    op.create_table(
        "checks",
        sa.Column("host_id", BIG, nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("request", DOCUMENT, nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("step", sa.String(length=60), nullable=True),
        sa.Column("answer", DOCUMENT, nullable=True),
        sa.Column("error", DOCUMENT, nullable=True),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("started_at", TIME, nullable=True),
        sa.Column("ended_at", TIME, nullable=True),
        sa.Column("id", BIG, nullable=False),
        sa.Column("owner", sa.String(length=120), nullable=True),
        sa.Column("generation", BIG, nullable=False),
        sa.Column("owned_until", TIME, nullable=True),
        sa.ForeignKeyConstraint(
            ["host_id"], ["hosts.id"], name="fk_checks_host_id_hosts", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_checks"),
        **IDS_ONCE,
    )
    op.create_index("ix_checks_host_id", "checks", ["host_id"])
    op.create_table(
        "inventories",
        sa.Column("id", BIG, nullable=False),
        sa.Column("host_id", BIG, nullable=False),
        sa.Column("taken_at", TIME, nullable=False),
        sa.Column("probe", sa.String(length=80), nullable=False),
        sa.Column("body", DOCUMENT, nullable=False),
        sa.ForeignKeyConstraint(
            ["host_id"], ["hosts.id"], name="fk_inventories_host_id_hosts", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_inventories"),
    )
    op.create_index("ix_inventories_host_id", "inventories", ["host_id"])
    op.create_table(
        "targets",
        sa.Column("id", BIG, nullable=False),
        sa.Column("host_id", BIG, nullable=False),
        sa.Column("array_id", BIG, nullable=True),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("path", sa.String(length=4096), nullable=False),
        sa.Column("fs_type", sa.String(length=60), nullable=False),
        sa.Column("fs_source", sa.String(length=1000), nullable=False),
        sa.Column("fs_uuid", sa.String(length=100), nullable=True),
        sa.Column("reserve_bytes", BIG, nullable=True),
        sa.Column("root_consent", sa.Boolean(), nullable=False),
        sa.Column("facts", DOCUMENT, nullable=False),
        sa.Column("reference", sa.String(length=200), nullable=True),
        sa.Column("managed_by", sa.String(length=100), nullable=True),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("checked_at", TIME, nullable=False),
        sa.Column("retired_at", TIME, nullable=True),
        sa.ForeignKeyConstraint(["array_id"], ["arrays.id"], name="fk_targets_array_id_arrays"),
        sa.ForeignKeyConstraint(["host_id"], ["hosts.id"], name="fk_targets_host_id_hosts"),
        sa.PrimaryKeyConstraint("id", name="pk_targets"),
        sa.UniqueConstraint("host_id", "path", name="uq_targets_host_id"),
        **IDS_ONCE,
    )
    op.create_index("ix_targets_array_id", "targets", ["array_id"])
    op.create_index("ix_targets_host_id", "targets", ["host_id"])
    op.create_table(
        "runs",
        sa.Column("campaign_id", BIG, nullable=False),
        sa.Column("number", BIG, nullable=False),
        sa.Column("title", sa.String(length=200), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("parameters", DOCUMENT, nullable=False),
        sa.Column("subject", sa.String(length=64), nullable=True),
        sa.Column("read_back_target_id", BIG, nullable=True),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("state_since", TIME, nullable=False),
        sa.Column("state_code", sa.String(length=40), nullable=True),
        sa.Column("state_reason", sa.String(length=1000), nullable=True),
        sa.Column("waits_for", DOCUMENT, nullable=True),
        sa.Column("error", DOCUMENT, nullable=True),
        sa.Column("worker", sa.String(length=120), nullable=True),
        sa.Column("unreachable_since", TIME, nullable=True),
        sa.Column("retry_at", TIME, nullable=True),
        sa.Column("revision", BIG, nullable=False),
        sa.Column("trials_total", BIG, nullable=False),
        sa.Column("trials_done", BIG, nullable=False),
        sa.Column("rules", sa.String(length=20), nullable=True),
        sa.Column("build", BIG, nullable=False),
        sa.Column("figures_rules", sa.String(length=20), nullable=True),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("started_at", TIME, nullable=True),
        sa.Column("ended_at", TIME, nullable=True),
        sa.Column("raw_removed_at", TIME, nullable=True),
        sa.Column("samples_removed_at", TIME, nullable=True),
        sa.Column("id", BIG, nullable=False),
        sa.Column("owner", sa.String(length=120), nullable=True),
        sa.Column("generation", BIG, nullable=False),
        sa.Column("owned_until", TIME, nullable=True),
        sa.ForeignKeyConstraint(
            ["campaign_id"],
            ["campaigns.id"],
            name="fk_runs_campaign_id_campaigns",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["read_back_target_id"],
            ["targets.id"],
            name="fk_runs_read_back_target_id_targets",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_runs"),
        **IDS_ONCE,
    )
    op.create_index("ix_runs_campaign_id", "runs", ["campaign_id"])
    op.create_index("ix_runs_created_at_id", "runs", ["created_at", "id"])
    op.create_index("ix_runs_figures_rules", "runs", ["figures_rules"])
    op.create_index("ix_runs_read_back_target_id", "runs", ["read_back_target_id"])
    op.create_index("ix_runs_rules", "runs", ["rules"])
    op.create_index("ix_runs_state_ended_at", "runs", ["state", "ended_at"])
    op.create_index("ix_runs_state_owned_until", "runs", ["state", "owned_until"])
    op.create_index("ix_runs_subject_campaign_id", "runs", ["subject", "campaign_id"])
    op.create_table(
        "notices",
        sa.Column("id", BIG, nullable=False),
        sa.Column("run_id", BIG, nullable=False),
        sa.Column("participant_id", BIG, nullable=True),
        sa.Column("at", TIME, nullable=False),
        sa.Column("level", sa.String(length=10), nullable=False),
        sa.Column("code", sa.String(length=60), nullable=False),
        sa.Column("message", sa.String(length=2000), nullable=False),
        sa.Column("detail", DOCUMENT, nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id"], ["runs.id"], name="fk_notices_run_id_runs", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_notices"),
    )
    op.create_index("ix_notices_run_id", "notices", ["run_id"])
    op.create_table(
        "participants",
        sa.Column("id", BIG, nullable=False),
        sa.Column("run_id", BIG, nullable=False),
        sa.Column("position", BIG, nullable=False),
        sa.Column("role", sa.String(length=20), nullable=False),
        sa.Column("host_id", BIG, nullable=False),
        sa.Column("target_id", BIG, nullable=True),
        sa.Column("inventory_id", BIG, nullable=True),
        sa.Column("array_id", BIG, nullable=True),
        sa.Column("deleted_array_id", BIG, nullable=True),
        sa.Column("array_name", sa.String(length=200), nullable=True),
        sa.Column("array_cache_bytes", BIG, nullable=True),
        sa.Column("array_identity", DOCUMENT, nullable=True),
        sa.Column("labels", DOCUMENT, nullable=False),
        sa.Column("external_references", DOCUMENT, nullable=False),
        sa.Column("run_dir", sa.String(length=4096), nullable=True),
        sa.Column("hello", DOCUMENT, nullable=True),
        sa.Column("conditions", DOCUMENT, nullable=True),
        sa.Column("offset", BIG, nullable=False),
        sa.Column("next_seq", BIG, nullable=False),
        sa.Column("merged", BIG, nullable=False),
        sa.Column("current_trial_id", BIG, nullable=True),
        sa.Column("ready", BIG, nullable=True),
        sa.Column("listening", DOCUMENT, nullable=True),
        sa.Column("read_back", DOCUMENT, nullable=True),
        sa.Column("clock", DOCUMENT, nullable=True),
        sa.Column("swept_at", TIME, nullable=True),
        sa.ForeignKeyConstraint(
            ["array_id"],
            ["arrays.id"],
            name="fk_participants_array_id_arrays",
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(["host_id"], ["hosts.id"], name="fk_participants_host_id_hosts"),
        sa.ForeignKeyConstraint(
            ["inventory_id"], ["inventories.id"], name="fk_participants_inventory_id_inventories"
        ),
        sa.ForeignKeyConstraint(
            ["run_id"], ["runs.id"], name="fk_participants_run_id_runs", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["target_id"], ["targets.id"], name="fk_participants_target_id_targets"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_participants"),
        sa.UniqueConstraint("run_id", "position", name="uq_participants_run_id"),
        **IDS_ONCE,
    )
    op.create_index("ix_participants_array_id", "participants", ["array_id"])
    op.create_index("ix_participants_deleted_array_id", "participants", ["deleted_array_id"])
    op.create_index("ix_participants_host_id", "participants", ["host_id"])
    op.create_index("ix_participants_target_id", "participants", ["target_id"])
    op.create_table(
        "former_places",
        sa.Column("run_id", BIG, nullable=False),
        sa.Column("participant_id", BIG, nullable=False),
        sa.Column("decision_id", BIG, nullable=False),
        sa.Column("host_id", BIG, nullable=False),
        sa.Column("target_id", BIG, nullable=True),
        sa.Column("array_id", BIG, nullable=True),
        sa.Column("deleted_array_id", BIG, nullable=True),
        sa.ForeignKeyConstraint(
            ["array_id"],
            ["arrays.id"],
            name="fk_former_places_array_id_arrays",
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["decision_id"],
            ["history_decisions.id"],
            name="fk_former_places_decision_id_history_decisions",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(["host_id"], ["hosts.id"], name="fk_former_places_host_id_hosts"),
        sa.ForeignKeyConstraint(
            ["participant_id"],
            ["participants.id"],
            name="fk_former_places_participant_id_participants",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["run_id"], ["runs.id"], name="fk_former_places_run_id_runs", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["target_id"], ["targets.id"], name="fk_former_places_target_id_targets"
        ),
        sa.PrimaryKeyConstraint("run_id", "participant_id", "decision_id", name="pk_former_places"),
    )
    op.create_index("ix_former_places_decision_id", "former_places", ["decision_id"])
    op.create_index("ix_former_places_host_id", "former_places", ["host_id"])
    op.create_index("ix_former_places_target_id", "former_places", ["target_id"])
    op.create_table(
        "reservations",
        sa.Column("resource", sa.String(length=60), nullable=False),
        sa.Column("run_id", BIG, nullable=False),
        sa.Column("taken_at", TIME, nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id"], ["runs.id"], name="fk_reservations_run_id_runs", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("resource", name="pk_reservations"),
    )
    op.create_index("ix_reservations_run_id", "reservations", ["run_id"])
    op.create_table(
        "trials",
        sa.Column("id", BIG, nullable=False),
        sa.Column("run_id", BIG, nullable=False),
        sa.Column("position", BIG, nullable=False),
        sa.Column("repeat", BIG, nullable=False),
        sa.Column("cell", sa.String(length=100), nullable=False),
        sa.Column("parameters", DOCUMENT, nullable=False),
        sa.Column("released", BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id"], ["runs.id"], name="fk_trials_run_id_runs", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_trials"),
        sa.UniqueConstraint("run_id", "position", name="uq_trials_run_id"),
        **IDS_ONCE,
    )
    op.create_table(
        "attempts",
        sa.Column("id", BIG, nullable=False),
        sa.Column("trial_id", BIG, nullable=False),
        sa.Column("participant_id", BIG, nullable=False),
        sa.Column("number", BIG, nullable=False),
        sa.Column("status", sa.String(length=20), nullable=False),
        sa.Column("reason", sa.String(length=1000), nullable=True),
        sa.Column("started_at", TIME, nullable=True),
        sa.Column("total_bytes", BIG, nullable=True),
        sa.Column("bytes", BIG, nullable=False),
        sa.Column("ops", BIG, nullable=False),
        sa.Column("read_ops", BIG, nullable=True),
        sa.Column("app_ns", BIG, nullable=True),
        sa.Column("durable_ns", BIG, nullable=True),
        sa.Column("lat_max_ns", BIG, nullable=True),
        sa.Column("host_paused_ns", BIG, nullable=False),
        sa.Column("sample_count", BIG, nullable=False),
        sa.Column("sealed", BIG, nullable=False),
        sa.Column("unsealed_from", BIG, nullable=False),
        sa.Column("mark_count", BIG, nullable=False),
        sa.Column("marked_bytes", BIG, nullable=False),
        sa.Column("marks_sealed", BIG, nullable=False),
        sa.Column("done_bytes", BIG, nullable=False),
        sa.Column("done_ns", BIG, nullable=False),
        sa.Column("result", DOCUMENT, nullable=True),
        sa.Column("histogram", DOCUMENT, nullable=True),
        sa.ForeignKeyConstraint(
            ["participant_id"],
            ["participants.id"],
            name="fk_attempts_participant_id_participants",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["trial_id"], ["trials.id"], name="fk_attempts_trial_id_trials", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_attempts"),
        sa.UniqueConstraint("trial_id", "participant_id", "number", name="uq_attempts_trial_id"),
    )
    op.create_index("ix_attempts_participant_id_status", "attempts", ["participant_id", "status"])
    op.create_table(
        "results",
        sa.Column("run_id", BIG, nullable=False),
        sa.Column("rules", sa.String(length=20), nullable=False),
        sa.Column("build", BIG, nullable=False),
        sa.Column("stored_at", TIME, nullable=False),
        sa.Column("outcome", DOCUMENT, nullable=False),
        sa.Column("sparkline", DOCUMENT, nullable=False),
        sa.Column("body", DOCUMENT, nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id"], ["runs.id"], name="fk_results_run_id_runs", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("run_id", "rules", "build", name="pk_results"),
    )
    op.create_table(
        "figures",
        sa.Column("run_id", BIG, nullable=False),
        sa.Column("metric", sa.String(length=60), nullable=False),
        sa.Column("cell", sa.String(length=200), nullable=False),
        sa.Column("rules", sa.String(length=20), nullable=False),
        sa.Column("build", BIG, nullable=False),
        sa.Column("value", sa.Float(), nullable=True),
        sa.Column("repeats", BIG, nullable=False),
        sa.Column("spread", sa.Float(), nullable=True),
        sa.Column("doubts", DOCUMENT, nullable=False),
        sa.Column("shown_cell", sa.String(length=400), nullable=True),
        sa.Column("trial_id", BIG, nullable=True),
        sa.Column("leading", sa.Boolean(), nullable=False),
        sa.Column("headline", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id", "rules", "build"],
            ["results.run_id", "results.rules", "results.build"],
            name="fk_figures_run_id_results",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("run_id", "metric", "cell", name="pk_figures"),
    )
    op.create_index(
        "ix_figures_headline",
        "figures",
        ["run_id", "value"],
        sqlite_where=sa.text("headline"),
        postgresql_where=sa.text("headline"),
    )
    op.create_table(
        "verdicts",
        sa.Column("run_id", BIG, nullable=False),
        sa.Column("number", BIG, nullable=False),
        sa.Column("rules", sa.String(length=20), nullable=False),
        sa.Column("build", BIG, nullable=False),
        sa.Column("criteria_rules", sa.String(length=20), nullable=False),
        sa.Column("criterion", sa.String(length=200), nullable=False),
        sa.Column("outcome", sa.String(length=20), nullable=False),
        sa.Column("detail", DOCUMENT, nullable=False),
        sa.Column("judged_at", TIME, nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id", "rules", "build"],
            ["results.run_id", "results.rules", "results.build"],
            name="fk_verdicts_run_id_results",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("run_id", "number", name="pk_verdicts"),
    )
    op.create_index(
        "ix_verdicts_failed",
        "verdicts",
        ["run_id"],
        sqlite_where=sa.text("outcome = 'fail'"),
        postgresql_where=sa.text("outcome = 'fail'"),
    )
    op.create_table(
        "waivers",
        sa.Column("id", BIG, nullable=False),
        sa.Column("run_id", BIG, nullable=False),
        sa.Column("number", BIG, nullable=False),
        sa.Column("actor", sa.String(length=120), nullable=False),
        sa.Column("reason", sa.String(length=2000), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("expires_at", TIME, nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id", "number"],
            ["verdicts.run_id", "verdicts.number"],
            name="fk_waivers_run_id_verdicts",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_waivers"),
    )
    op.create_index("ix_waivers_run_id_number", "waivers", ["run_id", "number"])
    op.create_table(
        "campaign_waivers",
        sa.Column("id", BIG, nullable=False),
        sa.Column("campaign_id", BIG, nullable=False),
        sa.Column("number", BIG, nullable=False),
        sa.Column("actor", sa.String(length=120), nullable=False),
        sa.Column("reason", sa.String(length=2000), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("expires_at", TIME, nullable=False),
        sa.ForeignKeyConstraint(
            ["campaign_id"],
            ["campaigns.id"],
            name="fk_campaign_waivers_campaign_id_campaigns",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_campaign_waivers"),
    )
    op.create_index(
        "ix_campaign_waivers_campaign_id_number", "campaign_waivers", ["campaign_id", "number"]
    )
    for owners in ("hosts", "targets", "arrays", "campaigns", "runs"):
        table = f"{owners.removesuffix('s')}_labels"
        several = owners == "runs"  # of its hosts, targets and arrays
        op.create_table(
            table,
            sa.Column("owner_id", BIG, nullable=False),
            sa.Column("key", sa.String(length=63), nullable=False),
            sa.Column("value", sa.String(length=200), nullable=False),
            sa.ForeignKeyConstraint(
                ["owner_id"],
                [f"{owners}.id"],
                name=f"fk_{table}_owner_id_{owners}",
                ondelete="CASCADE",
            ),
            sa.PrimaryKeyConstraint(
                "owner_id", "key", *(["value"] if several else []), name=f"pk_{table}"
            ),
        )
        op.create_index(f"ix_{table}_key_value", table, ["key", "value"])
    for owners in ("campaigns", "runs", "arrays"):
        table = f"{owners.removesuffix('s')}_notes"
        op.create_table(
            table,
            sa.Column("owner_id", BIG, autoincrement=False, nullable=False),
            sa.Column("text", sa.Text(), nullable=False),
            sa.Column("changed_at", TIME, nullable=False),
            sa.Column("changed_by", sa.String(length=120), nullable=False),
            sa.ForeignKeyConstraint(
                ["owner_id"],
                [f"{owners}.id"],
                name=f"fk_{table}_owner_id_{owners}",
                ondelete="CASCADE",
            ),
            sa.PrimaryKeyConstraint("owner_id", name=f"pk_{table}"),
        )
    op.create_table(
        "shares",
        sa.Column("id", BIG, nullable=False),
        sa.Column("campaign_id", BIG, nullable=False),
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=True),
        sa.Column("show_identifiers", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("created_by", sa.String(length=120), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("expires_at", TIME, nullable=False),
        sa.Column("revoked_at", TIME, nullable=True),
        sa.Column("accesses", BIG, nullable=False),
        sa.Column("last_access_at", TIME, nullable=True),
        sa.ForeignKeyConstraint(
            ["campaign_id"],
            ["campaigns.id"],
            name="fk_shares_campaign_id_campaigns",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_shares"),
        sa.UniqueConstraint("token_hash", name="uq_shares_token_hash"),
        **IDS_ONCE,
    )
    op.create_index("ix_shares_campaign_id", "shares", ["campaign_id"])
    op.create_table(
        "raw_chunks",
        sa.Column("run_id", BIG, nullable=False),
        sa.Column("participant_id", BIG, nullable=False),
        sa.Column("start", BIG, nullable=False),
        sa.Column("length", BIG, nullable=False),
        sa.Column("received_at", TIME, nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id"], ["runs.id"], name="fk_raw_chunks_run_id_runs", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("run_id", "participant_id", "start", name="pk_raw_chunks"),
    )
    op.create_table(
        "sample_blocks",
        sa.Column("run_id", BIG, nullable=False),
        sa.Column("attempt_id", BIG, nullable=False),
        sa.Column("first", BIG, nullable=False),
        sa.Column("count", BIG, nullable=False),
        sa.Column("begin_ns", BIG, nullable=False),
        sa.Column("end_ns", BIG, nullable=False),
        sa.Column("format", BIG, nullable=False),
        sa.Column("samples", sa.LargeBinary(), nullable=False),
        sa.Column("rollups", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id"], ["runs.id"], name="fk_sample_blocks_run_id_runs", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("run_id", "attempt_id", "first", name="pk_sample_blocks"),
    )
    op.create_table(
        "mark_blocks",
        sa.Column("run_id", BIG, nullable=False),
        sa.Column("attempt_id", BIG, nullable=False),
        sa.Column("first", BIG, nullable=False),
        sa.Column("count", BIG, nullable=False),
        sa.Column("format", BIG, nullable=False),
        sa.Column("marks", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id"], ["runs.id"], name="fk_mark_blocks_run_id_runs", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("run_id", "attempt_id", "first", name="pk_mark_blocks"),
    )
    op.create_table(
        "link_blocks",
        sa.Column("run_id", BIG, nullable=False),
        sa.Column("attempt_id", BIG, nullable=False),
        sa.Column("first_ns", BIG, nullable=False),
        sa.Column("count", BIG, nullable=False),
        sa.Column("format", BIG, nullable=False),
        sa.Column("links", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id"], ["runs.id"], name="fk_link_blocks_run_id_runs", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("run_id", "attempt_id", "first_ns", name="pk_link_blocks"),
    )
    _create_webhooks()


def _create_webhooks() -> None:
    op.create_table(
        "webhooks",
        sa.Column("id", BIG, nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("url", sa.String(length=2000), nullable=False),
        sa.Column("events", DOCUMENT, nullable=False),
        sa.Column("private_addresses", sa.Boolean(), nullable=False),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.Column("disabled_reason", sa.String(length=500), nullable=True),
        sa.Column("failing_since", TIME, nullable=True),
        sa.Column("created_by", sa.String(length=120), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_webhooks"),
        sa.UniqueConstraint("name", name="uq_webhooks_name"),
        **IDS_ONCE,
    )
    op.create_table(
        "webhook_secrets",
        sa.Column("id", BIG, nullable=False),
        sa.Column("webhook_id", BIG, nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("expires_at", TIME, nullable=True),
        sa.ForeignKeyConstraint(
            ["webhook_id"],
            ["webhooks.id"],
            name="fk_webhook_secrets_webhook_id_webhooks",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_webhook_secrets"),
    )
    op.create_index("ix_webhook_secrets_webhook_id", "webhook_secrets", ["webhook_id"])
    op.create_table(
        "webhook_deliveries",
        sa.Column("webhook_id", BIG, nullable=False),
        sa.Column("message_id", sa.String(length=40), nullable=False),
        sa.Column("event", sa.String(length=60), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("tries_left", BIG, nullable=False),
        sa.Column("next_attempt_at", TIME, nullable=True),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("ended_at", TIME, nullable=True),
        sa.Column("id", BIG, nullable=False),
        sa.Column("owner", sa.String(length=120), nullable=True),
        sa.Column("generation", BIG, nullable=False),
        sa.Column("owned_until", TIME, nullable=True),
        sa.ForeignKeyConstraint(
            ["webhook_id"],
            ["webhooks.id"],
            name="fk_webhook_deliveries_webhook_id_webhooks",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_webhook_deliveries"),
        sa.UniqueConstraint("webhook_id", "message_id", name="uq_webhook_deliveries_webhook_id"),
        **IDS_ONCE,
    )
    for column in ("next_attempt_at", "ended_at"):
        op.create_index(f"ix_webhook_deliveries_{column}", "webhook_deliveries", [column])
    op.create_table(
        "webhook_attempts",
        sa.Column("id", BIG, nullable=False),
        sa.Column("delivery_id", BIG, nullable=False),
        sa.Column("number", BIG, nullable=False),
        sa.Column("ended_at", TIME, nullable=False),
        sa.Column("duration_ns", BIG, nullable=False),
        sa.Column("address", sa.String(length=64), nullable=True),
        sa.Column("status", BIG, nullable=True),
        sa.Column("error", sa.String(length=1000), nullable=True),
        sa.Column("answer", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["delivery_id"],
            ["webhook_deliveries.id"],
            name="fk_webhook_attempts_delivery_id_webhook_deliveries",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_webhook_attempts"),
    )
    op.create_index("ix_webhook_attempts_delivery_id", "webhook_attempts", ["delivery_id"])


def downgrade() -> None:
    op.drop_table("shares")
    for table in ("webhook_attempts", "webhook_deliveries", "webhook_secrets", "webhooks"):
        op.drop_table(table)
    for owner in ("campaign", "run", "array"):
        op.drop_table(f"{owner}_notes")
    for owner in ("host", "target", "array", "campaign", "run"):
        op.drop_table(f"{owner}_labels")
    op.drop_table("link_blocks")
    op.drop_table("mark_blocks")
    op.drop_table("sample_blocks")
    op.drop_table("raw_chunks")
    op.drop_table("campaign_waivers")
    op.drop_table("waivers")
    op.drop_table("verdicts")
    op.drop_table("figures")
    op.drop_table("results")
    op.drop_table("attempts")
    op.drop_table("trials")
    op.drop_table("reservations")
    op.drop_table("former_places")
    op.drop_table("participants")
    op.drop_table("notices")
    op.drop_table("runs")
    op.drop_table("inventories")
    op.drop_table("checks")
    op.drop_table("targets")
    op.drop_table("token_charges")
    op.drop_table("tokens")
    op.drop_table("saved_views")
    op.drop_table("sessions")
    op.drop_table("hosts")
    op.drop_table("schedule_firings")
    op.drop_table("campaigns")
    op.drop_table("schedules")
    op.drop_table("workers")
    op.drop_table("users")
    op.drop_table("tools")
    op.drop_table("profiles")
    op.drop_table("retention")
    op.drop_table("installation")
    op.drop_table("idempotency_keys")
    op.drop_table("host_authorities")
    op.drop_table("credentials")
    op.drop_table("audit_log")
    op.drop_table("history_decisions")
    op.drop_table("deleted_arrays")
    op.drop_table("arrays")

"""The first schema."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create all tables."""
    op.create_table(
        "account_members",
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("user_id", sa.BigInteger(), nullable=False),
        sa.Column("id", sa.BigInteger(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("account_id", "user_id", name=op.f("pk_account_members")),
        sa.UniqueConstraint("account_id", "id", name=op.f("uq_account_members_account_id_id")),
    )
    op.create_table(
        "accounts",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("host", sa.Text(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_accounts")),
        sa.UniqueConstraint("host", name=op.f("uq_accounts_host")),
    )
    op.create_table(
        "counters",
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("account_id", "name", name=op.f("pk_counters")),
    )
    op.create_table(
        "projects",
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("id", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("permalink", sa.Text(), nullable=False),
        sa.Column("archived", sa.SmallInteger(), nullable=False),
        sa.Column("public", sa.SmallInteger(), nullable=False),
        sa.Column("description", sa.Text(), nullable=True),
        sa.Column("description_html", sa.Text(), nullable=True),
        sa.Column("license", sa.Text(), nullable=True),
        sa.Column("open_states", sa.Text(), nullable=False),
        sa.Column("closed_states", sa.Text(), nullable=False),
        sa.Column("open_states_list", sa.Text(), nullable=False),
        sa.Column("closed_states_list", sa.Text(), nullable=False),
        sa.Column("default_assigned_user_id", sa.BigInteger(), nullable=True),
        sa.Column("default_milestone_id", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("account_id", "id", name=op.f("pk_projects")),
    )
    op.create_table(
        "repeats",
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("user_id", sa.BigInteger(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("content_type", sa.Text(), nullable=False),
        sa.Column("location", sa.Text(), nullable=True),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("account_id", "user_id", "key", name=op.f("pk_repeats")),
    )
    op.create_index(
        op.f("ix_repeats_account_id_created_at"), "repeats", ["account_id", "created_at"], unique=False
    )
    op.create_table(
        "tokens",
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("id", sa.BigInteger(), nullable=False),
        sa.Column("user_id", sa.BigInteger(), nullable=False),
        sa.Column("project_id", sa.BigInteger(), nullable=True),
        sa.Column("read_only", sa.SmallInteger(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("revoked_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("account_id", "id", name=op.f("pk_tokens")),
        sa.UniqueConstraint("account_id", "hash", name=op.f("uq_tokens_account_id_hash")),
    )
    op.create_table(
        "users",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("job", sa.Text(), nullable=False),
        sa.Column("website", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_users")),
    )
    op.create_table(
        "attachments",
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("id", sa.BigInteger(), nullable=False),
        sa.Column("project_id", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=True),
        sa.Column("version", sa.BigInteger(), nullable=True),
        sa.Column("message_id", sa.BigInteger(), nullable=True),
        sa.Column("uploader_id", sa.BigInteger(), nullable=False),
        sa.Column("code", sa.Text(), nullable=False),
        sa.Column("filename", sa.Text(), nullable=False),
        sa.Column("content_type", sa.Text(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("width", sa.BigInteger(), nullable=True),
        sa.Column("height", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id", "project_id"],
            ["projects.account_id", "projects.id"],
            name=op.f("fk_attachments_account_id_project_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("account_id", "id", name=op.f("pk_attachments")),
        sa.UniqueConstraint("account_id", "code", name=op.f("uq_attachments_account_id_code")),
    )
    op.create_index(
        op.f("ix_attachments_account_id_message_id"),
        "attachments",
        ["account_id", "message_id"],
        unique=False,
    )
    op.create_index(
        op.f("ix_attachments_account_id_project_id_number"),
        "attachments",
        ["account_id", "project_id", "number"],
        unique=False,
    )
    op.create_table(
        "bins",
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("id", sa.BigInteger(), nullable=False),
        sa.Column("project_id", sa.BigInteger(), nullable=False),
        sa.Column("user_id", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("query", sa.Text(), nullable=False),
        sa.Column("shared", sa.SmallInteger(), nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id", "project_id"],
            ["projects.account_id", "projects.id"],
            name=op.f("fk_bins_account_id_project_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("account_id", "id", name=op.f("pk_bins")),
    )
    op.create_index(
        op.f("ix_bins_account_id_project_id_position"),
        "bins",
        ["account_id", "project_id", "position"],
        unique=False,
    )
    op.create_table(
        "bulk_edits",
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("id", sa.BigInteger(), nullable=False),
        sa.Column("project_id", sa.BigInteger(), nullable=False),
        sa.Column("user_id", sa.BigInteger(), nullable=False),
        sa.Column("query", sa.Text(), nullable=False),
        sa.Column("command", sa.Text(), nullable=False),
        sa.Column("moved_to", sa.BigInteger(), nullable=True),
        sa.Column("undoes", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id", "project_id"],
            ["projects.account_id", "projects.id"],
            name=op.f("fk_bulk_edits_account_id_project_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("account_id", "id", name=op.f("pk_bulk_edits")),
    )
    op.create_index(
        op.f("ix_bulk_edits_account_id_project_id"), "bulk_edits", ["account_id", "project_id"], unique=False
    )
    op.create_index(
        op.f("ix_bulk_edits_account_id_undoes"), "bulk_edits", ["account_id", "undoes"], unique=False
    )
    op.create_table(
        "bulk_edit_tickets",
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("bulk_edit_id", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.Column("new_number", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["account_id", "bulk_edit_id"],
            ["bulk_edits.account_id", "bulk_edits.id"],
            name=op.f("fk_bulk_edit_tickets_account_id_bulk_edit_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("account_id", "bulk_edit_id", "number", name=op.f("pk_bulk_edit_tickets")),
    )
    op.create_table(
        "changesets",
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("project_id", sa.BigInteger(), nullable=False),
        sa.Column("revision", sa.Text(), nullable=False),
        sa.Column("user_id", sa.BigInteger(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("body_html", sa.Text(), nullable=False),
        sa.Column("changes", sa.Text(), nullable=False),
        sa.Column("changed_at", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id", "project_id"],
            ["projects.account_id", "projects.id"],
            name=op.f("fk_changesets_account_id_project_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("account_id", "project_id", "revision", name=op.f("pk_changesets")),
    )
    op.create_index(
        op.f("ix_changesets_account_id_project_id_changed_at"),
        "changesets",
        ["account_id", "project_id", "changed_at"],
        unique=False,
    )
    op.create_table(
        "logins",
        sa.Column("email", sa.Text(), nullable=False),
        sa.Column("user_id", sa.BigInteger(), nullable=False),
        sa.Column("password_hash", sa.Text(), nullable=False),
        sa.Column("changed_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_logins_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("email", name=op.f("pk_logins")),
        sa.UniqueConstraint("user_id", name=op.f("uq_logins_user_id")),
    )
    op.create_table(
        "messages",
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("id", sa.BigInteger(), nullable=False),
        sa.Column("project_id", sa.BigInteger(), nullable=False),
        sa.Column("parent_id", sa.BigInteger(), nullable=True),
        sa.Column("user_id", sa.BigInteger(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("permalink", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("body_html", sa.Text(), nullable=False),
        sa.Column("attachments_count", sa.BigInteger(), nullable=False),
        sa.Column("comments_count", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id", "project_id"],
            ["projects.account_id", "projects.id"],
            name=op.f("fk_messages_account_id_project_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("account_id", "id", name=op.f("pk_messages")),
    )
    op.create_index(
        op.f("ix_messages_account_id_parent_id_id"),
        "messages",
        ["account_id", "parent_id", "id"],
        unique=False,
    )
    op.create_index(
        op.f("ix_messages_account_id_project_id_parent_id_updated_at_id"),
        "messages",
        ["account_id", "project_id", "parent_id", "updated_at", "id"],
        unique=False,
    )
    op.create_table(
        "milestones",
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("id", sa.BigInteger(), nullable=False),
        sa.Column("project_id", sa.BigInteger(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("permalink", sa.Text(), nullable=False),
        sa.Column("goals", sa.Text(), nullable=False),
        sa.Column("goals_html", sa.Text(), nullable=False),
        sa.Column("due_on", sa.BigInteger(), nullable=True),
        sa.Column("completed_at", sa.BigInteger(), nullable=True),
        sa.Column("tickets_count", sa.BigInteger(), nullable=False),
        sa.Column("open_tickets_count", sa.BigInteger(), nullable=False),
        sa.Column("user_id", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id", "project_id"],
            ["projects.account_id", "projects.id"],
            name=op.f("fk_milestones_account_id_project_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("account_id", "id", name=op.f("pk_milestones")),
    )
    op.create_index(
        op.f("ix_milestones_account_id_project_id"), "milestones", ["account_id", "project_id"], unique=False
    )
    op.create_table(
        "project_counters",
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("project_id", sa.BigInteger(), nullable=False),
        sa.Column("last_number", sa.BigInteger(), nullable=False),
        sa.Column("tickets_count", sa.BigInteger(), nullable=False),
        sa.Column("open_tickets_count", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id", "project_id"],
            ["projects.account_id", "projects.id"],
            name=op.f("fk_project_counters_account_id_project_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("account_id", "project_id", name=op.f("pk_project_counters")),
    )
    op.create_table(
        "project_members",
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("project_id", sa.BigInteger(), nullable=False),
        sa.Column("user_id", sa.BigInteger(), nullable=False),
        sa.Column("id", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id", "project_id"],
            ["projects.account_id", "projects.id"],
            name=op.f("fk_project_members_account_id_project_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("account_id", "project_id", "user_id", name=op.f("pk_project_members")),
        sa.UniqueConstraint("account_id", "id", name=op.f("uq_project_members_account_id_id")),
    )
    op.create_index(
        op.f("ix_project_members_account_id_user_id_project_id"),
        "project_members",
        ["account_id", "user_id", "project_id"],
        unique=False,
    )
    op.create_table(
        "tickets",
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("project_id", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("permalink", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("closed", sa.SmallInteger(), nullable=False),
        sa.Column("tag", sa.Text(), nullable=True),
        sa.Column("importance", sa.Integer(), nullable=False),
        sa.Column("assigned_user_id", sa.BigInteger(), nullable=True),
        sa.Column("milestone_id", sa.BigInteger(), nullable=True),
        sa.Column("creator_id", sa.BigInteger(), nullable=False),
        sa.Column("user_id", sa.BigInteger(), nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.Column("last_version", sa.BigInteger(), nullable=False),
        sa.Column("attachments_count", sa.BigInteger(), nullable=False),
        sa.Column("watchers_ids", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("body_html", sa.Text(), nullable=False),
        sa.Column("original_body", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["account_id", "project_id"],
            ["projects.account_id", "projects.id"],
            name=op.f("fk_tickets_account_id_project_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("account_id", "project_id", "number", name=op.f("pk_tickets")),
    )
    op.create_index(
        op.f("ix_tickets_account_id_project_id_milestone_id"),
        "tickets",
        ["account_id", "project_id", "milestone_id"],
        unique=False,
    )
    op.create_index(
        op.f("ix_tickets_account_id_project_id_updated_at_number"),
        "tickets",
        ["account_id", "project_id", "updated_at", "number"],
        unique=False,
    )
    op.create_index(
        op.f("ix_tickets_account_id_updated_at_project_id_number"),
        "tickets",
        ["account_id", "updated_at", "project_id", "number"],
        unique=False,
    )
    op.create_table(
        "default_bins",
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("project_id", sa.BigInteger(), nullable=False),
        sa.Column("user_id", sa.BigInteger(), nullable=False),
        sa.Column("bin_id", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id", "bin_id"],
            ["bins.account_id", "bins.id"],
            name=op.f("fk_default_bins_account_id_bin_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("account_id", "project_id", "user_id", name=op.f("pk_default_bins")),
    )
    op.create_table(
        "taggings",
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("project_id", sa.BigInteger(), nullable=False),
        sa.Column("tag", sa.Text(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id", "project_id", "number"],
            ["tickets.account_id", "tickets.project_id", "tickets.number"],
            name=op.f("fk_taggings_account_id_project_id_number"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("account_id", "project_id", "tag", "number", name=op.f("pk_taggings")),
    )
    op.create_index(
        op.f("ix_taggings_account_id_project_id_number"),
        "taggings",
        ["account_id", "project_id", "number"],
        unique=False,
    )
    op.create_table(
        "versions",
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("project_id", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.Column("user_id", sa.BigInteger(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("closed", sa.SmallInteger(), nullable=False),
        sa.Column("tag", sa.Text(), nullable=True),
        sa.Column("importance", sa.Integer(), nullable=False),
        sa.Column("assigned_user_id", sa.BigInteger(), nullable=True),
        sa.Column("milestone_id", sa.BigInteger(), nullable=True),
        sa.Column("attachments_count", sa.BigInteger(), nullable=False),
        sa.Column("diffable_attributes", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("body_html", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id", "project_id", "number"],
            ["tickets.account_id", "tickets.project_id", "tickets.number"],
            name=op.f("fk_versions_account_id_project_id_number"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("account_id", "project_id", "number", "version", name=op.f("pk_versions")),
    )
    op.create_index(
        op.f("ix_versions_account_id_project_id_milestone_id"),
        "versions",
        ["account_id", "project_id", "milestone_id"],
        unique=False,
    )
    op.create_table(
        "watchers",
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("project_id", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("user_id", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id", "project_id", "number"],
            ["tickets.account_id", "tickets.project_id", "tickets.number"],
            name=op.f("fk_watchers_account_id_project_id_number"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("account_id", "project_id", "number", "user_id", name=op.f("pk_watchers")),
    )
    op.create_index(
        op.f("ix_watchers_account_id_user_id_project_id_number"),
        "watchers",
        ["account_id", "user_id", "project_id", "number"],
        unique=False,
    )

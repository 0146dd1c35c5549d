"""Full-text search, and indexes for searches without words."""

from alembic import op

revision = "0002"
down_revision = "0001"

_SQLITE = (
    """
    CREATE TABLE search_places (
        place INTEGER PRIMARY KEY,
        account_id BIGINT NOT NULL,
        project_id BIGINT NOT NULL,
        number BIGINT NOT NULL,
        updated_at BIGINT NOT NULL,
        UNIQUE (account_id, project_id, number),
        UNIQUE (account_id, updated_at, project_id, number),
        FOREIGN KEY (account_id, project_id, number)
            REFERENCES tickets (account_id, project_id, number) ON DELETE CASCADE
    )
    """,
    """
    CREATE VIRTUAL TABLE search_words USING fts5 (
        title, body, comments, place, columnsize=0, tokenize="ascii tokenchars '_'"
    )
    """,
    """
    CREATE TRIGGER search_places_go AFTER DELETE ON search_places BEGIN
        DELETE FROM search_words WHERE rowid = old.place;
    END
    """,
    """
    CREATE INDEX search_assigned ON tickets (account_id, assigned_user_id, updated_at, project_id, number,
        closed, state, milestone_id, importance, tag)
    """,
)

_POSTGRESQL = (
    """
    CREATE TABLE search_documents (
        account_id BIGINT NOT NULL,
        project_id BIGINT NOT NULL,
        number BIGINT NOT NULL,
        words TSVECTOR NOT NULL,
        title TEXT COLLATE "C" NOT NULL,
        body TEXT COLLATE "C" NOT NULL,
        comments TEXT COLLATE "C" NOT NULL,
        PRIMARY KEY (account_id, project_id, number),
        FOREIGN KEY (account_id, project_id, number)
            REFERENCES tickets (account_id, project_id, number) ON DELETE CASCADE
    )
    """,
    # Nearly every search reads the words, few the texts, which are therefore moved out of the row first.
    "ALTER TABLE search_documents ALTER COLUMN words SET STORAGE MAIN",
    # A search scans the index's whole pending list, so that must be short.
    """
    CREATE INDEX ix_search_documents_words ON search_documents USING gin (words)
        WITH (gin_pending_list_limit = 256)
    """,
    # Without the tags, which may be longer than an index accepts.
    """
    CREATE INDEX search_assigned ON tickets (account_id, assigned_user_id, updated_at, project_id, number,
        closed, state, milestone_id, importance)
    """,
)


_LIST = ("account_id", "project_id", "updated_at", "number")
_OF_TICKETS = {
    "ix_tickets_list": (*_LIST, "closed", "state", "assigned_user_id", "milestone_id", "importance"),
    "ix_tickets_account_id_creator_id_project_id_number": (
        "account_id",
        "creator_id",
        "project_id",
        "number",
    ),
}


def upgrade() -> None:
    """Create the tables of words, which differ between the databases, and the indexes."""
    for statement in {"sqlite": _SQLITE, "postgresql": _POSTGRESQL}[op.get_bind().dialect.name]:
        op.execute(statement)
    op.drop_index(op.f("ix_tickets_account_id_project_id_updated_at_number"), if_exists=True)
    for name, columns in _OF_TICKETS.items():
        op.create_index(op.f(name), "tickets", list(columns), if_not_exists=True)
    op.create_index(
        op.f("ix_versions_account_id_user_id_project_id_number"),
        "versions",
        ["account_id", "user_id", "project_id", "number"],
        if_not_exists=True,
    )

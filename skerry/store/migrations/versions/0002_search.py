"""Full text search, and the indexes that searches without words come off."""

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
    # Nearly every search reads the words, few the texts: those go out of the row first.
    "ALTER TABLE search_documents ALTER COLUMN words SET STORAGE MAIN",
    # A search reads through everything that waits to be put into the index, so little may wait.
    """
    CREATE INDEX ix_search_documents_words ON search_documents USING gin (words)
        WITH (gin_pending_list_limit = 256)
    """,
)


def upgrade() -> None:
    """Make the tables of words, each database its own."""
    for statement in {"sqlite": _SQLITE, "postgresql": _POSTGRESQL}[op.get_bind().dialect.name]:
        op.execute(statement)

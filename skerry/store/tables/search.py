"""Tables of the search index, and an index of tickets; they differ between the databases.

They are not part of ``metadata``, because all their rows are derived from others.
"""

from typing import Any

from sqlalchemy import Connection, MetaData, event

from skerry.store.tables.columns import metadata

SEARCH_DOCUMENTS = "search_documents"
"""The table of the search index on PostgreSQL."""

_SQLITE = (
    """
    CREATE TABLE search_places (
        place INTEGER PRIMARY KEY,
        account_id BIGINT NOT NULL,
        project_id BIGINT NOT NULL,
        number BIGINT NOT NULL,
        updated_at BIGINT NOT NULL,
        room INTEGER,
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
        room INTEGER,
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


@event.listens_for(metadata, "after_create")
def _create(_metadata: MetaData, connection: Connection, **_how: Any) -> None:
    for statement in {"sqlite": _SQLITE, "postgresql": _POSTGRESQL}[connection.dialect.name]:
        connection.exec_driver_sql(statement)

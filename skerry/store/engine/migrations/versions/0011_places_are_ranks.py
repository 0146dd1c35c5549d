"""Ranks as places in SQLite's full-text index: before 3.42, SQLite loses rows whose ids are far apart."""

from alembic import op

revision = "0011"
down_revision = "0015"

_SQLITE = (
    # The trigger would remove the words of every ticket that gets another place.
    "DROP TRIGGER search_places_go",
    """
    CREATE TABLE search_ranks AS
    SELECT row_number() OVER (ORDER BY updated_at, account_id, project_id, number) AS place,
        place AS old_place, account_id, project_id, number, updated_at, room
    FROM search_places
    """,
    """
    CREATE VIRTUAL TABLE search_words_anew USING fts5 (
        title, body, comments, place, columnsize=0, tokenize="ascii tokenchars '_'"
    )
    """,
    """
    INSERT INTO search_words_anew (rowid, title, body, comments, place)
    SELECT r.place, w.c0, w.c1, w.c2, w.c3
    FROM search_ranks r CROSS JOIN search_words_content w WHERE w.id = r.old_place
    ORDER BY r.place
    """,
    "DROP TABLE search_words",
    "ALTER TABLE search_words_anew RENAME TO search_words",
    "DELETE FROM search_places",
    """
    INSERT INTO search_places (place, account_id, project_id, number, updated_at, room)
    SELECT place, account_id, project_id, number, updated_at, room FROM search_ranks ORDER BY place
    """,
    "DROP TABLE search_ranks",
    """
    CREATE TRIGGER search_places_go AFTER DELETE ON search_places BEGIN
        DELETE FROM search_words WHERE rowid = old.place;
    END
    """,
)


def upgrade() -> None:
    """Renumber the tickets in the order of their last changes; the words stay."""
    if op.get_bind().dialect.name == "sqlite":
        for statement in _SQLITE:
            op.execute(statement)

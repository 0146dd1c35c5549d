"""Tags with the state and the assignee of their tickets."""

from alembic import op

revision = "0004"
down_revision = "0003"

_TABLE = (
    """
    CREATE TABLE search_tags (
        account_id BIGINT NOT NULL,
        project_id BIGINT NOT NULL,
        number BIGINT NOT NULL,
        tag TEXT NOT NULL,
        closed SMALLINT NOT NULL,
        assigned_user_id BIGINT NOT NULL,
        PRIMARY KEY (account_id, project_id, number, tag)
    )
    """,
    """
    INSERT INTO search_tags (account_id, project_id, number, tag, closed, assigned_user_id)
    SELECT x.account_id, x.project_id, x.number, x.tag, t.closed, coalesce(t.assigned_user_id, 0)
    FROM taggings x JOIN tickets t
        ON t.account_id = x.account_id AND t.project_id = x.project_id AND t.number = x.number
    """,
    """
    CREATE INDEX search_tags_found
    ON search_tags (account_id, project_id, tag, closed, assigned_user_id, number)
    """,
)

# Kept by triggers, so that no change of a ticket can miss it.
_COME = """
    INSERT INTO search_tags (account_id, project_id, number, tag, closed, assigned_user_id)
    SELECT new.account_id, new.project_id, new.number, new.tag, t.closed, coalesce(t.assigned_user_id, 0)
    FROM tickets t
    WHERE t.account_id = new.account_id AND t.project_id = new.project_id AND t.number = new.number;
"""
_GO = """
    DELETE FROM search_tags
    WHERE account_id = old.account_id AND project_id = old.project_id AND number = old.number
        AND tag = old.tag;
"""
_FOLLOW = """
    UPDATE search_tags SET closed = new.closed, assigned_user_id = coalesce(new.assigned_user_id, 0)
    WHERE account_id = new.account_id AND project_id = new.project_id AND number = new.number;
"""

_CHANGED = "old.closed <> new.closed OR old.assigned_user_id IS DISTINCT FROM new.assigned_user_id"

_TRIGGERS = (
    ("search_tags_come", "AFTER INSERT ON taggings", "", _COME),
    ("search_tags_go", "AFTER DELETE ON taggings", "", _GO),
    ("search_tags_move", "AFTER UPDATE ON taggings", "", _GO + _COME),
    (
        "search_tags_follow",
        "AFTER UPDATE OF closed, assigned_user_id ON tickets",
        f"WHEN ({_CHANGED})",
        _FOLLOW,
    ),
)


def _sqlite(name: str, event: str, when: str, work: str) -> list[str]:
    condition = when.replace("IS DISTINCT FROM", "IS NOT")
    return [f"CREATE TRIGGER {name} {event} {condition} BEGIN {work} END"]


def _postgresql(name: str, event: str, when: str, work: str) -> list[str]:
    return [
        f"""CREATE OR REPLACE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql
        AS $$ BEGIN {work} RETURN NULL; END $$""",
        f"CREATE TRIGGER {name} {event} FOR EACH ROW {when} EXECUTE FUNCTION {name}()",
    ]


def upgrade() -> None:
    """Create the table, fill it, and create the triggers that maintain it."""
    made = {"sqlite": _sqlite, "postgresql": _postgresql}[op.get_bind().dialect.name]
    for statement in (*_TABLE, *(each for trigger in _TRIGGERS for each in made(*trigger))):
        op.execute(statement)

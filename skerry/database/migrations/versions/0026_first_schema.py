"""The first schema that this program can migrate; earlier migrations were removed before the first release.

Only backups that have it are restored with it: a new database gets the newest schema at once.
"""

from pathlib import Path

from alembic import op

revision = "0026"
down_revision = None


def upgrade() -> None:
    """Create all tables."""
    connection = op.get_bind()
    for kind in ("", f"_{connection.dialect.name}"):
        script = Path(__file__).with_name(f"0026_first_schema{kind}.sql").read_text(encoding="ascii")
        # An empty line separates two statements.
        for statement in script.split("\n\n"):
            connection.exec_driver_sql(statement)

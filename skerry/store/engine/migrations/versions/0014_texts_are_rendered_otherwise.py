"""Marks the change to a new rendering of texts; stored HTML stays until ``skerry rerender`` is run.

That can be done while the server runs.
"""

revision = "0014"
down_revision = "0010"


def upgrade() -> None:
    """Change nothing; operators are told to rerender because this migration was applied."""

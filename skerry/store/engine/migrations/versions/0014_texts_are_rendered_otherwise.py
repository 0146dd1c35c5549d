"""Texts become other HTML than before; what is kept stays as it is until ``skerry rerender`` makes it anew.

That takes as long as there are texts, and may be done while the server runs.
"""

revision = "0014"
down_revision = "0010"


def upgrade() -> None:
    """Change nothing; that this came is what whoever migrates is told by."""

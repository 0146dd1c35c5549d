"""The tags of tickets with what is asked beside them; the database keeps them by itself."""

from collections.abc import Iterator

from sqlalchemy import text

from skerry.store.database import Transaction
from skerry.store.statements import Statement

_SHOULD_BE = """
    SELECT x.account_id, x.project_id, x.number, x.tag, t.closed, coalesce(t.assigned_user_id, 0)
    FROM taggings x JOIN tickets t
        ON t.account_id = x.account_id AND t.project_id = x.project_id AND t.number = x.number
"""
_IS = "SELECT account_id, project_id, number, tag, closed, assigned_user_id FROM search_tags"

_WRONG = Statement(
    text(f"""
        SELECT DISTINCT account_id, project_id, number FROM (
            SELECT * FROM ({_SHOULD_BE} EXCEPT {_IS}) AS missing
            UNION ALL SELECT * FROM ({_IS} EXCEPT {_SHOULD_BE}) AS too_many
        ) AS wrong ORDER BY account_id, project_id, number
    """),  # noqa: S608 - our own words
    across_accounts=True,
)

_FORGET = Statement(
    text("""
        DELETE FROM search_tags
        WHERE account_id = :account AND project_id = :project AND number = :number
    """),
    across_accounts=True,
)
_KEEP = Statement(
    text(f"""
        INSERT INTO search_tags (account_id, project_id, number, tag, closed, assigned_user_id)
        {_SHOULD_BE} WHERE t.account_id = :account AND t.project_id = :project AND t.number = :number
    """),
    across_accounts=True,
)


def differences(transaction: Transaction) -> Iterator[str]:
    """Give a sentence for each ticket of any account that a search by tags takes for another than it is."""
    for row in transaction.all(_WRONG):
        yield "Ticket {2} of project {1} of account {0} is not searched by its tags".format(*row)


def mend(transaction: Transaction) -> None:
    """Keep the tags of every such ticket anew."""
    wrong = transaction.all(_WRONG)
    keys = [dict(zip(("account", "project", "number"), row, strict=True)) for row in wrong]
    for statement in (_FORGET, _KEEP):
        transaction.run_many(statement, keys)

"""Tags with what searches ask for beside them, which must be what their tickets say."""

from collections.abc import Iterator

from sqlalchemy import func, or_, select, update

from skerry.store.statements import Statement
from skerry.store.tables import taggings, tickets
from skerry.store.transactions import Transaction

_assigned = func.coalesce(tickets.c.assigned_user_id, 0)
_WRONGLY = (
    *(taggings.c[name] == tickets.c[name] for name in ("account_id", "project_id", "number")),
    or_(taggings.c.closed != tickets.c.closed, taggings.c.assigned_user_id != _assigned),
)
_KEY = (taggings.c.account_id, taggings.c.project_id, taggings.c.number)

_WRONG = Statement(select(*_KEY).where(*_WRONGLY).distinct().order_by(*_KEY), across_accounts=True)

_MEND = Statement(
    update(taggings).where(*_WRONGLY).values(closed=tickets.c.closed, assigned_user_id=_assigned),
    across_accounts=True,
)


def differences(transaction: Transaction) -> Iterator[str]:
    """Give a sentence for each ticket of any account that a search by tags takes for another than it is."""
    for row in transaction.all(_WRONG):
        yield "Ticket {2} of project {1} of account {0} is not searched by its tags".format(*row)


def mend(transaction: Transaction) -> None:
    """Let the tags of every such ticket say what it is."""
    transaction.run(_MEND)

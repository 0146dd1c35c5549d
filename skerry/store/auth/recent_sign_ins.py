"""Browsers and networks in which people have signed in; a few for each login and account, those used last."""

from sqlalchemy import Table, bindparam, delete, select, text

from skerry.database.statements import Statement, in_account
from skerry.database.transactions import DAY, Transaction
from skerry.store.tables import login_browsers, login_networks


class RecentSignIns:
    """What people have signed in with, such as networks."""

    def __init__(self, table: Table, name: str, *, days: int, most: int) -> None:
        """Build the statements for a table, whose column ``name`` says what was used.

        A row is kept for some days after its last use, and ``most`` for each login.
        """
        self.lifetime, self.most = days * DAY, most
        of_user = (in_account(table), table.c.user_id == bindparam("user"))
        oldest_kept = (
            select(table.c.used_at)
            .where(*of_user)
            .order_by(table.c.used_at.desc())
            .offset(most - 1)
            .limit(1)
            .scalar_subquery()
        )
        self._known = Statement(select(table.c[name]).where(*of_user, table.c.used_at > bindparam("since")))
        self._use = Statement(
            text(f"""
                INSERT INTO {table.name} (account_id, user_id, {name}, used_at)
                VALUES (:account_id, :user, :used, :timestamp)
                ON CONFLICT (account_id, user_id, {name}) DO UPDATE SET used_at = excluded.used_at
                WHERE {table.name}.used_at < excluded.used_at
            """)  # noqa: S608 - our own names
        )
        self._forget_more = Statement(delete(table).where(*of_user, table.c.used_at < oldest_kept))
        self._remove_old = Statement(
            delete(table).where(table.c.used_at <= bindparam("since")), across_accounts=True
        )

    def known(self, transaction: Transaction, user_id: int) -> frozenset[str]:
        """Return what a person has recently signed in with."""
        rows = transaction.all(self._known, user=user_id, since=transaction.now - self.lifetime)
        return frozenset(row[0] for row in rows)

    def use(self, transaction: Transaction, user_id: int, used: str, timestamp: int) -> None:
        """Store that something was used at a time; what was used least recently may be forgotten."""
        transaction.run(self._use, user=user_id, used=used, timestamp=timestamp)
        transaction.run(self._forget_more, user=user_id)

    def remove_old(self, transaction: Transaction) -> int:
        """Remove the rows of every account that have expired; return their number."""
        return transaction.changed(self._remove_old, since=transaction.now - self.lifetime)


BROWSERS = RecentSignIns(login_browsers, "hash", days=400, most=20)
"""Browsers, by the hash of their mark; they keep no cookie longer."""

NETWORKS = RecentSignIns(login_networks, "network", days=90, most=10)
"""Networks."""

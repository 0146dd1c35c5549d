"""The mail frequency of people in the account, and their unsubscribe codes."""

from typing import NamedTuple

from sqlalchemy import bindparam, select, text, update

from skerry.store.engine.statements import Statement
from skerry.store.engine.tables import mail_preferences
from skerry.store.engine.transactions import Transaction

AT_ONCE, DAILY, WEEKLY, NONE = "at_once", "daily", "weekly", "none"
FREQUENCIES = (AT_ONCE, DAILY, WEEKLY, NONE)


class MailPreferences(NamedTuple):
    """The mail frequency of a user; ``code`` unsubscribes without signing in."""

    user_id: int
    frequency: str
    code: str


_IN_ACCOUNT = mail_preferences.c.account_id == bindparam("account_id")
_COLUMNS = (
    mail_preferences.c.user_id,
    mail_preferences.c.frequency,
    mail_preferences.c.unsubscribe_code,
)
_OF_USER = Statement(select(*_COLUMNS).where(_IN_ACCOUNT, mail_preferences.c.user_id == bindparam("of_user")))
_WITH_CODE = Statement(
    select(*_COLUMNS).where(_IN_ACCOUNT, mail_preferences.c.unsubscribe_code == bindparam("code"))
)
_BEGIN = Statement(
    text("""
        INSERT INTO mail_preferences (account_id, user_id, frequency, unsubscribe_code)
        VALUES (:account_id, :of_user, 'at_once', :code) ON CONFLICT DO NOTHING
    """)
)
_CHANGE = Statement(
    update(mail_preferences)
    .where(_IN_ACCOUNT, mail_preferences.c.user_id == bindparam("of_user"))
    .values(frequency=bindparam("new_frequency"), digest_due_at=bindparam("due_at"))
)
_RENEW = Statement(
    update(mail_preferences)
    .where(_IN_ACCOUNT, mail_preferences.c.user_id == bindparam("of_user"))
    .values(unsubscribe_code=bindparam("code"))
)
_DIGESTED = Statement(
    update(mail_preferences)
    .where(_IN_ACCOUNT, mail_preferences.c.user_id == bindparam("of_user"))
    .values(digest_due_at=bindparam("due_at"))
)


def of_user(transaction: Transaction, user_id: int) -> MailPreferences | None:
    """Return the preferences of a user, None if they have chosen nothing."""
    row = transaction.one(_OF_USER, of_user=user_id)
    return MailPreferences(*row) if row else None


def with_code(transaction: Transaction, code: str) -> MailPreferences | None:
    """Return the preferences of the user with an unsubscribe code."""
    row = transaction.one(_WITH_CODE, code=code)
    return MailPreferences(*row) if row else None


def begin(transaction: Transaction, user_id: int, code: str) -> None:
    """Create an unsubscribe code for a user who has none."""
    transaction.run(_BEGIN, of_user=user_id, code=code)


def change(transaction: Transaction, user_id: int, frequency: str, due_at: int | None) -> None:
    """Set how often a user wants mail, and when the next digest is due."""
    transaction.run(_CHANGE, of_user=user_id, new_frequency=frequency, due_at=due_at)


def renew(transaction: Transaction, user_id: int, code: str) -> None:
    """Replace the unsubscribe code of a user; the one in earlier mails stops working."""
    transaction.run(_RENEW, of_user=user_id, code=code)


def note_digest(transaction: Transaction, user_id: int, due_at: int) -> None:
    """Set when the next digest of a user is due."""
    transaction.run(_DIGESTED, of_user=user_id, due_at=due_at)

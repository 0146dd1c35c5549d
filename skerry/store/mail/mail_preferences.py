"""The mail frequency of people in the account, and their unsubscribe codes."""

from typing import NamedTuple

from sqlalchemy import and_, bindparam, select, text, update

from skerry.database.statements import Statement, in_account
from skerry.database.transactions import Transaction
from skerry.store.tables import mail_preferences

AT_ONCE, DAILY, WEEKLY, NONE = "at_once", "daily", "weekly", "none"
FREQUENCIES = (AT_ONCE, DAILY, WEEKLY, NONE)


class MailPreferences(NamedTuple):
    """The mail frequency of a user; ``code`` unsubscribes without signing in.

    ``due_reminders`` is 1 if the user is reminded of due dates.
    """

    user_id: int
    frequency: str
    code: str
    due_reminders: int


_IN_ACCOUNT = in_account(mail_preferences)
_BY_KEY = and_(_IN_ACCOUNT, mail_preferences.c.user_id == bindparam("of_user"))
_COLUMNS = [
    mail_preferences.c[name] for name in ("user_id", "frequency", "unsubscribe_code", "due_reminders")
]
_OF_USER = Statement(select(*_COLUMNS).where(_BY_KEY))
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
    .where(_BY_KEY)
    .values(frequency=bindparam("new_frequency"), digest_due_at=bindparam("due_at"))
)
_REMIND = Statement(update(mail_preferences).where(_BY_KEY).values(due_reminders=bindparam("wanted")))
_RENEW = Statement(update(mail_preferences).where(_BY_KEY).values(unsubscribe_code=bindparam("code")))
_DIGESTED = Statement(update(mail_preferences).where(_BY_KEY).values(digest_due_at=bindparam("due_at")))


def of_user(transaction: Transaction, user_id: int) -> MailPreferences | None:
    """Return the preferences of a user, or None if they have not chosen any."""
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


def remind(transaction: Transaction, user_id: int, *, wanted: bool) -> None:
    """Set whether a user is reminded of due dates."""
    transaction.run(_REMIND, of_user=user_id, wanted=int(wanted))


def renew(transaction: Transaction, user_id: int, code: str) -> None:
    """Replace the unsubscribe code of a user; the one in earlier mails stops working."""
    transaction.run(_RENEW, of_user=user_id, code=code)


def note_digest(transaction: Transaction, user_id: int, due_at: int) -> None:
    """Set when the next digest of a user is due."""
    transaction.run(_DIGESTED, of_user=user_id, due_at=due_at)

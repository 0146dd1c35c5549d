"""The day in the time zone of a person, or in that of the account."""

from datetime import date, datetime, tzinfo

from skerry.database.transactions import SECOND, Transaction
from skerry.store import accounts
from skerry.store.people import preferences
from skerry.text.time_zones import zone_named


def today(transaction: Transaction, user_id: int | None) -> date:
    """Return the day where a person is; that of the account for nobody and for people without a zone."""
    return datetime.fromtimestamp(transaction.now / SECOND, zone(transaction, user_id)).date()


def zone(transaction: Transaction, user_id: int | None = None) -> tzinfo:
    """Return the time zone of a person, or else that of the account, which is UTC if it has none."""
    person = preferences.of_user(transaction, user_id) if user_id else None
    return zone_named(person.time_zone if person and person.time_zone else accounts.time_zone_of(transaction))

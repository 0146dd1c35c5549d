"""Limits on mails that anybody can have sent to any address, such as for a sign-up or a new password.

They are counted in the database, so that several processes share them; networks and addresses only as hashes
with the account's key. An address counts whether it has a login or not, so no answer says whether it has.
"""

import hmac
from math import ceil
from typing import NamedTuple

from skerry.database.transactions import DAY, HOUR, SECOND, Transaction
from skerry.errors import TooManyRequests
from skerry.store import accounts
from skerry.store.auth import guest_bytes
from skerry.text.networks import network_of


class MailLimits(NamedTuple):
    """How often something can be asked for: in an account and from a network in an hour, for an address.

    ``address_period`` is an hour or a day.
    """

    what: str
    account: int
    network: int
    address: int
    address_period: int = DAY


def count(transaction: Transaction, limits: MailLimits, email: str) -> None:
    """Count a request; raises TooManyRequests if it is one too many, and then does not count it."""
    what, hour = limits.what, transaction.now % DAY // HOUR
    address, network = (_hidden(transaction, each) for each in (email, network_of(transaction.address)))
    of_address = f"{what} of {address}" + (f" in hour {hour}" if limits.address_period == HOUR else "")
    # Always in this order, to prevent deadlocks.
    for kind, most, period in (
        (f"{what} in hour {hour}", limits.account, HOUR),
        (f"{what} from {network} in hour {hour}", limits.network, HOUR),
        (of_address, limits.address, limits.address_period),
    ):
        if guest_bytes.add(transaction, kind, 0, 1) > most:
            wait = (period - transaction.now % period) // SECOND + 1
            raise TooManyRequests(
                f"Too many of these mails were requested; try again in {ceil(wait / 60)} minutes", wait
            )


def _hidden(transaction: Transaction, text: str) -> str:
    """Return a text that counts can be kept under without keeping it."""
    return hmac.digest(accounts.key_of(transaction), text.encode("utf-8", "replace"), "sha256").hex()[:32]

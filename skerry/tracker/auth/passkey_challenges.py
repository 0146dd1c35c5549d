"""Challenges for passkeys: random, for one browser or person, for some minutes, and answered once.

A challenge is signed instead of stored, so that a visitor who only looks at the sign-in page leaves no row.
What is stored is that it was answered, so that this holds for all processes and servers of a database.
"""

import hashlib
import hmac
import secrets

from skerry.database.transactions import SECOND, Transaction
from skerry.store import accounts
from skerry.store.auth import passkeys as store
from skerry.tracker.auth.passkey_answers import BadAnswer

SECONDS = 600
"""How long a challenge can be answered."""

_CLOCKS_DIFFER = 60
_TIME_BYTES, _RANDOM_BYTES = 6, 16
_HEAD = _TIME_BYTES + _RANDOM_BYTES

STALE = "This took too long, or was already used. Try again"


def new(transaction: Transaction, purpose: str, whose: str) -> bytes:
    """Return a challenge that only ``whose`` can answer, for one purpose in the account."""
    since = transaction.now // SECOND
    head = since.to_bytes(_TIME_BYTES, "big") + secrets.token_bytes(_RANDOM_BYTES)
    return head + _signature(transaction, purpose, whose, head)


def _signature(transaction: Transaction, purpose: str, whose: str, head: bytes) -> bytes:
    signed = f"passkey {purpose} {whose} ".encode() + head
    return hmac.digest(accounts.key_of(transaction), signed, "sha256")


def check(transaction: Transaction, challenge: bytes, purpose: str, whose: str) -> None:
    """Raise BadAnswer for a challenge of somebody else, one that is too old, and one that was answered."""
    head, signature = challenge[:_HEAD], challenge[_HEAD:]
    since = int.from_bytes(head[:_TIME_BYTES], "big")
    age = transaction.now // SECOND - since
    if not (
        hmac.compare_digest(signature, _signature(transaction, purpose, whose, head))
        and -_CLOCKS_DIFFER <= age <= SECONDS
        and not store.is_answered(transaction, _hashed(challenge))
    ):
        raise BadAnswer(STALE)


def answer(transaction: Transaction, challenge: bytes) -> None:
    """Record that a challenge is answered; raises BadAnswer if it was answered meanwhile."""
    end = transaction.now + (SECONDS + _CLOCKS_DIFFER) * SECOND
    if not store.answer(transaction, _hashed(challenge), end):
        raise BadAnswer(STALE)


def _hashed(challenge: bytes) -> str:
    return hashlib.sha256(challenge).hexdigest()

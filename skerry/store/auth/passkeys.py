"""Passkeys: the public keys with which people sign in, and the challenges that were answered."""

from dataclasses import dataclass, fields

from sqlalchemy import bindparam, delete, func, select, text, update

from skerry.database.statements import Statement, in_account, insert_into
from skerry.database.transactions import Transaction
from skerry.store.counts import counters
from skerry.store.tables import answered_challenges, passkeys


@dataclass(frozen=True)
class StoredPasskey:
    """A passkey; times are in microseconds, ``credential`` and ``public_key`` in base64url."""

    id: int
    user_id: int
    credential: str
    public_key: str
    counter: int
    name: str
    transports: str
    backed_up: bool
    created_at: int
    used_at: int | None
    address: str


@dataclass(frozen=True)
class NewPasskey:
    """What an authenticator says of a passkey that it has made."""

    credential: str
    public_key: str
    counter: int
    transports: str
    backed_up: bool


_COLUMNS = tuple(passkeys.c[field.name] for field in fields(StoredPasskey))
_IN_ACCOUNT = in_account(passkeys)
_OF_USER = passkeys.c.user_id == bindparam("user")
_ONE = (_IN_ACCOUNT, passkeys.c.id == bindparam("passkey"))

_FIND = Statement(
    select(*_COLUMNS).where(_IN_ACCOUNT, passkeys.c.credential == bindparam("wanted_credential"))
)

_OF = Statement(select(*_COLUMNS).where(_IN_ACCOUNT, _OF_USER).order_by(passkeys.c.id))

_COUNT = Statement(select(func.count()).select_from(passkeys).where(_IN_ACCOUNT, _OF_USER))

_INSERT = Statement(insert_into(passkeys, without=("used_at",)))

# Of two sign-ins at the same time, the later one finds another counter, or no passkey any more.
_USED = Statement(
    update(passkeys)
    .where(*_ONE, passkeys.c.counter == bindparam("seen"))
    .values(
        counter=bindparam("new_counter"),
        backed_up=bindparam("is_backed_up"),
        used_at=bindparam("now"),
        address=bindparam("from_address"),
    )
)

_RENAME = Statement(update(passkeys).where(*_ONE, _OF_USER).values(name=bindparam("new_name")))

_REMOVE = Statement(delete(passkeys).where(*_ONE, _OF_USER))

_REMOVE_ALL = Statement(delete(passkeys).where(_IN_ACCOUNT, _OF_USER))

_ANSWER = Statement(
    text("""
        INSERT INTO answered_challenges (account_id, hash, expires_at)
        VALUES (:account_id, :hash, :expires_at)
        ON CONFLICT (account_id, hash) DO NOTHING
    """)
)

_IS_ANSWERED = Statement(
    select(answered_challenges.c.hash).where(
        in_account(answered_challenges), answered_challenges.c.hash == bindparam("hash")
    )
)

_REMOVE_EXPIRED = Statement(
    delete(answered_challenges).where(answered_challenges.c.expires_at <= bindparam("now")),
    across_accounts=True,
)


def find(transaction: Transaction, credential: str) -> StoredPasskey | None:
    """Return the passkey with the id that its authenticator gave."""
    row = transaction.one(_FIND, wanted_credential=credential)
    return StoredPasskey(*row) if row else None


def of_user(transaction: Transaction, user_id: int) -> list[StoredPasskey]:
    """Return a person's passkeys, the oldest first."""
    return [StoredPasskey(*row) for row in transaction.all(_OF, user=user_id)]


def count(transaction: Transaction, user_id: int) -> int:
    """Return how many passkeys a person has in the account."""
    return int(transaction.value(_COUNT, user=user_id))


def add(transaction: Transaction, user_id: int, name: str, new: NewPasskey) -> int:
    """Add a passkey of a person, and return its id."""
    passkey_id = counters.next_id(transaction, "passkeys")
    values = {field.name: getattr(new, field.name) for field in fields(NewPasskey)}
    values |= {"name": name, "address": "", "backed_up": int(new.backed_up)}
    transaction.run(_INSERT, id=passkey_id, user_id=user_id, created_at=transaction.now, **values)
    return passkey_id


def used(transaction: Transaction, kept: StoredPasskey, counter: int, *, backed_up: bool) -> bool:
    """Record that a passkey was used now; return whether it is still as it was read."""
    changed = transaction.changed(
        _USED,
        passkey=kept.id,
        seen=kept.counter,
        new_counter=counter,
        is_backed_up=int(backed_up),
        now=transaction.now,
        from_address=transaction.address,
    )
    return bool(changed)


def rename(transaction: Transaction, user_id: int, passkey_id: int, name: str) -> None:
    """Rename one of a person's passkeys."""
    transaction.run(_RENAME, user=user_id, passkey=passkey_id, new_name=name)


def remove(transaction: Transaction, user_id: int, passkey_id: int) -> None:
    """Remove one of a person's passkeys."""
    transaction.run(_REMOVE, user=user_id, passkey=passkey_id)


def remove_all(transaction: Transaction, user_id: int) -> None:
    """Remove all passkeys of a person in the account."""
    transaction.run(_REMOVE_ALL, user=user_id)


def answer(transaction: Transaction, hashed: str, expires_at: int) -> bool:
    """Record that a challenge was answered; return False if it was answered before."""
    return bool(transaction.changed(_ANSWER, hash=hashed, expires_at=expires_at))


def is_answered(transaction: Transaction, hashed: str) -> bool:
    """Return whether a challenge was answered before."""
    return transaction.one(_IS_ANSWERED, hash=hashed) is not None


def remove_expired(transaction: Transaction) -> int:
    """Remove the challenges of every account that are no longer valid anyway; return their number."""
    return transaction.changed(_REMOVE_EXPIRED, now=transaction.now)

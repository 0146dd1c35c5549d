"""Tokens, stored by their hash."""

from dataclasses import dataclass, fields

from sqlalchemy import BigInteger, bindparam, func, or_, select, update

from skerry.database.statements import Row, Statement, in_account, insert_into
from skerry.database.transactions import Transaction
from skerry.store.auth.credentials import by_hash
from skerry.store.counts import counters
from skerry.store.tables import tokens


@dataclass(frozen=True)
class StoredToken:
    """A token for an account, or for one of its projects; times are in microseconds."""

    id: int
    user_id: int
    project_id: int | None
    read_only: bool
    note: str
    created_at: int
    revoked_at: int | None
    expires_at: int | None = None
    used_at: int | None = None
    scopes: str = ""
    address: str = ""

    def state(self, now: int) -> str:
        """Return ``valid``, ``revoked`` or ``over`` (expired), as of a time."""
        if self.revoked_at is not None:
            return "revoked"
        return "over" if self.expires_at is not None and self.expires_at <= now else "valid"


_COLUMNS = tuple(tokens.c[field.name] for field in fields(StoredToken))

_IN_ACCOUNT = in_account(tokens)

_UNREVOKED = tokens.c.revoked_at.is_(None)
_VALID = (_UNREVOKED, or_(tokens.c.expires_at.is_(None), tokens.c.expires_at > bindparam("now")))

_BY_HASH = by_hash(tokens, _COLUMNS, _UNREVOKED)

_ALL = Statement(select(*_COLUMNS).where(_IN_ACCOUNT).order_by(tokens.c.id))

_OF_USER = Statement(
    select(*_COLUMNS)
    .where(_IN_ACCOUNT, *_VALID, tokens.c.user_id == bindparam("user"))
    .order_by(tokens.c.id.desc())
)

_INSERT = Statement(insert_into(tokens, without=("revoked_at", "used_at")))

_EXCHANGE = Statement(
    update(tokens)
    .where(_IN_ACCOUNT, tokens.c.hash == bindparam("hash_before"), *_VALID)
    .values(hash=bindparam("hash_after"), expires_at=bindparam("end", type_=BigInteger))
)

_LIMIT = Statement(
    update(tokens)
    .where(_IN_ACCOUNT, tokens.c.id == bindparam("token_id"), _UNREVOKED)
    .values(expires_at=bindparam("end"))
)

_REVOKE = Statement(
    update(tokens)
    .where(_IN_ACCOUNT, tokens.c.id == bindparam("token_id"), _UNREVOKED)
    .values(revoked_at=bindparam("now"))
)

_IS_USERS = tokens.c.user_id == bindparam("user")

_REVOKE_ALL = Statement(
    update(tokens).where(_IN_ACCOUNT, _IS_USERS, _UNREVOKED).values(revoked_at=bindparam("now"))
)

_COUNT_EVERYWHERE = Statement(
    select(func.count()).select_from(tokens).where(_IS_USERS, *_VALID), across_accounts=True
)

_REVOKE_EVERYWHERE = Statement(
    update(tokens).where(_IS_USERS, _UNREVOKED).values(revoked_at=bindparam("now")), across_accounts=True
)

_USED = Statement(
    update(tokens)
    .where(
        _IN_ACCOUNT,
        tokens.c.id == bindparam("token_id"),
        or_(tokens.c.used_at.is_(None), tokens.c.used_at < bindparam("timestamp")),
    )
    .values(used_at=bindparam("timestamp"), address=bindparam("address"))
)


def with_hash(transaction: Transaction, hashed: str) -> tuple[StoredToken, str, str | None] | None:
    """Return the valid token with a hash, its owner's name, and the owner's role in the account."""
    row = transaction.one(_BY_HASH, hash=hashed)
    if row is None:
        return None
    token = _token(row[:-2])
    is_over = token.expires_at is not None and transaction.is_over(token.expires_at)
    return None if is_over else (token, row[-2], row[-1])


def list_all(transaction: Transaction) -> list[StoredToken]:
    """Return all tokens of the account, including revoked ones, oldest first."""
    return [_token(row) for row in transaction.all(_ALL)]


def of_user(transaction: Transaction, user_id: int) -> list[StoredToken]:
    """Return the valid tokens of a user, newest first."""
    return [_token(row) for row in transaction.all(_OF_USER, user=user_id, now=transaction.now)]


def add(  # noqa: PLR0913 - the values of a row
    transaction: Transaction,
    user_id: int,
    hashed: str,
    *,
    project_id: int | None,
    read_only: bool,
    note: str,
    expires_at: int | None = None,
    scopes: str = "",
) -> None:
    """Add a token that is valid until ``expires_at``; None means that it never expires."""
    transaction.run(
        _INSERT,
        id=counters.next_id(transaction, "tokens"),
        user_id=user_id,
        project_id=project_id,
        read_only=int(read_only),
        note=note,
        hash=hashed,
        created_at=transaction.now,
        expires_at=expires_at,
        scopes=scopes,
        address="",
    )


def exchange(transaction: Transaction, before: str, after: str, end: int) -> bool:
    """Set another hash and end of a valid token; return whether there was one."""
    hashes = {"hash_before": before, "hash_after": after}
    return bool(transaction.changed(_EXCHANGE, **hashes, end=end, now=transaction.now))


def revoke(transaction: Transaction, token_id: int) -> bool:
    """Revoke a token immediately; return whether it was valid until now."""
    return bool(transaction.changed(_REVOKE, token_id=token_id, now=transaction.now))


def revoke_all(transaction: Transaction, user_id: int) -> None:
    """Revoke all tokens of a user in the account."""
    transaction.run(_REVOKE_ALL, user=user_id, now=transaction.now)


def count_everywhere(transaction: Transaction, user_id: int) -> int:
    """Return the number of valid tokens of a user in all accounts."""
    return int(transaction.value(_COUNT_EVERYWHERE, user=user_id, now=transaction.now))


def revoke_everywhere(transaction: Transaction, user_id: int) -> None:
    """Revoke all tokens of a user in every account."""
    transaction.run(_REVOKE_EVERYWHERE, user=user_id, now=transaction.now)


def limit(transaction: Transaction, token_id: int, end: int) -> None:
    """Make a token expire at a time in microseconds."""
    transaction.run(_LIMIT, token_id=token_id, end=end)


def used(transaction: Transaction, token_id: int, timestamp: int, address: str) -> None:
    """Store when and from where a token was used."""
    transaction.run(_USED, token_id=token_id, timestamp=timestamp, address=address)


def _token(row: Row) -> StoredToken:
    token_id, user_id, project_id, read_only, *rest = row
    return StoredToken(token_id, user_id, project_id, bool(read_only), *rest)

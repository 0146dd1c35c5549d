"""Rows of people's pictures; like people, they belong to the server rather than to an account."""

from collections.abc import Iterable
from functools import partial

from sqlalchemy import bindparam, or_, select, update

from skerry.database.statements import Statement, in_account
from skerry.database.transactions import Transaction
from skerry.resources.tickets import Attachment
from skerry.store.attachments import Download, key_of
from skerry.store.tables import placeholders, users

SERVICE = 0
"""The account number in the storage key of a file that belongs to no account."""

PLACEHOLDER = "placeholder"
"""Stands for the picture of an imported person without a login."""

PROGRAM = "service"
"""Stands for the picture of a service user."""

_BY_KEY = users.c.id == bindparam("user_id")
_ONE = Statement(
    select(users.c.avatar_code, users.c.avatar_type, users.c.avatar_size).where(_BY_KEY), across_accounts=True
)
_waits = (placeholders.c.user_id == users.c.id) & in_account(placeholders) & placeholders.c.given_to.is_(None)
_CODES = Statement(
    select(users.c.id, users.c.avatar_code, placeholders.c.user_id, users.c.service)
    .select_from(users.outerjoin(placeholders, _waits))
    .where(
        users.c.id.in_(bindparam("user_ids", expanding=True)),
        or_(users.c.avatar_code.is_not(None), placeholders.c.user_id.is_not(None), users.c.service == 1),
    )
)
_KNOWN = Statement(
    select(users.c.avatar_code).where(users.c.avatar_code.in_(bindparam("codes", expanding=True))),
    across_accounts=True,
)
_CHANGE = Statement(
    update(users)
    .where(_BY_KEY)
    .values(
        avatar_code=bindparam("new_code"),
        avatar_type=bindparam("new_type"),
        avatar_size=bindparam("new_size"),
    ),
    across_accounts=True,
)


def one(transaction: Transaction, user_id: int) -> Download | None:
    """Return a person's picture; its code changes with it, so clients may cache it forever."""
    row = transaction.one(_ONE, user_id=user_id)
    if row is None or row[0] is None:
        return None
    code, media_type, size = row
    filename = f"{user_id}.{media_type.partition('/')[2]}"
    picture = Attachment(code=code, content_type=media_type, filename=filename, size=size)
    return Download(picture, 0, key_of(SERVICE, code), lasting=True)


def paths(transaction: Transaction, user_ids: Iterable[int]) -> dict[int, str]:
    """Return the paths of avatars, for the people who have one.

    It is ``PLACEHOLDER`` for a placeholder, and ``PROGRAM`` for a service user.
    """
    return {
        user_id: PLACEHOLDER if waits else PROGRAM if service else path(user_id, code)
        for user_id, code, waits, service in transaction.all(_CODES, user_ids=list(user_ids))
    }


def path(user_id: int, code: str) -> str:
    """Return the path of a picture, the same in every account."""
    return f"/avatars/{user_id}-{code}"


def known(transaction: Transaction, codes: Iterable[str]) -> set[str]:
    """Return those of the codes that belong to a picture."""
    return {row[0] for row in transaction.all(_KNOWN, codes=list(codes))}


def change(transaction: Transaction, user_id: int, *, code: str, media_type: str, size: int) -> None:
    """Replace a person's picture in every account; the old bytes are removed after the commit."""
    _release(transaction, user_id)
    transaction.run(_CHANGE, user_id=user_id, new_code=code, new_type=media_type, new_size=size)


def remove(transaction: Transaction, user_id: int) -> None:
    """Remove a person's picture, and its bytes after the commit."""
    _release(transaction, user_id)
    transaction.run(_CHANGE, user_id=user_id, new_code=None, new_type=None, new_size=None)


def _release(transaction: Transaction, user_id: int) -> None:
    present = one(transaction, user_id)
    if present and transaction.blobs:
        transaction.after_durable_commit(partial(transaction.blobs.release, [present.key]))

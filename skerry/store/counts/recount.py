"""The deep check: compares all redundant data while the service keeps running."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from sqlalchemy import bindparam, select, tuple_

from skerry.store.attachments import key_of
from skerry.store.counts import recount_references, recount_sums
from skerry.store.engine.database import Database
from skerry.store.engine.statements import Statement
from skerry.store.engine.tables import attachments, users
from skerry.store.engine.transactions import Transaction
from skerry.store.files import cleanup
from skerry.store.files.blobs import Blobs
from skerry.store.people import avatars
from skerry.store.search import check as recount_searches
from skerry.store.search import index as search_index
from skerry.text.numbers import counted

GRACE = timedelta(days=1)
"""How long a file may exist without an attachment: servers remove such files every few hours."""

_AT_ONCE = 1000

_TIES: dict[str, Callable[[Transaction], Iterator[str]]] = {
    "ids given": recount_references.ids_given,
    "things named": recount_references.names,
    "states of tickets": recount_references.classes,
    "tags and watchers": recount_references.tags_and_watchers,
    "words for the search": recount_references.words,
    "tags for the search": search_index.tag_differences,
}

_KEY = (attachments.c.account_id, attachments.c.id)
_SOME = Statement(
    select(*_KEY, attachments.c.code, attachments.c.size, attachments.c.filename)
    .where(tuple_(*_KEY) > tuple_(bindparam("after_account_id"), bindparam("after_id")))
    .order_by(*_KEY)
    .limit(_AT_ONCE),
    across_accounts=True,
)
_STILL_THERE = Statement(
    select(attachments.c.id).where(
        attachments.c.account_id == bindparam("account_id"), attachments.c.id == bindparam("id")
    ),
    across_projects=True,
)
_PICTURES = Statement(
    select(users.c.id, users.c.avatar_code, users.c.avatar_size)
    .where(users.c.avatar_code.is_not(None), users.c.id > bindparam("after_id"))
    .order_by(users.c.id)
    .limit(_AT_ONCE),
    across_accounts=True,
)


@dataclass(frozen=True)
class Check:
    """A check: its title, and a message for each difference, found while iterating."""

    title: str
    differences: Iterator[str]


def recount(database: Database, blobs: Blobs) -> Iterator[Check]:
    """Compare all stored counts; consume the differences of each check before starting the next.

    All rows are read in one snapshot. Raises Unavailable if the database or the files cannot be reached.
    """
    with database.read() as transaction:
        for kept in recount_sums.SUMS:
            yield Check(kept.title, database.yield_from(recount_sums.differences(transaction, kept)))
        for title, differences in _TIES.items():
            yield Check(title, database.yield_from(differences(transaction)))
    yield Check("searches for common words", recount_searches.differences(database))
    yield Check("files of attachments", _missing_files(database, blobs))
    yield Check("pictures of people", _missing_pictures(database, blobs))
    yield Check("attachments of files", _unclaimed_files(database, blobs))


def _missing_files(database: Database, blobs: Blobs) -> Iterator[str]:
    """Read rows and files alternately, so that no transaction lasts as long as reading all files."""
    account_id, attachment_id = 0, 0
    while True:
        with database.read() as transaction:
            some = transaction.all(_SOME, after_account_id=account_id, after_id=attachment_id)
        if not some:
            return
        for account_id, attachment_id, code, size, filename in some:
            found = blobs.size(key_of(account_id, code))
            if found != size and _is_there(database, account_id, attachment_id):
                title = f"attachment {attachment_id} of account {account_id}, {filename}"
                yield f"The file of {title}, {_state(found, size)}"


def _state(found: int | None, size: int) -> str:
    if found is None:
        return "is missing"
    return counted(f"has {{n}} {{byte|bytes}} and should have {size}", found)


def _missing_pictures(database: Database, blobs: Blobs) -> Iterator[str]:
    user_id = 0
    while True:
        with database.read() as transaction:
            some = transaction.all(_PICTURES, after_id=user_id)
        if not some:
            return
        for user_id, code, size in some:
            found = blobs.size(key_of(avatars.SERVICE, code))
            if found != size and _has_picture(database, user_id, code):
                yield f"The picture of user {user_id} {_state(found, size)}"


def _has_picture(database: Database, user_id: int, code: str) -> bool:
    """Check again whether a picture exists, as for attachments."""
    with database.read() as transaction:
        present = avatars.one(transaction, user_id)
    return present is not None and present.attachment.code == code


def _is_there(database: Database, account_id: int, attachment_id: int) -> bool:
    """Check again whether an attachment exists: it may have been removed meanwhile with its file."""
    with database.read(account_id) as transaction:
        return transaction.one(_STILL_THERE, id=attachment_id) is not None


def _unclaimed_files(database: Database, blobs: Blobs) -> Iterator[str]:
    youngest = datetime.now(UTC) - GRACE
    for batch in blobs.list_all():
        for key in cleanup.unknown(database, batch, youngest):
            owner = "nobody" if key.startswith(f"{avatars.SERVICE}/") else "no attachment"
            yield f"The file {key} belongs to {owner}"

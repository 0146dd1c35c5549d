"""The cleanup of files that killed processes left behind.

Bytes are stored before their row is written, and rows are removed before their bytes. So a crash in between
leaves bytes without a row, never a row without bytes.
"""

import re
from collections.abc import Iterable
from datetime import datetime, timedelta
from itertools import groupby
from operator import itemgetter

from skerry.database.database import Database
from skerry.files.blobs import Blobs
from skerry.files.storage import StoredFile
from skerry.store import attachments, moving_in
from skerry.store.people import avatars
from skerry.store.spam import spam

# Far longer than any request takes between the arrival of its files and the writing of its rows.
AGE = timedelta(hours=1)

# A bucket may hold other files; only keys in Skerry's form are ever removed.
OURS = re.compile(r"(?P<account>[0-9]{1,18}|check)/(?P<code>[0-9a-f]{40})")


def clean_up(database: Database, blobs: Blobs, older_than: timedelta = AGE) -> int:
    """Delete unfinished uploads and unreferenced files; return their number.

    Only files older than ``older_than`` are deleted. Raises Unavailable if the database or the files cannot
    be reached.
    """
    swept = blobs.remove_temporary_files(older_than)
    # The bucket's clock, not ours, dates its files.
    youngest = blobs.now() - older_than
    for batch in blobs.list_all():
        unclaimed = unknown(database, batch, youngest)
        if unclaimed:
            _settle(database)
        if blobs.release(unclaimed):
            swept += len(unclaimed)
    return swept


def _settle(database: Database) -> None:
    """Wait until a removed row can no longer come back after a power failure."""
    # On PostgreSQL a removed row is durable before anybody sees it, so there is nothing to wait for.
    with database.write() as transaction:
        transaction.after_durable_commit(lambda: None)


def unknown(database: Database, batch: Iterable[StoredFile], youngest: datetime) -> list[str]:
    """Return the keys of unreferenced files that are at least as old as ``youngest``."""
    keys: list[str] = []
    old = (kept.key for kept in batch if kept.since <= youngest)
    ours = [match for key in old if (match := OURS.fullmatch(key))]
    ours.sort(key=itemgetter("account"))
    for account, of_account in groupby(ours, itemgetter("account")):
        codes = {match["code"]: match[0] for match in of_account}
        with database.read(int(account) if account.isdecimal() else 0) as transaction:
            if account == str(avatars.SERVICE):
                known = avatars.known(transaction, codes)
                known |= spam.known(transaction, codes)
            else:
                known = attachments.known(transaction, codes) | moving_in.known(transaction, codes)
                known |= spam.known(transaction, codes)
        keys.extend(key for code, key in codes.items() if code not in known)
    return keys

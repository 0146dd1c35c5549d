"""The declaration of removals of spammers."""

from datetime import datetime

from skerry.wire.record import Record


class SpamRemoval(Record, frozen=True):
    """The removal of a guest with everything that they wrote, which can be undone until ``expires_at``.

    ``state`` is ``removing`` and then ``removed``; after an undo, ``restoring``. ``count`` is the number of
    tickets and texts that were removed so far.
    """

    singular, plural = "spam_removal", "spam_removals"
    decides_access = True

    count: int = 0
    created_at: datetime | None = None
    creator_id: int | None = None
    creator_name: str | None = None
    expires_at: datetime | None = None
    state: str = ""
    user_id: int | None = None
    user_name: str | None = None

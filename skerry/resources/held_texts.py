"""The declarations of texts of newcomers, which wait until a member releases or accepts them."""

from datetime import datetime
from typing import Annotated

from skerry.wire.record import Record, writable

SHOW, MARK, HOLD = CHOICES = ("show", "mark", "hold")
"""What an account does with the texts of newcomers: show them as all others or with a mark, or hold them."""


class HeldText(Record, frozen=True):
    """A ticket or a comment that a newcomer sent, which waits until a member of the project releases it.

    If it is ``shown``, everybody sees it already, with a mark, and it waits until a member accepts it.

    ``kind`` is ``ticket``, ``comment`` or ``message_comment``; ``number`` is the ticket or message that
    it comments on, or a ticket that is shown. A list has the beginning of each ``body``, and says whether
    that is the ``whole``.
    """

    singular, plural = "held_text", "held_texts"
    is_waiting = True

    body: str = ""
    created_at: datetime | None = None
    id: int | None = None
    kind: str = ""
    number: int | None = None
    private: bool = False
    project_id: int | None = None
    shown: bool = False
    tag: str | None = None
    title: str = ""
    user_id: int | None = None
    user_name: str = ""
    whole: bool = True


class TextDecision(Record, frozen=True):
    """The release (or acceptance) or the removal of texts of newcomers, by their ``ids``.

    ``count`` is how many were released or removed; what could not be released, such as a comment on a ticket
    that is gone, still waits.
    """

    singular, plural = "text_decision", "text_decisions"

    count: int = 0
    ids: Annotated[list[int], writable] = []
    release: Annotated[bool, writable] = False

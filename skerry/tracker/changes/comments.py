"""What is said with the change of a ticket, and what its event says of both."""

from typing import NamedTuple

from skerry.resources.tickets import RECORDED
from skerry.store.events.events import Changes
from skerry.tracker.changes.ticket_values import Values
from skerry.tracker.context import NewFile

MENTIONS = "mentions"
"""What an event calls the ids of the people whom a new text names: two values, nothing and the ids."""


class Comment(NamedTuple):
    """A text, which may be empty, with its HTML, files, and the ids of the people whom the text names."""

    body: str
    html: str
    files: tuple[NewFile, ...] = ()
    named: tuple[int, ...] = ()


def told(before: Values | None, after: Values, comment: Comment) -> Changes:
    """Return what an event says of a change: old and new values, and whether a text or files came.

    The values of a new ticket that are none are left out.
    """
    found: Changes = {}
    for name in RECORDED.values():
        old, new = getattr(before, name) if before else None, getattr(after, name)
        if old != new:
            found[name] = [old, new]
    found |= {"body": None} if comment.body else {}
    return found | ({"attachments": None} if comment.files else {}) | mentioned(comment)


def mentioned(comment: Comment) -> Changes:
    """Return what an event says of whom a text names."""
    return {MENTIONS: [None, ",".join(map(str, comment.named))]} if comment.named else {}


def named_in(changes: Changes) -> set[int]:
    """Return the ids of the people whom the text of an event's change names."""
    _, ids = changes.get(MENTIONS) or (None, "")
    return {int(user_id) for user_id in ids.split(",") if user_id}

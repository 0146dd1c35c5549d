"""Comments that accompany a change of a ticket, and the description of both in its event."""

from typing import NamedTuple

from skerry.resources.tickets import RECORDED
from skerry.store.events.events import Changes
from skerry.tracker.changes.ticket_values import Values
from skerry.tracker.context import NewFile

MENTIONS = "mentions"
"""The key in an event's changes for mention_changes people; its values are None and a list of ids."""


class Comment(NamedTuple):
    """A text, which may be empty, with its HTML, files, and the ids of the people it mentions."""

    body: str
    html: str
    files: tuple[NewFile, ...] = ()
    named: tuple[int, ...] = ()


def event_changes(before: Values | None, after: Values, comment: Comment) -> Changes:
    """Return the changes for an event: old and new values, and whether a text or files were added.

    Empty values of a new ticket are left out.
    """
    found: Changes = {}
    for name in RECORDED.values():
        old, new = getattr(before, name) if before else None, getattr(after, name)
        if old != new:
            found[name] = [old, new]
    found |= {"body": None} if comment.body else {}
    return found | ({"attachments": None} if comment.files else {}) | mention_changes(comment)


def mention_changes(comment: Comment) -> Changes:
    """Return the changes for an event about the people whom a text mentions."""
    return {MENTIONS: [None, ",".join(map(str, comment.named))]} if comment.named else {}


def named_in(changes: Changes) -> set[int]:
    """Return the ids of the people whom the text of an event mentions."""
    _, ids = changes.get(MENTIONS) or (None, "")
    return {int(user_id) for user_id in ids.split(",") if user_id}

"""Events: every change of data is recorded in exactly one event, in its own transaction.

This is the only module that writes events. Consumers read the table ``events`` through
``tracker/events/event_readers.py``. ``Type`` lists all types of events; decision 0031 describes their fields.
"""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import TypeVar

from skerry.store.events import events as store
from skerry.store.events.decoding import Changes, StoredEvent
from skerry.store.events.events import NewEvent
from skerry.tracker.audit import audit
from skerry.tracker.context import Context
from skerry.wire.record import Record, fields_of

R = TypeVar("R", bound=Record)

_MAX_LENGTH = 255
"""A value with more characters counts as a text, of which only the name of the field is recorded."""

_TEXTS = ("body", "description", "goals")

LINKS = "links"
"""The key in an event's changes for links of a ticket; which they are is in the version."""

MENTIONS = "mentions"
"""The key in an event's changes for people whom a text mentions; its values are None and a list of ids."""


class Type(StrEnum):
    """The types of events: the kind of the subject, and a past participle."""

    ACCOUNT_CREATED = "account.created"
    ACCOUNT_UPDATED = "account.updated"
    BIN_CREATED = "bin.created"
    BIN_DELETED = "bin.deleted"
    BIN_UPDATED = "bin.updated"
    BULK_EDIT_DONE = "bulk_edit.done"
    CHANGESET_CREATED = "changeset.created"
    CHANGESET_DELETED = "changeset.deleted"
    FEED_CREATED = "feed.created"
    FEED_DELETED = "feed.deleted"
    FORGE_CREATED = "forge.created"
    FORGE_DELETED = "forge.deleted"
    FORGE_UPDATED = "forge.updated"
    HOOK_CREATED = "hook.created"
    HOOK_DELETED = "hook.deleted"
    HOOK_UPDATED = "hook.updated"
    IMPORT_CREATED = "import.created"
    IMPORT_DELETED = "import.deleted"
    IMPORT_UPDATED = "import.updated"
    INVITATION_ACCEPTED = "invitation.accepted"
    INVITATION_CREATED = "invitation.created"
    INVITATION_DELETED = "invitation.deleted"
    MAIL_REMOVED = "mail.removed"
    MAIL_RETRIED = "mail.retried"
    MEMBER_ADDED = "member.added"
    MEMBER_REMOVED = "member.removed"
    MEMBER_RESTORED = "member.restored"
    MESSAGE_CREATED = "message.created"
    MESSAGE_DELETED = "message.deleted"
    MESSAGE_UPDATED = "message.updated"
    MILESTONE_CLOSED = "milestone.closed"
    MILESTONE_CREATED = "milestone.created"
    MILESTONE_DELETED = "milestone.deleted"
    MILESTONE_REOPENED = "milestone.reopened"
    MILESTONE_UPDATED = "milestone.updated"
    PASSWORD_CHANGED = "password.changed"  # noqa: S105 - the name of an event
    PERSON_ADDED = "person.added"
    PERSON_REMOVED = "person.removed"
    PERSON_RESTORED = "person.restored"
    PERSON_UPDATED = "person.updated"
    PLACEHOLDER_GIVEN = "placeholder.given"
    PROJECT_CREATED = "project.created"
    PROJECT_DELETED = "project.deleted"
    PROJECT_UPDATED = "project.updated"
    SENDING_UPDATED = "sending.updated"
    SIGN_UP_APPROVED = "sign_up.approved"
    SIGN_UP_PROVED = "sign_up.proved"
    SIGN_UP_REFUSED = "sign_up.refused"
    SPAM_REMOVED = "spam.removed"
    SPAM_RESTORED = "spam.restored"
    TEMPLATE_CREATED = "template.created"
    TEMPLATE_DELETED = "template.deleted"
    TEMPLATE_UPDATED = "template.updated"
    TICKET_CREATED = "ticket.created"
    TICKET_DELETED = "ticket.deleted"
    TICKET_MOVED = "ticket.moved"
    TICKET_UPDATED = "ticket.updated"
    TOKEN_CREATED = "token.created"  # noqa: S105 - the name of an event
    TOKEN_REVOKED = "token.revoked"  # noqa: S105 - the name of an event
    USER_UPDATED = "user.updated"
    VERSION_DELETED = "version.deleted"
    VERSION_UPDATED = "version.updated"


# A version is read as part of its ticket.
_SUBJECTS = {"version": "ticket"}


def record(  # noqa: PLR0913 - the values of a row
    context: Context,
    kind: Type,
    subject_id: int | str | None,
    *,
    changes: Changes | None = None,
    version: int | None = None,
    user_id: int | None = None,
    via: str = "",
    project_id: int | None = None,
) -> None:
    """Record an event in this transaction; it is numbered and written right before the commit.

    By default it belongs to the current project, if any, and to the caller. ``via`` names the source of a
    change that is more than a request.
    """
    transaction, principal, noun = context.transaction, context.principal, kind.partition(".")[0]
    project = project_id or (context.project_id if context.entered else None)
    if not transaction.events:
        transaction.before_commit(lambda: store.add(transaction, transaction.events))
    event = NewEvent(
        type=kind.value,
        # The events of a project are deleted with it.
        project_id=None if kind is Type.PROJECT_DELETED else project,
        subject_kind=_SUBJECTS.get(noun, noun),
        subject_id=str(subject_id),
        user_id=user_id or (principal.user_id if principal else None),
        version=version,
        changes=changes or {},
        via=via or context.via or ("api" if principal and not principal.session_id else "web"),
        token_id=(principal.token_id or None) if principal else None,
    )
    transaction.events.append(event)
    if event.type in audit.KINDS:
        audit.of_event(context, event, project)


def record_change(context: Context, kind: Type, before: R, after: R, *, of: int | str | None = None) -> R:
    """Record what differs between two states of a subject, by default named by its id; return the later.

    Nothing is recorded if nothing differs.
    """
    if changes := compared(before, after):
        record(context, kind, of or getattr(after, "id", None), changes=changes)
    return after


def forget(context: Context, kind: str, *subjects: int | str | None, keep: str = "") -> None:
    """Remove old and new values, except of one field, from the events of subjects that left their place."""
    known = [subject for subject in subjects if subject is not None]
    place = context.project_id if context.entered else None
    store.forget_changes(context.transaction, place, kind, known, keep=keep)


def named_in(changes: Changes) -> set[int]:
    """Return the ids of the people whom the text of an event mentions."""
    _, ids = changes.get(MENTIONS) or (None, "")
    return {int(user_id) for user_id in str(ids).split(",") if user_id.isdecimal()}


def is_departure(event: StoredEvent) -> bool:
    """Return whether an event says that a ticket was moved out of the project of the event."""
    places = event.changes.get("project_id")
    return event.type == Type.TICKET_MOVED and places is not None and places[0] == event.project_id


def compared(before: Record, after: Record) -> Changes:
    """Return the old and new values of the writable fields that differ between two records."""
    names = [field.name for field in fields_of(type(after)) if field.writable]
    return difference(
        {name: getattr(before, name) for name in names}, {name: getattr(after, name) for name in names}
    )


def difference(before: Mapping[str, object], after: Mapping[str, object]) -> Changes:
    """Return the old and new values that differ, by field, or None for a changed text."""
    return {
        name: [before[name], new] if _is_short(name, before[name]) and _is_short(name, new) else None
        for name, new in after.items()
        if before[name] != new
    }


def _is_short(name: str, value: object) -> bool:
    if isinstance(value, str):
        return name not in _TEXTS and len(value) <= _MAX_LENGTH
    return value is None or isinstance(value, (int, datetime))

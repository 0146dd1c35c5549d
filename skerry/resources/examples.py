"""Sample values for the examples in the OpenAPI document."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, TypeVar

from skerry.wire.record import UNSET, Field, Record, fields_of

R = TypeVar("R", bound=Record)

_TIMESTAMP = datetime(2026, 3, 14, 9, 26, 53, tzinfo=UTC)
_BASE = "https://tracker.example"

VALUES: Mapping[str, Any] = {
    "account": _BASE,
    "account.name": "Lighthouse",
    "address": "192.0.2.7",
    "agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
    "action": "closed",
    "activity.closed": True,
    "activity.excerpt": "The stairs are sealed.",
    "activity.kind": "ticket",
    "activity.message_id": None,
    "activity.revision": None,
    "activity.state": "resolved",
    "activity.url": f"{_BASE}/projects/3/tickets/9",
    "assigned_user_id": 2,
    "assigned_user_name": "Ben",
    "attachment.id": 5,
    "bin.id": 6,
    "bulk_edit.id": 10,
    "attachment.url": f"{_BASE}/attachments/5/stairs.png",
    "avatar.code": "2-5f2a9c0e",
    "avatar_url": f"{_BASE}/avatars/2-5f2a9c0e",
    "backlog.count": 12,
    "backlog.kind": "hook",
    "backlog.name": "chat",
    "backlog.problem": "The receiver answered 500",
    "backlog.state": "failing",
    "base_url": _BASE,
    "body": "Rain comes in over the stairs.",
    "body_html": "<div><p>Rain comes in over the stairs.</p></div>",
    "caret": 4,
    "changed_at": _TIMESTAMP,
    "changeset.body": "Seal the stairs [#9 state:resolved].",
    "changeset.body_html": "<div><p>Seal the stairs [#9 state:resolved].</p></div>",
    "changeset.title": "Ada: seal the stairs",
    "changes": [("M", "/roof/stairs.txt"), ("A", "/roof/tiles.txt")],
    "closed_states": "resolved/6A0 # done\nhold/EB0\ninvalid/A30",
    "closed_states_list": "resolved,hold,invalid",
    "code": "5f2a9c0e",
    "command": "state:resolved tagged:done",
    "count": 2,
    "color": "ffaa00",
    "comment.body": "New tiles are ordered.",
    "comment.body_html": "<div><p>New tiles are ordered.</p></div>",
    "comment.comments_count": 0,
    "comment.id": 8,
    "comment.parent_id": 7,
    "comments_count": 1,
    "content_type": "image/png",
    "created_at": _TIMESTAMP,
    "creator_id": 1,
    "creator_name": "Ada",
    "date": "2026-03-14",
    "delivered_at": _TIMESTAMP,
    "delivery.answer": "HTTP/1.1 204 No Content",
    "delivery.id": 90,
    "delivery.request": 'POST /hook HTTP/1.1\nwebhook-id: msg_15_4711_195f\n\n{"event":{"number":4711,…',
    "delivery.state": "delivered",
    "delivery.status": 204,
    "delivery.tries": 1,
    "description": None,
    "diffable_attributes": {"state": "new", "milestone": None},
    "due_on": "2027-01-31",
    "email": "dora@tracker.example",
    "end": 4,
    "feed.id": 16,
    "feed.kind": "tickets",
    "feed.note": "rain",
    "feed.query": "state:open tagged:rain",
    "feed.url": f"{_BASE}/feeds/0123456789abcdef0123456789abcdef01234567.atom",
    "hook.active": True,
    "hook.format": "skerry",
    "hook.id": 15,
    "hook.note": "chat",
    "importance_levels": "3 High/c2570c\n1 Low/5f6b7a",
    "importance_name": "High",
    "hook.query": "importance:>50",
    "hook.url": "https://receiver.example/hook",
    "hook_id": 15,
    "id": 1,
    "invitation.id": 14,
    "invitation.name": "Dora",
    "invitation.url": f"{_BASE}/welcome/0123456789abcdef0123456789abcdef01234567",
    "password": "a shed full of rope",
    "people.id": 2,
    "person.email": "ben@tracker.example",
    "person.id": 2,
    "role": "member",
    "welcome.name": "Dora",
    "event.changes": {"state": ["new", "resolved"], "body": None},
    "event.revision": None,
    "event.subject_id": 9,
    "event.subject_kind": "ticket",
    "event.type": "ticket.updated",
    "event.url": f"{_BASE}/projects/3/tickets/9",
    "event.version": 2,
    "event.via": "api",
    "event": 4711,
    "event_type": "ticket.created",
    "events": ["ticket.created", "ticket.updated"],
    "filename": "stairs.png",
    "goals": "No water inside.",
    "goals_html": "<div><p>No water inside.</p></div>",
    "health.attachments_count": 41,
    "health.attachments_size": 73400320,
    "health.copied_at": _TIMESTAMP,
    "health.database": "SQLite",
    "health.database_size": 52428800,
    "health.database_version": "3.46.1",
    "health.free_size": 107374182400,
    "health.measured_at": _TIMESTAMP,
    "health.program_version": "1.0.0",
    "health.python_version": "3.11.2",
    "health.schema_revision": "0001",
    "health.tickets_count": 1250,
    "happened_at": _TIMESTAMP,
    "height": 480,
    "job": "Carpenter",
    "latest_body": "Rain comes in over the stairs.",
    "membership.id": 11,
    "message_id": "msg_15_4711_195f",
    "milliseconds": 80,
    "message.body": "We begin on Monday.",
    "message.body_html": "<div><p>We begin on Monday.</p></div>",
    "message.id": 7,
    "message.permalink": "scaffolding",
    "message.title": "Scaffolding",
    "message.url": f"{_BASE}/projects/3/messages/7",
    "milestone.id": 4,
    "milestone.due_on": _TIMESTAMP,
    "milestone.permalink": "dry-by-autumn",
    "milestone.title": "Dry by autumn",
    "milestone.url": f"{_BASE}/projects/3/milestones/4",
    "milestone_due_on": _TIMESTAMP,
    "milestone_id": 4,
    "milestone_title": "Dry by autumn",
    "multiple_watchers": "1,2",
    "name": "Ben",
    "new": "a shed full of rope",
    "new_numbers": [],
    "note": "build server",
    "notification.id": 1773480413000000,
    "notification_settings.level": "watched",
    "mute.muted": True,
    "reason": "watched",
    "number": 9,
    "numbers": [9, 12],
    "open_states": "new/f17 # you can add comments here\nopen/aaa",
    "open_states_list": "new,open",
    "open_tickets_count": 1,
    "original_body": "Rain comes in over the stairs.",
    "parent_id": None,
    "permalink": "it-leaks",
    "present": "correct horse battery",
    "project": f"{_BASE}/projects/3",
    "project.id": 3,
    "project.name": "Roof",
    "project.permalink": "roof",
    "project_id": 3,
    "project_name": "Roof",
    "q": "state:open tagged:rain",
    "query": "state:open tagged:rain",
    "revision": "4f1c2d9",
    "session.id": 13,
    "set_up.account": "Lighthouse",
    "set_up.email": "ada@tracker.example",
    "set_up.name": "Ada",
    "settings.description": "Everything above the stairs.",
    "settings.license": "CC BY 4.0",
    "link.id": 17,
    "link.kind": "blocks",
    "link.number": 12,
    "link.ticket": "12",
    "link.title": "The gutter is full",
    "link.url": f"{_BASE}/projects/3/tickets/12",
    "link-change.added": True,
    "link-change.kind": "blocks",
    "link-change.number": 12,
    "link-change.ticket": "12",
    "link-change.title": "The gutter is full",
    "mail.message_id": "<1234@example.org>",
    "mail.result": "comment",
    "mail_address": "project+aebqfvkxhoy2b3jf@tracker.example",
    "settings.name": "Roof",
    "size": 52481,
    "state": "open",
    "state.name": "open",
    "suggestion.description": "",
    "suggestion.kind": "keyword",
    "suggestion.text": "tagged:",
    "tag": "rain urgent",
    "tag.name": "rain",
    "ticket.url": f"{_BASE}/projects/3/tickets/9",
    "ticket_bin.id": 6,
    "ticket_bin.name": "Rain",
    "tickets_count": 2,
    "title": "It leaks",
    "days": 90,
    "expires_at": _TIMESTAMP.replace(year=2046),
    "token.id": 12,
    "used_at": _TIMESTAMP,
    "token": "0123456789abcdef0123456789abcdef01234567",
    "updated_at": _TIMESTAMP,
    "uploader_id": 1,
    "user.id": 2,
    "user_id": 1,
    "user_name": "Ada",
    "version": 1,
    "version.url": f"{_BASE}/projects/3/tickets/9",
    "watchers_ids": [1, 2],
    "website": "https://ben.example",
    "width": 640,
}
"""Sample values by field name, or by resource and field name where they differ."""


def example(kind: type[R]) -> R:
    """Return an example record with all possible fields."""
    return kind(**{field.name: _value(kind.singular, field) for field in fields_of(kind)})


def writable_example(kind: type[R]) -> R:
    """Return a record with only the fields that a client may write."""
    fields = fields_of(kind)
    return kind(**{field.name: _value(kind.singular, field) if field.writable else UNSET for field in fields})


def list_example(kind: type[R]) -> R:
    """Return an example record in a list, without fields that only a single record shows."""
    return _nested(kind, kind.singular)


def value(singular: str, name: str, default: Any) -> Any:
    """Return the sample value of a resource's field, or of a parameter of its paths."""
    return VALUES.get(f"{singular}.{name}", VALUES.get(name, default))


def _value(singular: str, field: Field) -> Any:
    if field.items and field.item:
        kind: type[Record] = field.item
        element = field.items.element
        return [_nested(kind, element if isinstance(element, str) else kind.singular)]
    if issubclass(field.kind, Record):
        return _nested(field.kind, field.kind.singular)
    return value(singular, field.name, field.default)


def _nested(kind: type[R], singular: str) -> R:
    fields = [field for field in fields_of(kind) if field.default is not UNSET]
    return kind(**{field.name: _value(singular, field) for field in fields})

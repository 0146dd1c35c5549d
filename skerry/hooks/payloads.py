"""Payloads of hooks: an event together with its subject, both as the API shows them."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from skerry.database.transactions import Transaction
from skerry.errors import NotFound
from skerry.store.events.event_reading import EventWithActor
from skerry.text.rendered_html import absolute
from skerry.tracker import (
    access,
    bins,
    bulk_edits,
    changesets,
    messages,
    milestones,
    projects,
    ticket_templates,
    tickets,
)
from skerry.tracker.access import Permission
from skerry.tracker.context import Context, Params, Principal
from skerry.tracker.events.event_access import EventPermissions, EventReader, Extent, key_of
from skerry.tracker.events.event_lists import as_shown
from skerry.tracker.people import users
from skerry.tracker.texts import ticket_references
from skerry.wire import budget, json
from skerry.wire.record import Record, changed, fields_of

# How to read the subject of an event, by its kind, and the name of its key in paths.
_SUBJECTS: Mapping[str, tuple[Callable[[Context, Params], Record], str]] = {
    "bin": (bins.get, "id"),
    "bulk_edit": (bulk_edits.get, "id"),
    "member": (users.get, "id"),
    "message": (messages.get, "id"),
    "milestone": (milestones.get, "id"),
    "person": (users.get, "id"),
    "project": (projects.get, "id"),
    "template": (ticket_templates.get, "id"),
    "ticket": (tickets.get, "number"),
    "user": (users.get, "id"),
}


def reader_for(project_id: int | None) -> Principal:
    """Return the principal that reads payloads: an administrator of one project, or of the account."""
    return Principal(0, "", "administrator", token_project=project_id or 0)


def event(transaction: Transaction, project_id: int | None, named: EventWithActor) -> bytes | None:
    """Return an event as hooks of a project, or of the account, receive it; None if it is not for them."""
    principal = reader_for(project_id)
    reader = EventReader(principal)
    facts = EventPermissions(transaction, [named], [reader])
    extent = facts.extent(reader, named.event)
    if extent is Extent.NOTHING:
        return None
    shown = json.item(as_shown(facts, extent, named, transaction.base, numbered=True))
    subject = _subject(Context(transaction, principal), named)
    if subject and isinstance(getattr(subject, "url", None), str):
        subject = _with_absolute_links(subject)
    return shown[:-1] + b"," + json.item(budget.alone(subject))[1:] if subject else shown


def _subject(context: Context, named: EventWithActor) -> Record | None:
    """Return the subject of an event, or None if it no longer exists."""
    happened, key = named.event, key_of(named.event)
    try:
        if happened.project_id is not None:
            context = access.enter(context, happened.project_id, Permission.VIEW, writes=False)
        if happened.subject_kind == "changeset":
            return changesets.get(context, Params(texts={"revision": str(key)}))
        if happened.subject_kind not in _SUBJECTS:
            return None
        read, name = _SUBJECTS[happened.subject_kind]
        return ticket_references.viewer_of(context).record(read(context, Params(ids={name: int(key)})))
    except NotFound:
        return None


def _with_absolute_links(subject: Record) -> Record:
    """Return a subject whose HTML works outside the site."""
    html = {field.name: getattr(subject, field.name) for field in fields_of(type(subject))}
    page = str(html["url"])
    versions = html.get("versions")
    payload: dict[str, Any] = {
        name: absolute(value, page)
        for name, value in html.items()
        if name.endswith("_html") and isinstance(value, str)
    }
    if isinstance(versions, list):
        payload["versions"] = [
            changed(each, body_html=absolute(each.body_html, page)) if each.body_html else each
            for each in versions
        ]
    return changed(subject, **payload)


def with_newest_version(body: bytes) -> bytes:
    """Return a payload without the versions of its ticket before the newest."""
    sent = json.decode(body)
    if not sent.get("ticket", {}).get("versions"):
        return body
    return json.encode({**sent, "ticket": {**sent["ticket"], "versions": sent["ticket"]["versions"][-1:]}})


def ping(hook_id: int, now: datetime) -> bytes:
    """Return the payload of a test delivery."""
    return json.encode({"event": {"type": "ping", "happened_at": now}, "hook": {"id": hook_id}})

"""Payloads for chat services: one line of text instead of the event."""

import re
from collections.abc import Mapping
from typing import Any

from skerry.store.events.decoding import StoredEvent
from skerry.text.characters import one_line
from skerry.text.rendered_html import excerpt
from skerry.tracker.events.events import Type
from skerry.wire import json

_FIELDS = {"slack": "text", "discord": "content"}

# Discord rejects longer messages; characters outside the basic plane may count twice.
_MAX_LENGTH = 1900
_LABEL, _EXCERPT = 600, 300
_HALF_ESCAPE = re.compile(r"(?:&\w*|(?<!\\)(?:\\\\)*\\)$")


def leaves_out(form: str, event: StoredEvent) -> bool:
    """Return whether a format omits an event, because it changed nothing that the format shows."""
    return form in _FIELDS and event.type == Type.TICKET_UPDATED and not event.changes


def written(form: str, body: bytes) -> bytes:
    """Return the body of a delivery in the format of a hook."""
    field = _FIELDS.get(form)
    if field is None:
        return body
    # Text from elsewhere must not mention anyone.
    quiet: dict[str, Any] = {"allowed_mentions": {"parse": []}} if form == "discord" else {}
    return json.encode({field: _sentence(json.decode(body), form), **quiet})


def _sentence(sent: Mapping[str, Any], form: str) -> str:
    event = sent["event"]
    if event["type"] == "ping":
        return "Skerry sends its events here."
    subject: Mapping[str, Any] = next((value for name, value in sent.items() if name != "event"), {})
    noun, _, verb = event["type"].partition(".")
    what = f"{noun.replace('_', ' ')} {verb.replace('_', ' ')}"
    key = f"#{event['subject_id']} " if event["subject_kind"] == "ticket" else ""
    title = _escaped(subject.get("title") or subject.get("name") or "", form)
    head = f"{_escaped(event['user_name'] or '', form)}: {what} {_link(f'{key}{title}', event['url'], form)}"
    changes = ", ".join(_change(name, values, form) for name, values in (event["changes"] or {}).items())
    quoted = _escaped(excerpt(_comment(event, subject), _EXCERPT), form)
    tail = f" ({changes})" if changes else ""
    tail += f": {quoted}" if quoted else ""
    return head.strip() + _bounded(tail, _MAX_LENGTH - len(head.encode("utf-16-le")) // 2)


def _link(label: str, url: str | None, form: str) -> str:
    """Return a link in the markup of a chat, with an escaped label; a path alone stays text."""
    label = _bounded(label.strip(), _LABEL)
    if not url or "://" not in url:
        return f"{label} {url or ''}".strip()
    if form == "slack":
        return f"<{url}|{label or url}>"
    return f"[{label or 'Skerry'}]({url.replace('(', '%28').replace(')', '%29')})"


def _comment(event: Mapping[str, Any], subject: Mapping[str, Any]) -> str:
    """Return the HTML of the text that came with an event, such as a comment."""
    if "body" not in (event["changes"] or {}):
        return ""
    versions = subject.get("versions") or []
    texts = [each.get("body_html") for each in versions if each.get("version") == event["version"]]
    return (texts[0] if texts else subject.get("body_html")) or ""


def _bounded(text: str, longest: int) -> str:
    """Return a text, cut between two escaped characters if it is too long."""
    encoded = text.encode("utf-16-le")
    if len(encoded) <= 2 * longest:
        return text
    return _HALF_ESCAPE.sub("", encoded[: 2 * longest].decode("utf-16-le", "ignore")).rstrip() + "…"


def _change(name: str, values: list[Any] | None, form: str) -> str:
    words = name.removesuffix("_id").replace("_", " ")
    if values is None or name.endswith("_id"):
        return words
    old, new = (_escaped("none" if value in (None, "") else str(value), form) for value in values)
    return f"{words}: {old} → {new}"


def _escaped(text: str, form: str) -> str:
    """Return a text on one line with all markup escaped."""
    text = one_line(text)
    if form == "slack":
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return "".join(f"\\{each}" if each in "\\*_~`|>[]()#" else each for each in text)

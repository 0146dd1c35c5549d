"""Payloads for chat services: one line of text instead of the event."""

from collections.abc import Mapping
from typing import Any

from skerry.wire import json

_FIELDS = {"slack": "text", "discord": "content"}

# Discord rejects longer messages.
_MAX_LENGTH = 1900


def written(form: str, body: bytes) -> bytes:
    """Return the body of a delivery in the format of a hook."""
    field = _FIELDS.get(form)
    if field is None:
        return body
    # Text from elsewhere must not mention anyone.
    quiet: dict[str, Any] = {"allowed_mentions": {"parse": []}} if form == "discord" else {}
    return json.encode({field: _sentence(json.decode(body), form)[:_MAX_LENGTH], **quiet})


def _sentence(sent: Mapping[str, Any], form: str) -> str:
    event = sent["event"]
    if event["type"] == "ping":
        return "Skerry sends its events here."
    subject: Mapping[str, Any] = next((value for name, value in sent.items() if name != "event"), {})
    noun, _, verb = event["type"].partition(".")
    what = f"{noun.replace('_', ' ')} {verb.replace('_', ' ')}"
    key = f"#{event['subject_id']} " if event["subject_kind"] == "ticket" else ""
    title = _escaped(subject.get("title") or subject.get("name") or "", form)
    changes = ", ".join(_change(name, values, form) for name, values in (event["changes"] or {}).items())
    said = f"{_escaped(event['user_name'] or '', form)}: {what} {key}{title}".strip()
    return " ".join(part for part in (said, f"({changes})" if changes else "", event["url"] or "") if part)


def _change(name: str, values: list[Any] | None, form: str) -> str:
    words = name.removesuffix("_id").replace("_", " ")
    if values is None or name.endswith("_id"):
        return words
    old, new = (_escaped("none" if value in (None, "") else str(value), form) for value in values)
    return f"{words}: {old} → {new}"


def _escaped(text: str, form: str) -> str:
    """Return a text with all markup escaped."""
    if form == "slack":
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return "".join(f"\\{each}" if each in "\\*_~`|>[]()#" else each for each in text)

"""Decoding of events. An unreadable row must not stop readers, which continue after it."""

import json
import logging
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from skerry.database.transactions import Transaction

_LOG = logging.getLogger(__name__)

UNREADABLE = "event.unreadable"
"""The type of an event whose row cannot be read; of the row it has the number, the project and the time."""

Changes = dict[str, list[Any] | None]
"""Old and new value by field; None for a field whose values are not recorded, such as a text."""

# Times of the first events were written with their offset.
_OLD_TIME = re.compile(r'(?<="\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\+00:00(?=")')

_LAST_MOMENT = 253_402_300_799_000_000  # in the year 9999
_MAX_DIGITS = 18
_PAIR = 2

_REPORTED_AT_MOST = 1000
_reported: set[tuple[int, int]] = set()


class StoredEvent(NamedTuple):
    """A committed change, as readers of events see it, with its number in the account."""

    number: int
    type: str
    project_id: int | None
    subject_kind: str
    subject_id: str
    user_id: int | None
    version: int | None
    changes: Changes
    batch_id: int | None
    happened_at: int
    via: str
    token_id: int | None


def decode(transaction: Transaction, row: Sequence[Any]) -> StoredEvent:
    """Return the event of a row; an unreadable one is logged once and returned with type ``UNREADABLE``."""
    stored = StoredEvent(*row)
    try:
        return stored._replace(changes=_changes(stored))
    except (ValueError, RecursionError) as error:
        _report((transaction.account_id, stored.number), error)
    return stored._replace(
        type=UNREADABLE,
        subject_kind="",
        subject_id="",
        version=None,
        changes={},
        happened_at=min(max(stored.happened_at, 0), _LAST_MOMENT),
    )


def read_changes(text: str) -> Changes:
    """Return the changes of a row; empty if they are unreadable."""
    try:
        changes = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return changes if isinstance(changes, dict) else {}


def _changes(stored: StoredEvent) -> Changes:
    """Return the changes; raises ValueError for a value that Skerry does not write."""
    text = str(stored.changes)
    changes = _DECODER.decode(_OLD_TIME.sub("Z", text) if "+00:00" in text else text)
    if not isinstance(changes, dict) or not all(map(_is_change, changes.values())):
        raise ValueError("its changes are not old and new values by field")
    # Half of a surrogate pair can be stored, but not sent.
    _ENCODER.encode(changes).encode()
    moved = changes.get("project_id") or ()
    if not all(isinstance(value, int | None) for value in moved):
        raise ValueError("it moved between things that are no projects")
    if stored.subject_id.isdecimal():
        is_sound = len(stored.subject_id) <= _MAX_DIGITS
    else:
        is_sound = stored.subject_kind not in ("ticket", "message", "milestone", "bin", "bulk_edit", "member")
    if not is_sound or not 0 <= stored.happened_at <= _LAST_MOMENT:
        raise ValueError("its subject or its time is impossible")
    return changes


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


_DECODER, _ENCODER = json.JSONDecoder(parse_constant=_refuse), json.JSONEncoder(ensure_ascii=False)


def _is_change(values: Any) -> bool:
    return values is None or (isinstance(values, list) and len(values) == _PAIR)


def _report(key: tuple[int, int], error: Exception) -> None:
    if key not in _reported and len(_reported) < _REPORTED_AT_MOST:
        _reported.add(key)
        account_id, number = key
        _LOG.error("Event %d of account %d cannot be read and is skipped: %s", number, account_id, error)

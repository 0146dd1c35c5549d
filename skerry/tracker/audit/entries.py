"""The list of security events, for administrators."""

from collections.abc import Sequence
from typing import Any

from skerry.database.rows import timestamp
from skerry.errors import Invalid
from skerry.resources.audit import AuditEntry
from skerry.store import audit as store
from skerry.store.audit import StoredEntry, Wanted
from skerry.store.people import people
from skerry.tracker.audit import chain
from skerry.tracker.audit.audit import KINDS
from skerry.tracker.context import Context, Params, ResultPage
from skerry.wire.values import whole_number

_ABOUT_PEOPLE = ("factor.", "log.erased", "member.", "password.", "person.", "placeholder.", "spam.")
_PEOPLE_IN_DETAILS = ("owner", "user_id")

_DIGITS = 18
"""Every number with so many digits can be stored."""

FILTERS = ("after_number", "kind", "user_id")
"""The parameters that choose entries."""


def list_all(context: Context, params: Params) -> ResultPage[AuditEntry]:
    """Return a page of the sealed entries of the account, the newest first unless ``after_number`` is given.

    Raises Invalid for an unknown kind, or what is no number.
    """
    chosen, page = wanted(params), params.page
    entries = store.page(context.transaction, chosen, limit=page.limit, offset=page.offset)
    total = store.count(context.transaction, chosen)
    return ResultPage(AuditEntry, [_as_shown(context, each) for each in entries], total)


def wanted(params: Params) -> Wanted:
    """Return which entries the query asks for; raises Invalid."""
    kind = params.query.get("kind", "")
    if kind and kind not in KINDS:
        raise Invalid("Kind is not a kind of security events, such as token.created")
    after_number = _number(params, "after_number", "After number")
    return Wanted(after_number, kind, _number(params, "user_id", "User") or 0)


def _number(params: Params, name: str, label: str) -> int | None:
    number = whole_number(label, params.query.get(name, ""))
    if number is not None and number < 0:
        raise Invalid(f"{label} must not be negative")
    return number


def names(context: Context, records: Sequence[AuditEntry]) -> dict[str, str]:
    """Return the names of the people whom entries concern, by their ids as texts."""
    ids = {each.user_id for each in records if each.user_id}
    told = [each.subject_id for each in records if each.kind.startswith(_ABOUT_PEOPLE)]
    for value in (each.details.get(name) for each in records for name in _PEOPLE_IN_DETAILS):
        told.extend(value if isinstance(value, list) else [value])
    ids.update(int(each) for each in map(str, told) if each.isdecimal() and len(each) <= _DIGITS)
    names = people.names(context.transaction, sorted(ids)) if ids else {}
    return {str(user_id): name for user_id, name in names.items()}


def _as_shown(context: Context, entry: StoredEntry) -> AuditEntry:
    shown = chain.whole(context.transaction.account_id, entry)
    personal = _mapping(shown["personal"])
    return AuditEntry(
        address=personal.get("address"),
        credential=entry.credential,
        details={name: _fitting(value) for name, value in _mapping(shown["details"]).items()},
        happened_at=timestamp(entry.happened_at),
        hash=entry.hash or "",
        kind=entry.kind,
        number=entry.number,
        project_id=entry.project_id,
        subject_id=entry.subject_id,
        user_id=entry.user_id,
        user_name=personal.get("name"),
    )


def _mapping(value: Any) -> dict[str, Any]:
    """Return stored JSON if it is a mapping; a row that somebody edited may hold anything."""
    return value if isinstance(value, dict) else {}


def _fitting(value: Any) -> Any:
    """Return a value, or an old and a new one, in a form that every format has."""
    if isinstance(value, list) and len(value) == len(("old", "new")):
        return [None if each is None else _scalar(each) for each in value]
    return None if value is None else _scalar(value)


def _scalar(value: Any) -> Any:
    return value if isinstance(value, int | str) else str(value)

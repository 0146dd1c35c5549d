"""What has changed while somebody was writing, so that nothing is overwritten that they have not seen."""

import hashlib
from dataclasses import replace
from typing import Any

from skerry.errors import Invalid, Stale
from skerry.resources.tickets import Ticket, Version
from skerry.store import tickets as store
from skerry.store import versions
from skerry.text.slugs import leading_number
from skerry.tracker import changes, tickets
from skerry.tracker import versions as version_rules
from skerry.tracker.visit import Ask, Visit

CHANGED = "This was changed while you were writing"
CHANGED_MEANWHILE = "Somebody changed this while you were writing; what it says now is shown below"
NOTHING = "There is nothing to save: write a comment, add a file or change something"


def mark(*values: Any) -> str:
    """Give a short text that differs when any of some values does."""
    return hashlib.sha256(repr(values).encode()).hexdigest()[:16]


def check(seen: str, present: str) -> None:
    """Raise Stale if the mark of what somebody saw is not that of what is there now."""
    if seen != present:
        raise Stale(CHANGED_MEANWHILE)


def seen_of(ticket: Ticket) -> str:
    """Give what a form says that its reader saw of a ticket: its version, and the mark of its values.

    Whoever removes a version leaves what it changed, and then no version tells of that.
    """
    return f"{ticket.version}-{_mark_of_values(ticket)}"


def _mark_of_values(ticket: Ticket) -> str:
    # Whether a state is closed is for the settings to say, and in no form about a ticket.
    return mark(replace(changes.values_of(ticket), closed=False))


def check_ticket(visit: Visit, ask: Ask, seen: str) -> None:
    """Hold a ticket as its reader saw it, up to the version that is named, with the values that are marked.

    Raises Stale if somebody has said or changed something since, Invalid if the reader
    has not, Missing.
    """
    number = ask.ids["number"]
    store.hold(visit.transaction, visit.project_id, number)
    ticket = tickets.one(visit, number)
    saw = leading_number(seen)
    if saw and (ticket.version or 0) > saw:
        everything = versions.of_ticket(visit.transaction, visit.project_id, number)
        if since(ticket, everything, saw):
            raise Stale(CHANGED)
    marked = seen.partition("-")[2]
    if saw and marked and marked != _mark_of_values(ticket):
        raise Stale(CHANGED)
    if not (ask.files or ask.beside or ask.draft.get("body", "").strip()) and _is_same(ticket, ask):
        raise Invalid(NOTHING)


def since(ticket: Ticket, everything: list[Version], seen: int) -> list[Version]:
    """Give the versions after one that say something: a text, a change or a file."""
    later = [version for version in everything if (version.version or 0) > seen]
    counts = [*(version.attachments_count for version in later[1:]), ticket.attachments_count]
    return [
        version
        for version, files in zip(later, counts, strict=False)
        if version.body.strip() or version.diffable_attributes or files > version.attachments_count
    ]


def _is_same(ticket: Ticket, ask: Ask) -> bool:
    values = ((name, value) for name, value in ask.draft.items() if name != "body")
    return all((getattr(ticket, name) or None) == (value or None) for name, value in values)


def check_version(visit: Visit, ask: Ask, seen: str) -> None:
    """Hold the text of a comment as its reader saw it; raises Stale if it was rewritten since, or Missing."""
    store.hold(visit.transaction, visit.project_id, ask.ids["number"])
    if mark(version_rules.shown(visit, ask).body) != seen:
        raise Stale(CHANGED)

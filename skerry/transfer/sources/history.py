"""The versions of a ticket, worked out from its present values and its changes.

Trackers say what is now and what was changed. So the values of each version are found from the last one to
the first, and they are right even where a change is missing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from skerry.transfer.sources.records import FIELDS, Change, Edit, Ticket, Values
from skerry.transfer.sources.report import Report

_TOGETHER = 2_000_000
"""Changes by one person in so many microseconds are one version: trackers tell them apart, people do not."""

_BROKEN = "{n} {change does|changes do} not lead to the next value in the export; the later value stands"


@dataclass(slots=True)
class StoredVersion:
    """A version with all its values, and the old ones of what it changed."""

    author: str
    at: int
    body: str
    values: Values
    before: Mapping[str, Any] = field(default_factory=dict)


def versions(ticket: Ticket, report: Report) -> list[StoredVersion]:
    """Return the versions of a ticket, the first one first."""
    opening = Change(ticket.author, ticket.created_at, ticket.body)
    # What only edits the first text is no version.
    made = [change for change in ticket.changes if not change.is_empty or change.text_before is None]
    changes = _joined([opening, *sorted(made, key=lambda change: change.at)])
    values, found = ticket.values, list[StoredVersion]()
    for change in reversed(changes):
        earlier = _before(values, change, report, ticket.key) if change is not changes[0] else values
        found.append(StoredVersion(change.author, change.at, change.body, values, _old(earlier, values)))
        values = earlier
    return found[::-1]


def version_at(moment: int, found: Sequence[StoredVersion]) -> int:
    """Return the number of the last version that is not later than a moment, such as that of a file."""
    return max((number for number, each in enumerate(found, 1) if each.at <= moment), default=1)


def _joined(changes: list[Change]) -> list[Change]:
    """Join changes that one person made in one moment; at most one of them has a text."""
    joined = changes[:1]
    for change in changes[1:]:
        last = joined[-1]
        near = change.author == last.author and change.at - last.at <= _TOGETHER
        if not near or (last.body and change.body):
            joined.append(change)
            continue
        last.body = last.body or change.body
        for name, edit in change.edits.items():
            first = last.edits.get(name)
            last.edits[name] = Edit(first.before, edit.after) if first else edit
        last.tagged, last.untagged = (
            (last.tagged - change.untagged) | change.tagged,
            (last.untagged - change.tagged) | change.untagged,
        )
    return joined


def _before(values: Values, change: Change, report: Report, key: str) -> Values:
    """Return the values before a change that led to these."""
    broken = [name for name, edit in change.edits.items() if getattr(values, name) != edit.after]
    if broken:
        report.change(_BROKEN, f"{key} ({', '.join(broken)})", len(broken))
    old = {name: edit.before for name, edit in change.edits.items()}
    return replace(values, **old, tags=(values.tags - change.tagged) | change.untagged)


def _old(before: Values, after: Values) -> Mapping[str, Any]:
    """Return the old values of what is different."""
    names = (*FIELDS, "tags")
    return {name: getattr(before, name) for name in names if getattr(before, name) != getattr(after, name)}

"""Edit conflicts: a change that the author of a form has not seen is never overwritten."""

import hashlib
from collections.abc import Iterator

from skerry.errors import Invalid, PreconditionFailed, Unchanged
from skerry.resources.tickets import RECORDED, Ticket, Version
from skerry.store import tickets as store
from skerry.store import versions
from skerry.text.slugs import leading_number
from skerry.text.words import folded
from skerry.tracker import tickets
from skerry.tracker import versions as version_rules
from skerry.tracker.context import Context, Params

CHANGED = "This was changed while you were writing"
CHANGED_MEANWHILE = "Somebody changed this while you were writing. The current version is shown below"
NOTHING = "Nothing to save. Write a comment, add a file or change a field"

# Whether a state is closed follows from the settings, so no form has a field for it.
_MARKED = [*RECORDED.values()]


def mark(*values: object) -> str:
    """Return a mark: a short digest of some values."""
    return hashlib.sha256(repr(values).encode()).hexdigest()[:16]


def check(seen: str, present: str) -> None:
    """Raise PreconditionFailed if the mark sent by a form differs from the present one."""
    if seen != present:
        raise PreconditionFailed(CHANGED_MEANWHILE)


def seen_of(ticket: Ticket) -> str:
    """Return the state of a ticket for a form: its version, and a mark of each value.

    The marks are needed because removing a version keeps its changes, which no version shows afterwards.
    """
    return "-".join((str(ticket.version), *_marks_of(ticket).values()))


def _marks_of(ticket: Ticket) -> dict[str, str]:
    return {name: mark_of(name, getattr(ticket, name)) for name in _MARKED}


def mark_of(name: str, value: object) -> str:
    """Return the mark of a value of a ticket, or of its text in a form."""
    text = "" if value is None else str(value)
    # The spelling of a state may change in the settings.
    return mark(folded(text) if name == "state" else text)


def marks_in(seen: str) -> dict[str, str]:
    """Return the marks of the values in a form, by name."""
    return dict(zip(_MARKED, seen.split("-")[1:], strict=False))


def check_ticket(context: Context, params: Params, seen: str) -> None:
    """Lock a ticket and check that its version and marked values are those in the form.

    Raises PreconditionFailed if another user has commented or changed something since, Invalid for an empty
    comment, Unchanged if fields have the values that are chosen, NotFound.
    """
    number = params.ids["number"]
    store.lock(context.transaction, context.project_id, number)
    ticket = tickets.one(context, number)
    saw = leading_number(seen)
    if saw and (ticket.version or 0) > saw:
        later = versions.since(context.transaction, context.project_id, number, saw)
        if any(_says_something(ticket, later)):
            raise PreconditionFailed(CHANGED)
    marks = marks_in(seen)
    if saw and marks and marks != _marks_of(ticket):
        raise PreconditionFailed(CHANGED)
    if not (params.files or params.extra_params or params.draft_of(Ticket).new.body.strip()) and _is_same(
        ticket, params
    ):
        raise Invalid(NOTHING) if "body" in params.draft else Unchanged


def _says_something(ticket: Ticket, later: list[Version]) -> Iterator[bool]:
    """Yield for each version whether it has content: a text, a change or a file."""
    counts = [*(version.attachments_count for version in later[1:]), ticket.attachments_count]
    for version, files in zip(later, counts, strict=False):
        changed = version.body.strip() or version.diffable_attributes
        yield bool(changed) or files > version.attachments_count


def _is_same(ticket: Ticket, params: Params) -> bool:
    values = ((name, value) for name, value in params.draft.items() if name != "body")
    return all((getattr(ticket, name) or None) == (value or None) for name, value in values)


def check_version(context: Context, params: Params, seen: str) -> None:
    """Lock a comment and check that its text is the one in the form.

    Raises PreconditionFailed or NotFound.
    """
    store.lock(context.transaction, context.project_id, params.ids["number"])
    if mark(version_rules.get(context, params).body) != seen:
        raise PreconditionFailed(CHANGED)

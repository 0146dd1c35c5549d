"""The pages of one ticket: reading and changing it, creating one, and the text of one comment."""

import re
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from urllib.parse import urlencode

from skerry.errors import Invalid
from skerry.resources.tickets import PLAIN, RECORDED, Attachment, Ticket, Version
from skerry.tracker import tickets, versions
from skerry.tracker.changes import dry_run, edit_conflicts, watchers
from skerry.tracker.context import Context, Params
from skerry.tracker.lists import form_choices, search
from skerry.tracker.lists.form_choices import Choices
from skerry.tracker.people import avatars
from skerry.web.site.frame import Entered
from skerry.web.site.pages import notifications
from skerry.web.site.pages.content import Content
from skerry.wire.record import changed, fields_of

FIELDS = tuple(RECORDED.values())

_LABELS = {field.name: field.label for field in fields_of(Ticket)}
_NUMBERS = [field.name for field in PLAIN if field.kind is int]

COMMAND = "command"
"""The value of the field for the version seen in the form for a command."""

_ALL_SHOWN = 200
"""Up to this many versions are shown completely; of more, a part is shown at a time."""

_SHOWN = 100

_MAX_FILLED_LENGTH = 2_000
_VERSION = re.compile(r"[0-9]{1,18}")
_BESIDE = re.compile(r"([0-9]{0,18})-([0-9]{0,18})")
_FILLED = re.compile(r"ticket\[(\w{1,20})\]")


@dataclass(frozen=True)
class Change:
    """A change of a version in words; ``label`` is the name of the field in a sentence."""

    name: str
    label: str
    before: str
    after: str


@dataclass(frozen=True)
class Turn:
    """A version in the conversation: its text, its changes and its files."""

    version: Version
    changes: list[Change]
    files: list[Attachment]

    @property
    def number(self) -> int:
        """Return the number of the version."""
        return self.version.version or 0

    @property
    def seen(self) -> str:
        """Return the mark of the text, which the form sends back."""
        return edit_conflicts.mark(self.version.body)

    @property
    def says(self) -> bool:
        """Return whether there is content to show."""
        return bool(self.version.body.strip() or self.version.body_deleted_by or self.changes or self.files)


@dataclass(frozen=True)
class Conversation:
    """The part of a ticket's history on a page: its opening and some consecutive versions.

    ``earlier`` and ``later`` count the versions before and after those; ``earlier_at`` and ``later_at`` are
    versions in the middle of the adjacent pages, None for the newest page.
    """

    turns: list[Turn]
    earlier: int = 0
    later: int = 0
    earlier_at: int | None = None
    later_at: int | None = None


class Fields:
    """The values in the form of a ticket."""

    def __init__(self, ticket: Ticket) -> None:
        """Create the fields of a ticket."""
        self._ticket = ticket

    def values(self, entered: Entered) -> dict[str, str]:
        """Return the value of each field: the entered one if it was changed, else the current one."""
        seen = edit_conflicts.marks_in(entered.seen)
        return {name: self._value(entered, name, seen.get(name)) for name in FIELDS}

    def _value(self, entered: Entered, name: str, seen: str | None) -> str:
        present = _text(getattr(self._ticket, name))
        sent = str(entered.value(f"ticket.{name}", present))
        return present if edit_conflicts.mark_of(name, sent) == seen else sent


def _text(value: object) -> str:
    return "" if value is None else str(value)


def get(context: Context, params: Params) -> Content:
    """Return a ticket with its conversation and the reader's possible actions; raises NotFound."""
    choices, at = form_choices.choices(context), params.query.get("at", "")
    ticket = tickets.get(context, params)
    is_whole = _has_opening(ticket)
    if not is_whole and _VERSION.fullmatch(at):
        ticket = tickets.get(context, params, up_to=max(int(at), 1))
    turns = _turns(ticket, choices)
    people = {ticket.creator_id, *(turn.version.user_id for turn in turns)}
    return {
        "ticket": ticket,
        "conversation": _around(turns, at) if is_whole else _part(context, ticket, turns),
        "choices": choices,
        "fields": Fields(ticket),
        "seen": edit_conflicts.seen_of(ticket),
        "pictures": avatars.paths(context, people),
        "watchers": watchers.filter_by_name(context, ticket.watchers_ids),
        "before_assigned": _before_assigned(context, ticket.versions or [], params),
        **notifications.of_ticket(context, params),
        **_way(context, ticket, params),
    }


def _part(context: Context, ticket: Ticket, turns: list[Turn]) -> Conversation:
    """Return the opening of a large ticket, and the versions that fit into the page."""
    first, last = turns[0].number, turns[-1].number
    earlier, later = versions.around(context, ticket.number or 0, first, last)
    begun = turns[:1] if _has_opening(ticket) else [_opening(context, ticket)]
    said = [turn for turn in turns if turn.says and turn.number > 1]
    return Conversation(begun + said, earlier, later, first - 1 if earlier else None)


def _has_opening(ticket: Ticket) -> bool:
    return any(version.version == 1 for version in (ticket.versions or [])[:1])


def _opening(context: Context, ticket: Ticket) -> Turn:
    """Return the first version of a ticket, its text shortened if necessary, with its files."""
    opening, second = versions.first_two(context, ticket.number or 0)
    files = (ticket.attachments or [])[: second.attachments_count]
    return Turn(changed(opening, body=ticket.body, body_html=ticket.body_html), [], files)


def _before_assigned(context: Context, everything: list[Version], params: Params) -> Version | None:
    """Return the version before the reader took the ticket, if that was the last change and led here."""
    if "assigned" not in params.query or not context.principal:
        return None
    *earlier, last = everything
    mine = context.principal.user_id == last.user_id == last.assigned_user_id
    return earlier[-1] if earlier and mine and "assigned_user" in last.diffable_attributes else None


def check(context: Context, params: Params, seen: str) -> None:
    """Raise PreconditionFailed if a ticket has changed since the reader saw it, Invalid for a bad command."""
    if seen == COMMAND:
        dry_run.check_command(context, params.ids["number"], params.draft_of(Ticket).new.body)
    else:
        edit_conflicts.check_ticket(context, params, seen)


def _turns(ticket: Ticket, choices: Choices) -> list[Turn]:
    everything: list[Version] = ticket.versions or []
    names, files = _names(ticket, everything, choices), list(ticket.attachments or [])
    # The count in a version does not include its own files.
    counts = [*(version.attachments_count for version in everything), len(files)]
    return [
        Turn(version, _changes(version, names), files[first:last])
        for version, (first, last) in zip(everything, pairwise(counts), strict=True)
    ]


def _around(turns: list[Turn], wanted: str) -> Conversation:
    opening, said = turns[:1], [turn for turn in turns[1:] if turn.says]
    if len(said) <= _ALL_SHOWN:
        return Conversation(opening + said)
    at, half, newest = _VERSION.fullmatch(wanted), _SHOWN // 2, len(said) - _SHOWN
    amid = bisect_left(said, int(at[0]), key=_number) if at else len(said)
    start = min(max(amid - half, 0), newest)
    stop = start + _SHOWN
    return Conversation(
        opening + said[start:stop],
        start,
        newest - start,
        said[max(start - _SHOWN + half, 0)].number if start else None,
        said[stop + half].number if stop < newest else None,
    )


def _number(turn: Turn) -> int:
    return turn.number


def _names(ticket: Ticket, everything: list[Version], choices: Choices) -> Mapping[tuple[str, int], str]:
    """Return the names of people and milestones, including those that can no longer be chosen."""
    found: dict[tuple[str, int], str] = {}
    stands: tuple[Ticket | Version, ...] = (*everything, ticket)
    for each in stands:
        found["assigned_user", each.assigned_user_id or 0] = each.assigned_user_name or ""
        found["milestone", each.milestone_id or 0] = each.milestone_title or ""
    found |= {("assigned_user", person.id): person.name for person in choices.people}
    return found | {("milestone", each.id): each.title for each in choices.milestones}


def _changes(version: Version, names: Mapping[tuple[str, int], str]) -> list[Change]:
    def in_words(name: str, value: int | str | None) -> str:
        if name in ("assigned_user", "milestone") and isinstance(value, int) and value:
            return names.get((name, value)) or f"#{value}"
        return _text(value) if value or RECORDED[name] in _NUMBERS else ""

    changed = version.diffable_attributes
    return [
        Change(name, _LABELS[field], in_words(name, changed[name]), in_words(name, getattr(version, field)))
        for name, field in RECORDED.items()
        if name in changed
    ]


def _way(context: Context, ticket: Ticket, params: Params) -> Content:
    """Return the list from which the reader came, with the adjacent tickets."""
    query = params.query.get("in", "")
    before, after = _remembered(params) or _neighbours(context, ticket.number or 0, query)
    came = f"?{urlencode({'in': query})}" if query else ""
    here = urlencode({**({"in": query} if query else {}), "beside": f"{before or ''}-{after or ''}"})
    return {"query": query, "came": came, "here": f"?{here}", "before": before, "after": after}


def _remembered(params: Params) -> tuple[int | None, int | None] | None:
    """Return the adjacent tickets as they were before the reader's change moved the ticket."""
    found = _BESIDE.fullmatch(params.query.get("beside", ""))
    return (int(found[1] or 0) or None, int(found[2] or 0) or None) if found else None


def _neighbours(context: Context, number: int, query: str) -> tuple[int | None, int | None]:
    try:
        return search.adjacent(context, number, query)
    except Invalid:
        return None, None


def new(context: Context, params: Params) -> Content:
    """Return a new ticket with its defaults and the values in the query string."""
    filled = {
        found[1]: value[:_MAX_FILLED_LENGTH]
        for name, value in params.query.items()
        if (found := _FILLED.fullmatch(name))
    }
    ticket = tickets.new(context, params)
    values = {name: filled.get(name, _text(getattr(ticket, name))) for name in (*FIELDS, "body")}
    return {"values": values, "choices": form_choices.choices(context)}


def text(context: Context, params: Params) -> Content:
    """Return a version to show its full text; raises NotFound."""
    version = versions.get(context, params)
    path = f"/projects/{context.project_id}/tickets/{version.number}"
    label = f"#{version.number}, {version.version}"
    return {"said": version, "label": label, "back": f"{path}?at={version.version}#v{version.version}"}


def comment(context: Context, params: Params) -> Content:
    """Return a version whose text the reader may change; raises NotFound or Forbidden."""
    version = versions.own(context, params)
    return {"version": version, "seen": edit_conflicts.mark(version.body)}


def removal(context: Context, params: Params) -> Content:
    """Return a ticket to be removed; raises NotFound."""
    return {"ticket": tickets.one(context, params.ids["number"])}

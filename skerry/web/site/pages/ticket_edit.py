"""The pages on which one field of a ticket is changed, and the notice that undoes the change.

Scripts show such a page as a menu below the value.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from urllib.parse import parse_qsl, urlencode, urlsplit

from skerry.database.rows import timestamp
from skerry.errors import Forbidden, NotFound, Unauthenticated
from skerry.resources.tickets import PLAIN, RECORDED, Ticket, Version
from skerry.text.actions import is_bare_command
from skerry.tracker import access, edit_conflicts, form_choices, tickets, versions
from skerry.tracker.access import Permission
from skerry.tracker.change_words import ChangeInWords, as_text, with_names
from skerry.tracker.context import Context, Params
from skerry.tracker.form_choices import Choices
from skerry.tracker.people import avatars
from skerry.web.auth import browser
from skerry.web.site.pages import Content
from skerry.wire.record import fields_of

FIELDS = {
    "title": "title",
    "state": "state",
    "assignee": "assigned_user_id",
    "milestone": "milestone_id",
    "priority": "importance",
    "tags": "tag",
    "private": "private",
    **{field.name: field.name for field in PLAIN},
}
"""The names of the fields in addresses, and in the interface."""

_DECLARED = {field.name: field for field in fields_of(Ticket)}

CHANGED = "changed"
"""The parameter that names the ticket that the reader has just changed."""

_MAX_OPTIONS = 50
_TICKET = re.compile(r"([0-9]{1,18})/([0-9]{1,18})")
_UNDONE_WITHIN = timedelta(minutes=10)


@dataclass(frozen=True)
class Option:
    """A value that can be chosen, as the interface writes it; ``number`` is its key, 0 if it has none."""

    value: str
    label: str
    is_current: bool
    number: int = 0


@dataclass(frozen=True)
class Undo:
    """The last change of a ticket, made by the reader a moment ago.

    ``before`` has the former values by field; ``seen`` is sent back, so that nobody's change is overwritten.
    """

    project_id: int
    ticket: int
    changes: list[ChangeInWords]
    before: dict[str, str]
    seen: str


def get(context: Context, params: Params) -> Content:
    """Return the values that a field of a ticket can be given; raises NotFound."""
    name, searched = params.query.get("field", "title"), params.query.get("q", "").strip()
    if name not in FIELDS:
        raise NotFound(f"There is no field with this name; fields are {', '.join(FIELDS)}")
    ticket = tickets.one(context, params.ids["number"])
    choices = form_choices.choices(context)
    # A project without levels has numbers instead.
    is_chosen = name in _OPTIONS and (name != "priority" or bool(choices.levels))
    listed = _OPTIONS[name](context, ticket, choices) if is_chosen else []
    options = [option for option in listed if searched.casefold() in option.label.casefold()]
    shown = options[:_MAX_OPTIONS]
    return {
        "ticket": ticket,
        "name": name,
        "field": _DECLARED[FIELDS[name]],
        "value": getattr(ticket, FIELDS[name]),
        "options": shown if is_chosen else None,
        "searched": searched,
        "omitted": len(options) - len(shown),
        "choices": choices,
        "pictures": avatars.paths(context, _people(name, shown)),
        "seen": edit_conflicts.seen_of(ticket),
        **_ways(context, ticket, params),
    }


def _ways(context: Context, ticket: Ticket, params: Params) -> Content:
    """Return the address of the page that the reader came from, and where a change leads."""
    back = browser.local_path(params.query.get("next"))
    back = back or f"/projects/{context.project_id}/tickets/{ticket.number}"
    parts = urlsplit(back)
    query = [
        (name, value) for name, value in parse_qsl(parts.query, keep_blank_values=True) if name != CHANGED
    ]
    query.append((CHANGED, f"{context.project_id}/{ticket.number}"))
    return {"back": back, "then": parts._replace(query=urlencode(query, safe="/")).geturl()}


def _people(name: str, options: list[Option]) -> list[int]:
    return [int(option.value) for option in options if option.value] if name == "assignee" else []


def _states(_context: Context, ticket: Ticket, choices: Choices) -> list[Option]:
    names = [state.name for state in (*choices.states.open, *choices.states.closed)]
    known = choices.states.find(ticket.state or "")
    current = known.name if known else ticket.state
    return [Option(name, name, name == current, number) for number, name in enumerate(names, 1)]


def _assignees(context: Context, ticket: Ticket, choices: Choices) -> list[Option]:
    own = context.author.user_id
    people = sorted(choices.people, key=lambda person: person.id != own)
    nobody = Option("", "", ticket.assigned_user_id is None)
    listed = [Option(str(each.id), each.name, each.id == ticket.assigned_user_id) for each in people]
    # The reader is first, because most tickets are taken rather than given.
    at = 1 if people and people[0].id == own else 0
    return [*listed[:at], nobody, *listed[at:]]


def _milestones(_context: Context, ticket: Ticket, choices: Choices) -> list[Option]:
    nothing = Option("", "", ticket.milestone_id is None)
    return [
        nothing,
        *(
            Option(str(each.id), each.title, each.id == ticket.milestone_id)
            for each in choices.milestones
            if not each.closed or each.id == ticket.milestone_id
        ),
    ]


def _levels(_context: Context, ticket: Ticket, choices: Choices) -> list[Option]:
    nothing = Option("0", "", not ticket.importance)
    return [
        *(
            Option(str(level.number), level.name, level.number == ticket.importance, level.number)
            for level in choices.levels.all
        ),
        nothing,
    ]


def _visibilities(_context: Context, ticket: Ticket, _choices: Choices) -> list[Option]:
    values = {"everybody": False, "members": True}
    return [Option(as_text(each), label, each == ticket.private) for label, each in values.items()]


_OPTIONS: dict[str, Callable[[Context, Ticket, Choices], list[Option]]] = {
    "state": _states,
    "assignee": _assignees,
    "milestone": _milestones,
    "priority": _levels,
    "private": _visibilities,
}


def undo(context: Context, params: Params) -> Undo | None:
    """Return how to undo the change that the reader was redirected from, or None if it cannot be undone."""
    if CHANGED not in params.query:
        return None
    try:
        inside, number = _named(context, params.query[CHANGED])
        ticket = tickets.one(inside, number)
        last = versions.get(inside, Params(ids={"number": number, "version": ticket.version or 0}))
    except (NotFound, Forbidden, Unauthenticated):
        return None
    if inside.project.archived or not _is_own(inside, last):
        return None
    before = {RECORDED[name]: as_text(value) for name, value in last.diffable_attributes.items()}
    return Undo(inside.project_id, number, with_names(last, {}), before, edit_conflicts.seen_of(ticket))


def _named(context: Context, name: str) -> tuple[Context, int]:
    """Return the context of the project and the number in ``1/12``; raises NotFound."""
    match = _TICKET.fullmatch(name)
    if not match:
        raise NotFound
    return access.enter(context, int(match[1]), Permission.CONTRIBUTE, writes=False), int(match[2])


def _is_own(context: Context, last: Version) -> bool:
    """Return whether a version is the reader's, says nothing else, and was made a moment ago."""
    is_said = last.body.strip() and not is_bare_command(last.body)
    says = is_said or last.link_changes or last.version == 1
    is_plain = last.diffable_attributes and not says
    now = timestamp(context.transaction.now)
    is_recent = last.created_at and now - last.created_at <= _UNDONE_WITHIN
    return bool(is_plain and is_recent and last.user_id == context.author.user_id)

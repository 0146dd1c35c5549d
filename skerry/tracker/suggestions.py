"""Suggestions at the caret for a query that is being typed."""

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from skerry.errors import Invalid
from skerry.languages import ENGLISH, LANGUAGES, translator
from skerry.resources.suggestions import Suggestion
from skerry.store import milestones, tags
from skerry.store.people import memberships
from skerry.store.projects import SeenIds
from skerry.text.commands import LINKING
from skerry.text.queries.query_complete import Completion, complete
from skerry.text.queries.query_keys import KEYS, NAMES
from skerry.text.queries.query_print import quoted, quoted_name
from skerry.text.queries.query_tokens import MAX_LENGTH
from skerry.text.queries.query_tree import MYSELF, NEXT
from skerry.text.queries.query_values import SORTS
from skerry.text.words import small
from skerry.tracker import access, projects, search
from skerry.tracker.context import Context, Params, ResultPage
from skerry.tracker.projects import levels_of, states_of
from skerry.tracker.texts import ticket_references
from skerry.wire.values import whole_number

MAX = 20
"""The maximum number of suggestions, except keywords, which are all suggested."""

MAX_PROJECTS = 20
"""How many projects contribute names to a search across all; those with the most open tickets."""

_MEANINGS = {
    "open": "any open state",
    "closed": "any closed state",
    MYSELF: "you",
    "none": "nobody, or nothing",
    NEXT: "the open one that is due next, today or later",
}
_ORDERS = {
    "updated": "by the last change",
    "created": "by age",
    "importance": "by priority",
    "number": "by number",
    "title": "by title",
    "state": "by state",
    "milestone": "by milestone",
    "due": "by due date",
    "relevance": "by relevance",
}
_SORT = "the order of the tickets; a trailing - reverses it"
_OPEN, _CLOSED = "open", "closed"

SAID = frozenset(
    (*_MEANINGS.values(), *_ORDERS.values(), _SORT, _OPEN, _CLOSED, *(key.finds for key in KEYS.values()))
)
"""What descriptions say that are no names; only these are translated."""


# The keywords and commands whose value is a ticket.
_LINKING = LINKING | {"relates"}

# Everything else is a name.
_WRITTEN: dict[str, Callable[[str], str]] = {"keyword": str, "value": quoted}


@dataclass(frozen=True)
class Candidate:
    """Something that can be written at the caret: its text without quotes, what it is, and a hint."""

    text: str
    kind: str
    description: str

    @property
    def written(self) -> str:
        """Return the text as it stands in a query."""
        return _WRITTEN.get(self.kind, quoted_name)(self.text)


def list_all(context: Context, params: Params) -> ResultPage[Suggestion]:
    """Return up to 20 completions at the caret, the most used first.

    The caret counts characters from 0 and defaults to the end. Raises Invalid if it is not a number, the
    query is too long, or the language of the descriptions is unknown.
    """
    return _at_caret(context, params, [context])


def list_across_projects(context: Context, params: Params) -> ResultPage[Suggestion]:
    """Return up to 20 completions at the caret of a query over all projects visible to the caller.

    Names come from the 20 projects with the most open tickets. Raises Unauthenticated if nobody is signed in
    and nothing is public, or Invalid.
    """
    return _at_caret(context, params, _busiest(context, params))


def values_of(context: Context, params: Params, key: str, part: str) -> list[Candidate]:
    """Return the values of a keyword that contain a part of a name, each once.

    They come from the project, or else from the 20 with the most open tickets. Of tags, the 20 most used that
    begin with the part are returned. Raises Unauthenticated if no project is visible.
    """
    inside = [context] if context.entered else _busiest(context, params)
    place, wanted = Completion("value", 0, 0, part, key), small(part)
    candidates: dict[str, Candidate] = {}
    for candidate in _values(inside, place):
        if wanted in small(candidate.text):
            candidates.setdefault(candidate.written, candidate)
    return list(candidates.values())


def _busiest(context: Context, params: Params) -> list[Context]:
    seen = projects.list_all(context, params).records
    busiest = sorted(seen, key=lambda project: -project.open_tickets_count)[:MAX_PROJECTS]
    return [replace(context, entered=project) for project in busiest]


def _at_caret(context: Context, params: Params, inside: Sequence[Context]) -> ResultPage[Suggestion]:
    query = params.query.get("q", "")
    if len(query) > MAX_LENGTH:
        raise Invalid(f"The search is too long (at most {MAX_LENGTH} characters)")
    caret = whole_number("Caret", params.query.get("caret"))
    place = complete(query, len(query) if caret is None else caret)
    if place.kind == "value" and place.key in _LINKING:
        return ResultPage(Suggestion, _tickets(context, params, inside, place))
    said = translator(_language(params))
    return ResultPage(Suggestion, _suggestions(place, _candidates(inside, place), said))


def _tickets(
    context: Context, params: Params, inside: Sequence[Context], place: Completion
) -> list[Suggestion]:
    """Return the tickets that fit what is typed, as the number or words of the title, at the caret."""
    word, _, typed = place.prefix.rpartition("#")
    named = ticket_references.resolved(context, [word.lower()]).values()
    project_ids = SeenIds(tuple(named)) if word else access.ids_of(each.project for each in inside)
    tickets = search.named(context, params, typed, project_ids) if project_ids else []
    words = ticket_references.words(context, [ticket.project_id or 0 for ticket in tickets])
    return [
        Suggestion(
            f"{words[ticket.project_id or 0]}#{ticket.number}", "ticket", ticket.title, place.start, place.end
        )
        for ticket in tickets
    ]


def _language(params: Params) -> str:
    wanted = params.query.get("language", ENGLISH)
    if wanted not in LANGUAGES:
        raise Invalid(f"Language is not one of {', '.join(LANGUAGES)}")
    return wanted


def _suggestions(
    place: Completion, candidates: Iterable[Candidate], said: Callable[[str], str]
) -> list[Suggestion]:
    prefix, suggestions = small(place.prefix), dict[str, Suggestion]()
    for candidate in candidates:
        text = candidate.written
        if small(candidate.text).startswith(prefix) and text not in suggestions:
            description = candidate.description
            description = said(description) if description in SAID else description
            suggestions[text] = Suggestion(text, candidate.kind, description, place.start, place.end)
            if len(suggestions) == MAX and place.kind != "key":
                break
    return list(suggestions.values())


def _candidates(inside: Sequence[Context], place: Completion) -> Iterator[Candidate]:
    if place.kind == "key":
        yield from _keys()
    elif place.kind == "value" and place.key in NAMES:
        yield from _values(inside, place)


def _keys() -> Iterator[Candidate]:
    for key in KEYS.values():
        yield Candidate(f"{key.name}:", "keyword", key.finds)
    yield Candidate("sort:", "keyword", _SORT)


def _values(inside: Sequence[Context], place: Completion) -> Iterator[Candidate]:
    if place.key == "sort":
        yield from (Candidate(name, "value", _ORDERS.get(order, "")) for name, order in SORTS.items())
        return
    for choice in KEYS[place.key].choices:
        yield Candidate(choice, "value", _MEANINGS.get(choice, ""))
    if place.key in _NAMED:
        for context in inside:
            yield from _NAMED[place.key](context, place.prefix)


def _states(context: Context, _prefix: str) -> Iterator[Candidate]:
    states = states_of(context.project)
    for state in (*states.open, *states.closed):
        yield Candidate(state.name, "state", _CLOSED if state.closed else _OPEN)


def _levels(context: Context, _prefix: str) -> Iterator[Candidate]:
    for level in levels_of(context.project).all:
        yield Candidate(level.name, "importance", str(level.number))


def _people(context: Context, _prefix: str) -> Iterator[Candidate]:
    for member in memberships.of_project(context.transaction, context.project_id):
        if member.user:
            yield Candidate(member.user.name, "person", member.user.job)


def _milestones(context: Context, _prefix: str) -> Iterator[Candidate]:
    for milestone in milestones.named(context.transaction, context.project_id):
        yield Candidate(milestone.title, "milestone", _CLOSED if milestone.closed else _OPEN)


def _tags(context: Context, prefix: str) -> Iterator[Candidate]:
    # Tags are lowercased, which keeps ß.
    written = unicodedata.normalize("NFC", prefix.lower())
    for tag in tags.suggested(context.transaction, context.project_id, written, MAX):
        yield Candidate(tag, "tag", "")


def _projects(context: Context, _prefix: str) -> Iterator[Candidate]:
    yield Candidate(context.project.name, "project", "")


_NAMED: dict[str, Callable[[Context, str], Iterator[Candidate]]] = {
    "state": _states,
    "importance": _levels,
    "milestone": _milestones,
    "tagged": _tags,
    "project": _projects,
    **dict.fromkeys(("responsible", "reported_by", "watched", "commented_by"), _people),
}

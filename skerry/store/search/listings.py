"""The tickets that a keyword of a query lists, where they can be listed without examining others."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from skerry.store.search.keys import (
    CLASSES,
    IS_COMMENT,
    Search,
    due_within,
    milestones_in,
    not_expired,
    people_in,
    tags_in,
    texts_in,
    within_span,
)
from skerry.store.search.sql import Sql, among, every, filled, within
from skerry.text.queries.query_tree import Comparison, Dates, Nothing, Value
from skerry.text.queries.query_values import CLAIMED, PRIVATE

KEYS, DISTINCT_KEYS = "SELECT project_id, number", "SELECT DISTINCT project_id, number"
"""The beginnings of the queries that list tickets."""

Listing = Callable[[Search, Sequence[Value]], Sql | None]


def state_beside_tags(_search: Search, values: Sequence[Value]) -> Sql | None:
    """Return the condition on the state in a row of tags, or None for a named state."""
    asked = {text.lower() for text in texts_in(values)}
    return among("closed", sorted(CLASSES[text] for text in asked)) if asked <= CLASSES.keys() else None


def responsible_list(search: Search, values: Sequence[Value]) -> Sql | None:
    """Return the tickets assigned to a person."""
    if Nothing() in values:
        return None
    # With the index, SQLite would scan all of a project instead of the person's tickets.
    return _listed(search, "tickets", within("assigned_user_id", people_in(search, values)), indexed=False)


def one_responsible(search: Search, values: Sequence[Value]) -> Sql | None:
    """Return the condition for tickets assigned to one person, which an index holds in order."""
    people = people_in(search, values)
    is_one = len(people) == len(values) == 1 and Nothing() not in values
    return Sql("t.assigned_user_id = ?", (people[0],)) if is_one else None


def responsible_beside_tags(search: Search, values: Sequence[Value]) -> Sql:
    """Return the condition on the assignee in a row of tags; 0 means unassigned."""
    nobody = [0] if Nothing() in values else []
    return within("assigned_user_id", [*people_in(search, values), *nobody])


def reported_by_list(search: Search, values: Sequence[Value]) -> Sql:
    """Return the tickets that a person opened."""
    return _listed(search, "tickets", within("creator_id", people_in(search, values)))


def watched_list(search: Search, values: Sequence[Value]) -> Sql:
    """Return the tickets that a person watches."""
    people = people_in(search, values)
    return _listed(search, "watchers", within("user_id", people), once=len(people) == 1)


def commented_by_list(search: Search, values: Sequence[Value]) -> Sql:
    """Return the tickets that a person commented on."""
    by = within("user_id", people_in(search, values))
    return _listed(search, "versions", every([by, Sql(IS_COMMENT)]), once=False)


def milestone_list(search: Search, values: Sequence[Value]) -> Sql | None:
    """Return the tickets of a milestone."""
    if Nothing() in values:
        return None
    return _listed(search, "tickets", within("milestone_id", milestones_in(search, values)))


def tagged_beside(search: Search, values: Sequence[Value], beside: Iterable[Sql]) -> Sql:
    """Return the tickets with a tag that also meet the conditions ``beside`` on the row of the tag."""
    tags = tags_in(values)
    return _listed(search, "taggings", every([among("tag", tags), *beside]), once=len(tags) == 1)


def due_list(search: Search, values: Sequence[Value]) -> Sql | None:
    """Return the tickets that are due in a span of days."""
    span = values[0]
    if len(values) != 1 or not isinstance(span, Dates):
        return None
    return _listed(search, "tickets", due_within(search, "due_on", span, "closed"), indexed=False)


def number_list(search: Search, values: Sequence[Value]) -> Sql | None:
    """Return the tickets with certain numbers."""
    exact = [value.number for value in values if isinstance(value, Comparison) and value.op == "="]
    return _listed(search, "tickets", among("number", exact)) if len(exact) == len(values) else None


def created_list(search: Search, values: Sequence[Value]) -> Sql | None:
    """Return the tickets opened in a span of time."""
    spans = [value for value in values if isinstance(value, Dates)]
    if len(spans) != 1:
        return None
    # With the index, SQLite would also scan the whole project.
    return _listed(search, "tickets", within_span("created_at", spans[0], search.now), indexed=False)


def is_list(search: Search, values: Sequence[Value]) -> Sql | None:
    """Return the tickets that somebody has claimed, or those that are private."""
    asked = set(texts_in(values))
    if asked == {CLAIMED}:
        return _listed(search, "claims", not_expired(search, "expires_at"))
    return _listed(search, "tickets", Sql("private = 1")) if asked == {PRIVATE} else None


def has_list(search: Search, values: Sequence[Value]) -> Sql | None:
    """Return the tickets with files."""
    if set(texts_in(values)) != {"attachment"}:
        return None
    return _listed(search, "tickets", Sql("attachments_count > 0"))


def _listed(search: Search, table: str, condition: Sql, *, once: bool = True, indexed: bool = True) -> Sql:
    """Return the tickets of a table's rows, each of them once."""
    keys = KEYS if once else DISTINCT_KEYS
    return filled(f"{keys} FROM {table} WHERE {{}} AND ({{}})", search.in_scope(indexed=indexed), condition)


LISTINGS: Mapping[str, Listing] = {
    "responsible": responsible_list,
    "reported_by": reported_by_list,
    "watched": watched_list,
    "commented_by": commented_by_list,
    "milestone": milestone_list,
    "due": due_list,
    "number": number_list,
    "created": created_list,
    "has": has_list,
    "is": is_list,
}
"""The matching tickets, where an index has them."""

BESIDE_TAGS: Mapping[str, Listing] = {"state": state_beside_tags, "responsible": responsible_beside_tags}
"""The keywords whose values tag rows repeat: a list by tag and such a keyword is as fast as one by tag."""

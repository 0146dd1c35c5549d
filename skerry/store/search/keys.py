"""The SQL for each keyword of a query: one small function for each.

A function returns a condition on a row ``t`` of the tickets, which is never NULL, and which no index but the
list's own can serve: a page is read from the list in order. If the matching tickets can be listed without
examining others, a second function returns them.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property, lru_cache

from skerry.store.engine.transactions import Transaction, microseconds
from skerry.store.search.names import Names
from skerry.store.search.sql import Sql, among, either, every, filled, within
from skerry.text.queries.dates import resolve
from skerry.text.queries.query_tree import Comparison, Dates, Nothing, Text, Value
from skerry.text.tags import read_tags

KEYS, DISTINCT_KEYS = "SELECT project_id, number", "SELECT DISTINCT project_id, number"
"""The beginnings of lists."""

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Search:
    """What the keywords need: the transaction, and the names in its projects.

    ``fence`` ends each subquery of another table.
    """

    transaction: Transaction
    names: Names
    fence: str = ""

    @property
    def now(self) -> int:
        """Return the current time; a search that uses it is not cached."""
        return self.transaction.now

    @cached_property
    def in_scope(self) -> Sql:
        """Return the condition that a row belongs to the account and to one of the projects."""
        projects = within("project_id", self.names.scope.project_ids)
        return every([Sql("account_id = ?", (self.transaction.account_id,)), projects])


def _texts(values: Sequence[Value]) -> list[str]:
    return [value.text for value in values if isinstance(value, Text)]


def state(search: Search, values: Sequence[Value]) -> Sql:
    """Return the condition on open or closed tickets, or on a state."""
    classes = {"open": 0, "closed": 1}
    asked = _texts(values)
    named = {name for text in asked if text.lower() not in classes for name in search.names.states(text)}
    found = [Sql("t.closed = ?", (classes[text.lower()],)) for text in asked if text.lower() in classes]
    if named:
        found.append(among("t.state", sorted(named)))
    # No ticket has that number, so the look-up in the primary key ends at once.
    return either(found or [Sql("t.number = -1")])


def state_beside_tags(_search: Search, values: Sequence[Value]) -> Sql | None:
    """Return the condition on the state in a row of tags, or None for a named state."""
    classes = {"open": 0, "closed": 1}
    asked = {text.lower() for text in _texts(values)}
    return among("closed", sorted(classes[text] for text in asked)) if asked <= classes.keys() else None


def responsible(search: Search, values: Sequence[Value]) -> Sql:
    """Return the condition on tickets that are assigned to a person, or unassigned."""
    nobody = [Sql("t.assigned_user_id IS NULL")] if Nothing() in values else []
    return either([within("coalesce(t.assigned_user_id, 0)", _people(search, values)), *nobody])


def responsible_list(search: Search, values: Sequence[Value]) -> Sql | None:
    """Return the tickets assigned to a person."""
    if Nothing() in values:
        return None
    here = Sql("account_id = ?", (search.transaction.account_id,))
    # With the plain number SQLite would scan all of a project instead of the person's tickets.
    projects = within("project_id + 0", search.names.scope.project_ids)
    found = every([here, projects, within("assigned_user_id", _people(search, values))])
    return filled(f"{KEYS} FROM tickets WHERE {{}}", found)


def one_responsible(search: Search, values: Sequence[Value]) -> Sql | None:
    """Return the listing of tickets assigned to one person, which an index holds in order."""
    people = _people(search, values)
    is_one = len(people) == len(values) == 1 and Nothing() not in values
    return Sql("t.assigned_user_id = ?", (people[0],)) if is_one else None


def responsible_beside_tags(search: Search, values: Sequence[Value]) -> Sql:
    """Return the condition on the assignee in a row of tags; 0 means unassigned."""
    nobody = [0] if Nothing() in values else []
    return within("assigned_user_id", [*_people(search, values), *nobody])


def reported_by(search: Search, values: Sequence[Value]) -> Sql:
    """Return the condition on tickets that a person opened."""
    return within("coalesce(t.creator_id, 0)", _people(search, values))


def reported_by_list(search: Search, values: Sequence[Value]) -> Sql:
    """Return the tickets that a person opened."""
    return _listed(search, "tickets", within("creator_id", _people(search, values)))


def watched(search: Search, values: Sequence[Value]) -> Sql:
    """Return the condition on tickets that a person watches."""
    return _exists(search, "watchers", within("x.user_id", _people(search, values)))


def watched_list(search: Search, values: Sequence[Value]) -> Sql:
    """Return the tickets that a person watches."""
    people = _people(search, values)
    return _listed(search, "watchers", within("user_id", people), once=len(people) == 1)


_COMMENT = "version > 1 AND body <> ''"


def commented_by(search: Search, values: Sequence[Value]) -> Sql:
    """Return the condition on tickets that a person commented on."""
    return _exists(search, "versions", every([within("x.user_id", _people(search, values)), Sql(_COMMENT)]))


def commented_by_list(search: Search, values: Sequence[Value]) -> Sql:
    """Return the tickets that a person commented on."""
    by = within("user_id", _people(search, values))
    return _listed(search, "versions", every([by, Sql(_COMMENT)]), once=False)


def _people(search: Search, values: Sequence[Value]) -> list[int]:
    return sorted({user_id for text in _texts(values) for user_id in search.names.people(text)})


def milestone(search: Search, values: Sequence[Value]) -> Sql:
    """Return the condition on tickets of a milestone, or of none."""
    none = [Sql("t.milestone_id IS NULL")] if Nothing() in values else []
    return either([within("coalesce(t.milestone_id, 0)", _milestones(search, values)), *none])


def milestone_list(search: Search, values: Sequence[Value]) -> Sql | None:
    """Return the tickets of a milestone."""
    if Nothing() in values:
        return None
    return _listed(search, "tickets", within("milestone_id", _milestones(search, values)))


def _milestones(search: Search, values: Sequence[Value]) -> list[int]:
    return sorted({found for text in _texts(values) for found in search.names.milestones(text)})


def tagged(search: Search, values: Sequence[Value]) -> Sql:
    """Return the condition on tickets with a tag."""
    return _exists(search, "taggings", among("x.tag", _tags(values)))


def tagged_beside(search: Search, values: Sequence[Value], beside: Iterable[Sql]) -> Sql:
    """Return the tickets with a tag that also meet the conditions ``beside`` on the row of the tag."""
    tags = _tags(values)
    return _listed(search, "taggings", every([among("tag", tags), *beside]), once=len(tags) == 1)


def _tags(values: Sequence[Value]) -> list[str]:
    return sorted({tag for text in _texts(values) for tag in _tag(text)})


@lru_cache(maxsize=200)
def _tag(text: str) -> tuple[str, ...]:
    """Return a text as a tag of tickets; empty if it cannot be one."""
    try:
        # With a comma, spaces are part of a tag.
        tags = read_tags(f"{text},")
    except ValueError:
        return ()
    return tags if len(tags) == 1 else ()


def importance(_search: Search, values: Sequence[Value]) -> Sql:
    """Return the condition on tickets of an importance."""
    return _compared("t.importance", values)


def number(_search: Search, values: Sequence[Value]) -> Sql:
    """Return the condition on tickets with a number."""
    return _compared("t.number + 0", values)


def number_list(search: Search, values: Sequence[Value]) -> Sql | None:
    """Return the tickets with certain numbers."""
    exact = [value.number for value in values if isinstance(value, Comparison) and value.op == "="]
    return _listed(search, "tickets", among("number", exact)) if len(exact) == len(values) else None


def _compared(column: str, values: Sequence[Value]) -> Sql:
    asked = [value for value in values if isinstance(value, Comparison)]
    exact = [value.number for value in asked if value.op == "="]
    others = [Sql(f"{column} {value.op} ?", (value.number,)) for value in asked if value.op != "="]
    return either([among(column, exact), *others] if exact else others)


def created(search: Search, values: Sequence[Value]) -> Sql:
    """Return the condition on tickets opened in a span of time, which were also changed since."""
    spans = [value for value in values if isinstance(value, Dates)]
    return either(_within("t.created_at", span, search.now, since="t.updated_at") for span in spans)


def updated(search: Search, values: Sequence[Value]) -> Sql:
    """Return the condition on tickets last changed in a span of time."""
    return either(_within("t.updated_at", value, search.now) for value in values if isinstance(value, Dates))


def _within(column: str, value: Dates, now: int, *, since: str = "") -> Sql:
    start, end = resolve(value.span, EPOCH + timedelta(microseconds=now))
    edges = [(f"{column} >= ?", start), (f"{column} < ?", end)]
    edges += [(f"{since} >= ?", start)] if since else []
    return every(Sql(text, (microseconds(timestamp),)) for text, timestamp in edges if timestamp is not None)


def has(search: Search, values: Sequence[Value]) -> Sql:
    """Return the condition on tickets with files, or with comments."""
    known = {
        "attachment": Sql("t.attachments_count > 0"),
        "comments": _exists(search, "versions", Sql(_COMMENT)),
    }
    return either(known[text] for text in _texts(values))


def project(search: Search, values: Sequence[Value]) -> Sql:
    """Return the condition on tickets of a project."""
    ids = {found for text in _texts(values) for found in search.names.projects(text)}
    return within("t.project_id", sorted(ids))


def _exists(search: Search, table: str, condition: Sql) -> Sql:
    """Return the condition that a table has a matching row for the ticket, in the same account."""
    return filled(
        f"""EXISTS (SELECT 1 FROM {table} x WHERE x.account_id = {{}}
            AND x.project_id = t.project_id AND x.number = t.number AND ({{}}){search.fence})""",  # noqa: S608 - a table's name
        Sql("?", (search.transaction.account_id,)),
        condition,
    )


def _listed(search: Search, table: str, condition: Sql, *, once: bool = True) -> Sql:
    """Return the tickets of a table's rows, each of them once."""
    keys = KEYS if once else DISTINCT_KEYS
    return filled(f"{keys} FROM {table} WHERE {{}} AND ({{}})", search.in_scope, condition)


Condition = Callable[[Search, Sequence[Value]], Sql]
Listing = Callable[[Search, Sequence[Value]], Sql | None]

CONDITIONS: Mapping[str, Condition] = {
    function.__name__: function
    for function in (
        state,
        responsible,
        reported_by,
        watched,
        commented_by,
        milestone,
        tagged,
        importance,
        number,
        created,
        updated,
        has,
        project,
    )
}
"""The condition of each keyword that is not about words."""

LISTINGS: Mapping[str, Listing] = {
    "responsible": responsible_list,
    "reported_by": reported_by_list,
    "watched": watched_list,
    "commented_by": commented_by_list,
    "milestone": milestone_list,
    "number": number_list,
}
"""The matching tickets, where an index has them."""

BESIDE_TAGS: Mapping[str, Listing] = {"state": state_beside_tags, "responsible": responsible_beside_tags}
"""The keywords that each tag row repeats, so that listing both is as fast as listing the tag alone."""

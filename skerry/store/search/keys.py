"""The SQL for each keyword of a query: one small function for each.

A function returns a condition on a row ``t`` of the tickets, which is never NULL, and which no index but the
list's own can serve: a page is read from the list in order. If the matching tickets can be listed without
examining others, a function in ``listings`` returns them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from skerry.database.transactions import Transaction, microseconds
from skerry.store.search.names import Names
from skerry.store.search.sql import Sql, among, either, every, filled, in_scope, within
from skerry.store.search.tree import Group, Node, term_of
from skerry.text.queries.dates import OVERDUE, resolve, resolve_days
from skerry.text.queries.query_tree import Comparison, Dates, Nothing, Text, Value
from skerry.text.queries.query_values import CLAIMED, PRIVATE, READY, sign_and_name
from skerry.text.tags import read_tags

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Search:
    """What the keywords need: the transaction, and the names in its projects.

    ``fence`` ends each subquery of another table.
    """

    transaction: Transaction
    names: Names
    fence: str

    @property
    def now(self) -> int:
        """Return the current time; a search that uses it is not cached."""
        return self.transaction.now

    def in_scope(self, table: str = "", *, indexed: bool = True) -> Sql:
        """Return the condition that a row belongs to the account and to one of the projects."""
        ids = self.names.scope.project_ids
        return every(in_scope(self.transaction.account_id, ids, table, indexed=indexed))


def texts_in(values: Sequence[Value]) -> list[str]:
    """Return the texts of values."""
    return [value.text for value in values if isinstance(value, Text)]


CLASSES = {"open": 0, "closed": 1}


def state(search: Search, values: Sequence[Value]) -> Sql:
    """Return the condition on open or closed tickets, or on a state."""
    asked = texts_in(values)
    named = {name for text in asked if text.lower() not in CLASSES for name in search.names.states(text)}
    classes = [CLASSES[text.lower()] for text in asked if text.lower() in CLASSES]
    conditions = [Sql("t.closed = ?", (each,)) for each in classes]
    if named:
        conditions.append(among("t.state", sorted(named)))
    # No ticket has that number, so the look-up in the primary key ends at once.
    return either(conditions or [Sql("t.number = -1")])


def responsible(search: Search, values: Sequence[Value]) -> Sql:
    """Return the condition on tickets that are assigned to a person, or unassigned."""
    return _among_or_none("t.assigned_user_id", people_in(search, values), values)


def _among_or_none(column: str, ids: Sequence[int], values: Sequence[Value]) -> Sql:
    none = [Sql(f"{column} IS NULL")] if Nothing() in values else []
    return either([within(f"coalesce({column}, 0)", ids), *none])


def reported_by(search: Search, values: Sequence[Value]) -> Sql:
    """Return the condition on tickets that a person opened."""
    return within("coalesce(t.creator_id, 0)", people_in(search, values))


def watched(search: Search, values: Sequence[Value]) -> Sql:
    """Return the condition on tickets that a person watches."""
    return _exists(search, "watchers", within("x.user_id", people_in(search, values)))


IS_COMMENT = "version > 1 AND body <> ''"


def commented_by(search: Search, values: Sequence[Value]) -> Sql:
    """Return the condition on tickets that a person commented on."""
    return _exists(
        search, "versions", every([within("x.user_id", people_in(search, values)), Sql(IS_COMMENT)])
    )


def people_in(search: Search, values: Sequence[Value]) -> list[int]:
    """Return the ids of the people that values name."""
    return sorted({user_id for text in texts_in(values) for user_id in search.names.people(text)})


def milestone(search: Search, values: Sequence[Value]) -> Sql:
    """Return the condition on tickets of a milestone, or of none."""
    return _among_or_none("t.milestone_id", milestones_in(search, values), values)


def milestones_in(search: Search, values: Sequence[Value]) -> list[int]:
    """Return the ids of the milestones that values name."""
    return sorted(
        {milestone_id for text in texts_in(values) for milestone_id in search.names.milestones(text)}
    )


def tagged(search: Search, values: Sequence[Value]) -> Sql:
    """Return the condition on tickets with a tag."""
    return _exists(search, "taggings", among("x.tag", tags_in(values)))


def tags_in(values: Sequence[Value]) -> list[str]:
    """Return the tags that values name."""
    return sorted({tag for text in texts_in(values) for tag in _tag(text)})


@lru_cache(maxsize=200)
def _tag(text: str) -> tuple[str, ...]:
    """Return a text as a tag of tickets; empty if it cannot be one."""
    try:
        # With a comma, spaces are part of a tag.
        tags = read_tags(f"{text},")
    except ValueError:
        return ()
    return tags if len(tags) == 1 else ()


def importance(search: Search, values: Sequence[Value]) -> Sql:
    """Return the condition on tickets of an importance, which projects may name differently."""
    numbers = [value for value in values if isinstance(value, Comparison)]
    named = [_leveled(search, *sign_and_name(text)) for text in texts_in(values)]
    return either([*([_compared("t.importance", numbers)] if numbers else []), *named])


def _leveled(search: Search, sign: str, name: str) -> Sql:
    levels = search.names.levels(name)
    return either(
        every([within("t.project_id", project_ids), Sql(f"t.importance {sign} ?", (level,))])
        for level, project_ids in levels.items()
    )


def due(search: Search, values: Sequence[Value]) -> Sql:
    """Return the condition on tickets that are due in a span of days, or never."""
    none = [Sql("t.due_on IS NULL")] if Nothing() in values else []
    spans = (value for value in values if isinstance(value, Dates))
    return either(
        [*none, *(due_within(search, "coalesce(t.due_on, '')", span, "t.closed") for span in spans)]
    )


def due_within(search: Search, column: str, value: Dates, closed: str) -> Sql:
    """Return the condition on a day in a span, of open tickets if they are to be overdue."""
    # Days begin with a digit. An absolute span needs no look-up of the time zone.
    today = search.names.today if value.span.is_relative else EPOCH.date()
    first, end = resolve_days(value.span, today)
    parts = [Sql(f"{column} >= ?", (first or "0",))]
    parts += [Sql(f"{column} < ?", (end,))] if end else []
    return every([*parts, Sql(f"{closed} = 0")] if value.span.text == OVERDUE else parts)


def number(_search: Search, values: Sequence[Value]) -> Sql:
    """Return the condition on tickets with a number."""
    return _compared("t.number + 0", values)


def _compared(column: str, values: Sequence[Value]) -> Sql:
    asked = [value for value in values if isinstance(value, Comparison)]
    exact = [value.number for value in asked if value.op == "="]
    others = [Sql(f"{column} {value.op} ?", (value.number,)) for value in asked if value.op != "="]
    return either([among(column, exact), *others] if exact else others)


def created(search: Search, values: Sequence[Value]) -> Sql:
    """Return the condition on tickets opened in a span of time, which were also changed since."""
    spans = [value for value in values if isinstance(value, Dates)]
    return either(within_span("t.created_at", span, search.now, since="t.updated_at") for span in spans)


def updated(search: Search, values: Sequence[Value]) -> Sql:
    """Return the condition on tickets last changed in a span of time."""
    return either(
        within_span("t.updated_at", value, search.now) for value in values if isinstance(value, Dates)
    )


def within_span(column: str, value: Dates, now: int, *, since: str = "") -> Sql:
    """Return the condition on a time in a span."""
    start, end = resolve(value.span, EPOCH + timedelta(microseconds=now))
    edges = [(f"{column} >= ?", start), (f"{column} < ?", end)]
    edges += [(f"{since} >= ?", start)] if since else []
    return every(Sql(text, (microseconds(timestamp),)) for text, timestamp in edges if timestamp is not None)


def has(search: Search, values: Sequence[Value]) -> Sql:
    """Return the condition on tickets with files, or with comments."""
    known = {
        "attachment": Sql("t.attachments_count > 0"),
        "comments": _exists(search, "versions", Sql(IS_COMMENT)),
        "children": _linked(search, "other_", "", "parent", _seen(search)),
    }
    return either(known[text] for text in texts_in(values))


def is_(search: Search, values: Sequence[Value]) -> Sql:
    """Return the condition on tickets that are blocked, claimed, private, or can be begun."""
    known = {"blocked": _blocked, CLAIMED: _claimed, PRIVATE: _private, READY: _ready}
    return either(known[text](search) for text in texts_in(values))


def _ready(search: Search) -> Sql:
    return filled("t.closed = 0 AND NOT ({}) AND NOT ({})", _blocked(search), _claimed(search))


def _claimed(search: Search) -> Sql:
    return _exists(search, "claims", not_expired(search, "x.expires_at"))


def _private(_search: Search) -> Sql:
    return Sql("t.private = 1")


def not_expired(search: Search, expires_at: str) -> Sql:
    """Return the condition on a claim that has not ended."""
    return Sql(f"{expires_at} > ?", (search.now,))


def _blocked(search: Search) -> Sql:
    is_open = filled(
        """EXISTS (SELECT 1 FROM tickets b WHERE b.account_id = {}
            AND b.project_id = x.project_id AND b.number = x.number AND b.closed = 0)""",
        Sql("?", (search.transaction.account_id,)),
    )
    return _linked(search, "other_", "", "blocks", every([_seen(search), is_open]))


def blocked_by(search: Search, values: Sequence[Value]) -> Sql:
    """Return the condition on tickets that others block."""
    return _linked(search, "other_", "", "blocks", _those(search, "", values))


def parent(search: Search, values: Sequence[Value]) -> Sql:
    """Return the condition on tickets with a parent."""
    return _linked(search, "", "other_", "parent", _those(search, "other_", values))


def _those(search: Search, end: str, values: Sequence[Value]) -> Sql:
    """Return the condition that a link leads to one of the named tickets."""
    places = [place for text in texts_in(values) for place in search.names.tickets(text)]
    ends = [Sql(f"x.{end}project_id = ? AND x.{end}number = ?", place) for place in places]
    return either(ends) if ends else Sql("x.number = -1")


def _seen(search: Search) -> Sql:
    return within("x.project_id", search.names.seen)


def _linked(search: Search, own: str, other: str, kind: str, condition: Sql) -> Sql:
    """Return the condition that a present link of a stored kind meets a condition on its ``other`` end."""
    return filled(
        f"""EXISTS (SELECT 1 FROM ticket_links x WHERE x.account_id = {{}}
            AND x.{own}project_id = t.project_id AND x.{own}number = t.number AND x.kind = {{}}
            AND x.{other}removed_in IS NULL AND ({{}}){search.fence})""",  # noqa: S608 - names of columns
        Sql("?", (search.transaction.account_id,)),
        Sql("?", (kind,)),
        condition,
    )


def project(search: Search, values: Sequence[Value]) -> Sql:
    """Return the condition on tickets of a project."""
    ids = {project_id for text in texts_in(values) for project_id in search.names.projects(text)}
    return within("t.project_id", sorted(ids))


def _exists(search: Search, table: str, condition: Sql) -> Sql:
    """Return the condition that a table has a matching row for the ticket, in the same account."""
    return filled(
        f"""EXISTS (SELECT 1 FROM {table} x WHERE x.account_id = {{}}
            AND x.project_id = t.project_id AND x.number = t.number AND ({{}}){search.fence})""",  # noqa: S608 - a table's name
        Sql("?", (search.transaction.account_id,)),
        condition,
    )


Condition = Callable[[Search, Sequence[Value]], Sql]

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
        due,
        number,
        created,
        updated,
        has,
        project,
        parent,
    )
} | {"is": is_, "blocked-by": blocked_by}
"""The condition of each keyword that is not about words."""


INDEXED = frozenset(
    ("state", "responsible", "reported_by", "milestone", "importance", "number", "updated", "project")
)
"""The keywords whose columns are in the index of the list."""


def is_in_index(part: Node) -> bool:
    """Return whether the index of the list holds what a part of a query is compared with."""
    if isinstance(part, Group):
        return all(map(is_in_index, part.parts))
    term = None if part.is_text else term_of(part)
    return not part.is_text and (term is None or term.key in INDEXED)
